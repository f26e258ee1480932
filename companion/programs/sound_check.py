"""Plays a word on each sound output, asks which was heard, and measures how late that one is."""

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Protocol

import numpy as np

from companion.core.actions import SECOND
from companion.core.clock import Clock
from companion.core.view import Sentence
from companion.language.language import Language
from companion.language.voice.mixer import WAKE_TIME, Mixer, SoundOutput
from companion.language.voice.output_delay import (
    DelayMeasurement,
    MicrophoneStream,
    build_beats,
    measure_by_microphone,
    measure_by_taps,
)
from companion.language.voice.sounds import RATE, Samples, VoiceSounds
from companion.settings.model import SoundSettings

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
        heard = [
            name for number, name in enumerate(outputs, 1) if self._is_heard(number, name, outputs[name])
        ]
        if not heard:
            return {}
        chosen = heard[0] if len(heard) == 1 else self._choose(heard, outputs)
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

    def _choose(self, heard: list[str], outputs: Mapping[str, str]) -> str:
        """Which of several shall play."""
        for number, name in enumerate(heard, 1):
            self._say(f"  {number}: {outputs[name]}")
        answer = self._ask("Which one shall the table use? (Enter: 1) ").strip()
        place = int(answer) if answer.isdecimal() else 1
        return heard[place - 1 if 1 <= place <= len(heard) else 0]

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
