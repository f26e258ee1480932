"""Sound tests at the terminal: which output is heard, how late it is, and which voice sounds best.

The delay is measured by a microphone, or by people who tap to a beat. A microphone hears short chirps, which
are looked for in the recording. Its clock is derived from its chunks: none can arrive before its last sample
was taken, so the promptest chunk says when the first sample was.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from companion.core.view import Sentence
from companion.language.language import Language
from companion.language.voice.mixer import MIXER_DELAY, WAKE_TIME, Mixer, SoundOutput
from companion.language.voice.sounds import FULL_SCALE, RATE, TICK, TICK_HZ, Samples, VoiceSounds
from companion.language.voice.voice_pack import InstalledVoice, packs_folder
from companion.settings.model import SoundSettings

CHIRPS = 7
CHIRP_S, CHIRP_HZ = 0.05, (1_000.0, 5_000.0)
"""What small loudspeakers and microphones have."""
CHIRP_INTERVAL: Micros = 5 * SECOND // 2
"""More than the longest delay that is kept (2 s), so that each is found where it belongs."""
QUIET_START: Micros = SECOND
"""Before the first: what the recorder's first chunks say of its clock settles."""
CLEARNESS = 8.0
"""A chirp that was heard correlates so many times as well as all else does usually."""
ECHO_SHARE = 0.5
"""What comes before the loudest and correlates at least so well is the sound, the loudest its echo."""
MIN_FOUND = 4
AGREEMENT: Micros = 10_000
"""Measurements that are further apart are none."""
BEATS, BEAT_INTERVAL = 14, SECOND
WARM_UP = 3
"""Taps at the beginning that do not count: people are still finding the beat."""
TAP_LEAD: Micros = 30_000
"""By so much people tap before the beat that they hear (Repp 2005: 20 to 80 ms, musicians least)."""
MIN_TAPS = 6


class DelayMeasurement(NamedTuple):
    """How late an output is heard."""

    delay: Micros
    """From `SoundOutput.play` to the ear."""
    spread: Micros
    """Half of the single measurements are nearer to it than this."""
    found: int
    """How many single measurements agreed."""

    @property
    def output_delay_ms(self) -> int:
        """What the output adds to the mixer's own: `sound.output_delay_ms`, in milliseconds."""
        return max(0, round((self.delay - MIXER_DELAY) / 1000))


class MicrophoneStream(Protocol):
    """A microphone that records until it is closed."""

    def read(self) -> Samples:
        """The next samples (int16, `RATE` Hz) as soon as there are some; `OSError` if it ended."""


def measure_by_microphone(
    output: SoundOutput, microphone: MicrophoneStream, clock: Clock
) -> DelayMeasurement | None:
    """Play chirps and listen for them; None where they are not heard clearly. Takes 19 seconds.

    Raises the microphone's `OSError`.
    """
    chirp = _make_chirp()
    chunks: list[Samples] = []
    count, first_sample = 0, clock.now()
    due, played = clock.now() + QUIET_START, list[Micros]()
    while len(played) < CHIRPS or clock.now() < due:
        chunks.append(microphone.read())
        count += len(chunks[-1])
        now = clock.now()
        taken = now - round(count * SECOND / RATE)
        first_sample = taken if len(chunks) == 1 else min(first_sample, taken)
        if now >= due and len(played) < CHIRPS:
            output.play(chirp, now)
            played.append(now)
            due = now + CHIRP_INTERVAL
    recording = np.concatenate(chunks).astype(np.float64)
    return _summarise(_find_chirps(recording, chirp.astype(np.float64), [at - first_sample for at in played]))


def measure_by_taps(beats: Sequence[Micros], taps: Sequence[Micros]) -> DelayMeasurement | None:
    """By taps on beats, each given as it was handed to `SoundOutput.play`; None where they do not agree.

    A tap belongs to the last beat before it, or to the next if that is a quarter of the interval away.
    """
    if len(beats) < 2:
        return None
    interval = beats[1] - beats[0]
    late = [(tap - beats[0] + interval // 4) % interval - interval // 4 for tap in taps[WARM_UP:]]
    if len(late) < MIN_TAPS:
        return None
    delay, spread = _median_and_spread(late)
    return DelayMeasurement(delay + TAP_LEAD, spread, len(late)) if spread <= interval // 10 else None


def build_beats() -> tuple[Samples, tuple[Micros, ...]]:
    """A beat to tap to, and when each tick of it begins."""
    tick = np.sin(2 * np.pi * TICK_HZ * np.arange(RATE // 33) / RATE) * np.linspace(1.0, 0.0, RATE // 33)
    sound = np.zeros((BEATS + 1) * RATE, dtype=np.int16)
    for beat in range(BEATS):
        sound[(beat + 1) * RATE : (beat + 1) * RATE + len(tick)] = np.rint(TICK * FULL_SCALE * tick)
    return sound, tuple((beat + 1) * BEAT_INTERVAL for beat in range(BEATS))


def _make_chirp() -> Samples:
    at = np.arange(round(CHIRP_S * RATE)) / RATE
    low, high = CHIRP_HZ
    wave = np.sin(2 * np.pi * (low + (high - low) / (2 * CHIRP_S) * at) * at) * np.hanning(len(at))
    chirp: Samples = np.rint(0.7 * FULL_SCALE * wave).astype(np.int16)
    return chirp


def _find_chirps(
    heard: npt.NDArray[np.float64], chirp: npt.NDArray[np.float64], played: Sequence[Micros]
) -> list[Micros]:
    """How late each of the chirps is that are heard; `played`: microseconds from the recording's begin."""
    late: list[Micros] = []
    for at in played:
        first = max(0, round(at * RATE / SECOND))
        part = heard[first : first + round(CHIRP_INTERVAL * RATE / SECOND)]
        if len(part) < len(chirp):
            continue
        size = 1 << (len(part) + len(chirp)).bit_length()
        spectrum = np.fft.rfft(part, size) * np.conj(np.fft.rfft(chirp, size))
        alike = np.abs(np.fft.irfft(spectrum, size)[: len(part) - len(chirp) + 1])
        loudest = float(alike.max())
        if loudest > CLEARNESS * float(alike.mean()):
            # The first peak that is high enough: its top is within a period of where it is entered.
            entered = int(np.argmax(alike >= ECHO_SHARE * loudest))
            top = entered + int(np.argmax(alike[entered : entered + RATE // 500]))
            late.append(round((first + top) * SECOND / RATE) - at)
    return late


def _summarise(late: Sequence[Micros]) -> DelayMeasurement | None:
    """The middle of those that agree."""
    if not late:
        return None
    middle, _ = _median_and_spread(late)
    agreeing = [one for one in late if abs(one - middle) <= AGREEMENT]
    if len(agreeing) < MIN_FOUND:
        return None
    return DelayMeasurement(*_median_and_spread(agreeing), len(agreeing))


def _median_and_spread(values: Sequence[Micros]) -> tuple[Micros, Micros]:
    middle = round(float(np.median(values)))
    return middle, round(float(np.median(np.abs(np.array(values) - middle))))


Ask = Callable[[str], str]
"""Asks at the terminal and gives the answer; `EOFError` where nobody answers any more."""
Say = Callable[[str], None]
YES = ("y", "yes")


class OpenOutput(SoundOutput, Protocol):
    """An output that is opened and closed for the check."""

    def close(self) -> None: ...


class OpenMicrophone(MicrophoneStream, Protocol):
    """A microphone that is opened and closed for the check."""

    def close(self) -> None: ...


class SoundCheck:
    """Leads somebody at a terminal through the outputs of this machine."""

    def __init__(
        self,
        sound: SoundSettings,
        language: Language,
        clock: Clock,
        ask: Ask,
        say: Say,
        *,
        open_output: Callable[[str], OpenOutput] | None = None,
        open_microphone: Callable[[], OpenMicrophone],
    ) -> None:
        """`open_output` takes what `sound.device` may be."""
        self._sound = sound
        self._sounds = VoiceSounds(language)
        self._clock, self._ask, self._say = clock, ask, say
        self._open_output = open_output or (lambda name: Mixer(name, volume=sound.volume))
        self._open_microphone = open_microphone

    def run(self, outputs: Mapping[str, str]) -> dict[str, object]:
        """The settings that follow, by their dotted keys; `outputs` as `list_outputs` has them."""
        audible = [
            name for number, name in enumerate(outputs, 1) if self._is_heard(number, name, outputs[name])
        ]
        if not audible:
            return {}
        chosen = audible[0] if len(audible) == 1 else self._choose(audible, outputs)
        changes: dict[str, object] = {"sound.device": chosen}
        measured = self._measure(chosen)
        if measured is not None:
            late = measured.output_delay_ms
            self._say(f"It is {late} ms late (half of {measured.found} within {measured.spread // 1000} ms).")
            changes["sound.output_delays_ms"] = self._sound.output_delays_ms | {chosen: late}
        return changes

    def _is_heard(self, number: int, name: str, called: str) -> bool:
        with closing(self._open_output(name)) as output:
            if not output.available:
                self._say(f"{number}. {called}: can't be opened ({output.silence_reason}).")
                return False
            while True:
                output.play(self._say_number(number), self._clock.now())
                answer = (
                    self._ask(f"{number}. {called}: did you hear “{number}”? (y, n, r: again) ")
                    .strip()
                    .lower()
                )
                if answer != "r":
                    return answer in YES

    def _say_number(self, number: int) -> Samples:
        """The number after a silence in which a loudspeaker may wake; a tick where no clip says it."""
        word = self._sounds.find_word(Sentence(f"count.{number}"))
        said = build_beats()[0][RATE : 2 * RATE] if word is None else word.samples
        return np.concatenate([np.zeros(RATE * WAKE_TIME // SECOND, np.int16), said])

    def _choose(self, audible: list[str], outputs: Mapping[str, str]) -> str:
        """Which of several shall play."""
        for number, name in enumerate(audible, 1):
            self._say(f"  {number}: {outputs[name]}")
        answer = self._ask("Which one shall the table use? (Enter: 1) ").strip()
        place = int(answer) if answer.isdecimal() else 1
        return audible[place - 1 if 1 <= place <= len(audible) else 0]

    def _measure(self, name: str) -> DelayMeasurement | None:
        """How late this output is, by the way that somebody chooses; None: not measured."""
        ways = {"m": self._measure_by_microphone, "t": self._measure_by_taps}
        asked = (
            "How late is it? m: a microphone listens (20 s), t: you tap to a beat, Enter: leave it as it is "
        )
        while (way := ways.get(self._ask(asked).strip().lower())) is not None:
            with closing(self._open_output(name)) as output:
                if (found := way(output)) is not None:
                    return found
        return None

    def _measure_by_microphone(self, output: SoundOutput) -> DelayMeasurement | None:
        self._say("Listening: quiet, please.")
        try:
            with closing(self._open_microphone()) as microphone:
                found = measure_by_microphone(output, microphone, self._clock)
        except OSError as trouble:
            self._say(str(trouble))
            return None
        if found is None:
            self._say("The microphone did not hear it clearly: put it nearer, turn it up, or tap instead.")
        return found

    def _measure_by_taps(self, output: SoundOutput) -> DelayMeasurement | None:
        sound, beats = build_beats()
        self._ask(f"You will hear {len(beats)} beats. Press Enter on each of them. Enter: begin ")
        begun, taps = self._clock.now(), []
        output.play(sound, begun)
        for _ in beats:
            self._ask("")
            taps.append(self._clock.now())
        found = measure_by_taps([begun + beat for beat in beats], taps)
        if found is None:
            self._say("Those were no even beats: try again.")
        return found


SENTENCES = (
    Sentence("setup.ready"),
    Sentence("shared.storage.lost"),
    Sentence("standing.leads", (("chair", 1),)),
    Sentence("shared.friendly"),
    Sentence("shared.enrol.turn"),
)
"""An instruction, something that went wrong, a result, a longer sentence, two short ones."""
PAUSE_S = 0.5


def sample(language: Language, voice: InstalledVoice) -> Samples:
    """Its five sentences (int16, `RATE` Hz), after a silence in which a loudspeaker may wake.

    What a pack lacks is said by the built clips, as in a game.
    """
    sounds, pause = VoiceSounds(language, pack=voice.pack), np.zeros(round(PAUSE_S * RATE), np.int16)
    parts = [np.zeros(RATE * WAKE_TIME // SECOND, np.int16)]
    for sentence in SENTENCES:
        said = sounds.find_samples(sentence)
        parts += [] if said is None else [said, pause]
    return np.concatenate(parts)


def try_voices(  # noqa: PLR0917
    language: Language, voices: list[InstalledVoice], output: SoundOutput, clock: Clock, ask: Ask, say: Say
) -> InstalledVoice | None:
    """Play each and ask; the voice that was chosen, None: nothing is to change."""
    for number, voice in enumerate(voices, 1):
        answer = "r"
        while answer == "r":
            output.play(sample(language, voice), clock.now())
            answer = ask(f"{number}. {voice.name} (Enter: go on, r: again) ").strip().lower()
    output.stop(clock.now())
    if len(voices) == 1:
        say("It is the only one here in this language. To add one: companion voice record, or put a pack")
        say(f"into {packs_folder()}.")
        return None
    answer = ask(f"Which one shall the table use? (1 to {len(voices)}, Enter: as it was) ").strip()
    chosen = int(answer) if answer.isdecimal() else 0
    return voices[chosen - 1] if 1 <= chosen <= len(voices) else None
