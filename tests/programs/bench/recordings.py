"""What a table is heard to say, gone through by numbers: the demo, a whole game of each kind, every lesson.

Each is played once, in English, by the program itself at a clock that is moved by hand; what its voice was
asked to do, and when, is noted. Every voice is then told the same, into a recording as `demo --record` keeps
it. Whoever learns hears a lesson's line out before going on, also where it takes longer. Simulated people do
not wait for the voice: it is as much in a hurry here as it can ever be.

`COMPANION_BENCH_RECORDINGS` names a folder where the recordings are kept, to be listened to.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile

from companion.core.actions import SECOND, Cue, CueStarted, Micros
from companion.core.clock import ManualClock
from companion.core.view import Sentence, SoundEffect
from companion.games import RULES, default_player_count
from companion.language.language import Language
from companion.language.voice.clips import Wave, measure_loudness
from companion.language.voice.sound_outputs import WavOutput
from companion.language.voice.sounds import FULL_SCALE, RATE, Samples, VoiceSounds, duration
from companion.language.voice.voice import Voice
from companion.language.voice.voice_pack import VoicePack, second_voices
from companion.programs import demo
from companion.programs.build_app import build_runtime
from companion.referee.journal import MemoryJournal
from companion.settings.model import Settings
from companion.table.runtime import run_loop
from companion.teach.lesson import find_lesson_files
from tests.languages import LANGUAGES
from tests.programs.bench.figures import Row
from tests.programs.bench.sound import off_by_ms
from tests.programs.bench.voices import longest_pause, true_peak

SEED = 1
LINGER: Micros = 20 * SECOND
"""So long after its last ruling a game is listened to."""
ROUND: Micros = SECOND // 50
"""How often a voice is asked."""
CLOSE_LU, HIGHEST_DBTP, LONGEST_PAUSE_S, LATEST_S, EXACT_MS = 1.0, -1.0, 0.3, 4.0, 1.0
QUIET_EDGE = 0.01
"""Of full scale: a sound that begins or ends higher clicks."""
BLOCK_S = 10
TOLD_BEATS = 3
"""Counts of so many beats are looked for in the sound."""
LESSON = "lesson."
"""How keys of lessons begin."""


class Call(NamedTuple):
    """What a voice was asked to do, by the name of its method."""

    at: Micros
    what: str
    told: tuple[Any, ...]


class Heard(NamedTuple):
    """What began to sound."""

    at: Micros
    sentence: Sentence | None
    samples: Samples
    waited: Micros
    """For what was asked for before."""
    counts: bool = False
    cut: Micros | None = None
    """When it was to fall silent, if it had not ended."""

    @property
    def end(self) -> Micros:
        return self.at + duration(self.samples) if self.cut is None else self.cut

    @property
    def is_lesson(self) -> bool:
        return self.sentence is not None and self.sentence.key.startswith(LESSON)


class NotingVoice(Voice):
    """A table's voice that is recorded, and notes what it was asked and what became of it."""

    def __init__(self, clock: ManualClock, code: str = "en", pack: VoicePack | None = None) -> None:
        self.track = WavOutput()
        self.language = Language(code)
        self.sounds = VoiceSounds(self.language, pack=pack)
        super().__init__(self.language, clock, self.track, pack=pack)
        self.calls: list[Call] = []
        self.asked: list[Sentence] = []
        self.heard: list[Heard] = []
        self.started: list[CueStarted] = []
        """One for each of `heard` that counts."""
        self.clipless: list[Sentence] = []
        """What could only be shown."""
        self.overlaps = 0
        self._since: dict[Sentence, Micros] = {}
        self._is_nested = False

    def _note(self, what: str, *told: Any) -> None:
        if not self._is_nested:
            self.calls.append(Call(self._clock.now(), what, told))

    def announce(
        self, sentences: Sequence[Sentence], urgent: Collection[str] = (), quiet: Collection[str] = ()
    ) -> None:
        self._note("announce", tuple(sentences), frozenset(urgent), frozenset(quiet))
        self._is_nested = True
        super().announce(sentences, urgent, quiet)
        self._is_nested = False

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = (), *, brief: bool = False) -> None:
        self._note("say", tuple(sentences), tuple(first))
        spoken = [sentence for sentence in sentences if self.sounds.is_spoken(sentence)]
        self.asked += spoken
        self._since |= dict.fromkeys(spoken, self._clock.now())
        super().say(sentences, first, brief=brief)

    def play_cue(self, cue: Cue) -> None:
        self._note("play_cue", cue)
        super().play_cue(cue)

    def stop_cue(self) -> None:
        self._note("stop_cue")
        super().stop_cue()

    def play_effect(self, name: SoundEffect) -> None:
        self._note("play_effect", name)
        super().play_effect(name)

    def poll(self, now: Micros) -> tuple[CueStarted, ...]:
        begun = super().poll(now)
        if begun:
            self.heard[-1] = self.heard[-1]._replace(counts=True)
            self.started += begun
        return begun

    def _begin(self, samples: Samples, sentence: Sentence | None) -> bool:
        now = self._clock.now()
        self.overlaps += bool(self.heard and now < self.heard[-1].end)
        since = now if sentence is None else self._since.get(sentence, now)
        self.heard.append(Heard(now, sentence, samples, now - since))
        for other, at in self._since.items():  # what was asked for at once does not wait for each other
            if at == since:
                self._since[other] = self.heard[-1].end
        return super()._begin(samples, sentence)

    def _show(self, sentence: Sentence | None) -> None:
        if sentence is not None:
            self.clipless.append(sentence)
        super()._show(sentence)

    def _fall_silent(self) -> None:
        now = self._clock.now()
        if self.heard and now < self.heard[-1].end:
            self.heard[-1] = self.heard[-1]._replace(cut=now)
        super()._fall_silent()


# What is played -------------------------------------------------------------------------------------------


def played() -> Iterator[tuple[str, list[Call]]]:
    """The name of each recording, and what its voice was asked."""
    yield "demo", play(demo.show_acts())
    for name, rules in RULES.items():
        yield name, play([demo.Act(rules, default_player_count(rules), SEED)])
    # Not typed as the bench is.
    learners, lessons = import_module("tests.teach.learner"), import_module("tests.teach.test_lessons")
    for file in find_lesson_files():
        with tempfile.TemporaryDirectory(prefix="companion-bench-") as folder:
            learner = learners.ListeningLearner(Path(folder), str(file), NotingVoice)
            lessons.Student().go_through(learner, sweep=False)
            yield f"lesson {file.parent.name} {file.stem}", learner.voice.calls
            learner.close()


def play(acts: Sequence[demo.Act]) -> list[Call]:
    """The demo of these games, the last of them to its end."""
    settings, clock = Settings(), ManualClock()
    shared = build_runtime(settings, clock, silent=True)
    shared.voice = voice = NotingVoice(clock)

    def open_host(act: demo.Act) -> Any:
        return demo.open_act(act, shared, MemoryJournal(demo.demo_header(act, settings)), threads=False)

    show = demo.Show(acts, open_host, clock)
    app = demo.build_demo_app(settings, show.host, shared, draws=False, demo=show.open_next)
    ended: list[Micros] = []

    def over() -> bool:
        show.advance(app)
        if show.host.session.game.over and not show.host.session.game.waiting:
            ended.append(clock.now())
        return clock.now() > demo.MAX_GAME_TIME or bool(ended and clock.now() > ended[0] + LINGER)

    run_loop(app, clock, shared.inbox, over=over)
    app.close()
    return voice.calls


def retell(calls: Sequence[Call], code: str, pack: VoicePack | None) -> NotingVoice:
    """Ask another voice for the same."""
    clock, later = ManualClock(), 0
    voice = NotingVoice(clock, code, pack)

    def listen(until: Callable[[], bool]) -> None:
        while not until():
            voice.poll(clock.now())
            clock.move_to(clock.now() + ROUND)

    for at, what, told in calls:
        due = at + later
        listen(lambda due=due: clock.now() >= due)  # type: ignore[misc]
        if what == "say" and any(sentence.key.startswith(LESSON) for sentence in told[0]):
            listen(lambda: voice.caption is None or not voice.caption.key.startswith(LESSON))
            later = max(later, clock.now() - at)
        getattr(voice, what)(*told)
    last = clock.now() + LINGER
    listen(lambda: clock.now() >= last)
    return voice


# What is heard --------------------------------------------------------------------------------------------


class Findings(NamedTuple):
    """The figures of one recording, or the worst of several."""

    seconds: float
    heard: int
    counts: int
    loudness: Mapping[tuple[Sentence, int], float]
    """LUFS of each part: the pause where two were joined is none of either."""
    pause: float
    """Seconds of the longest silence inside a sentence."""
    waited: float
    """Seconds that a sentence of a game waited at most for what was asked for before."""
    waited_in_lessons: float
    """The same where a lesson speaks, too, for whose lines a game's wait."""
    edge: float
    """Of full scale: where a sound begins or ends."""
    peak: float
    """dBTP."""
    off_ms: float
    """The furthest beat from its second."""
    overlaps: int
    cut_short: int
    left_out: Counter[str]
    """Keys of what was asked for and never begun: the screen alone has it."""
    clipless: Counter[str]

    def together(self, other: Findings) -> Findings:
        worst = {
            name: max(getattr(self, name), getattr(other, name))
            for name in ("pause", "waited", "waited_in_lessons", "edge", "peak", "off_ms")
        }
        added = {
            name: getattr(self, name) + getattr(other, name)
            for name in ("seconds", "heard", "counts", "overlaps", "cut_short", "left_out", "clipless")
        }
        return Findings(loudness={**self.loudness, **other.loudness}, **worst, **added)


def examine(voice: NotingVoice, track: Path) -> Findings:
    """Go through a recording, and through the sounds that it was mixed of."""
    voice.track.write_wav(track)
    sound, rate = soundfile.read(track)
    said = [one for one in voice.heard if not one.counts and one.sentence is not None]
    distinct = {one.sentence: one.samples / FULL_SCALE for one in said if one.sentence is not None}
    counted = [one for one in voice.heard if one.counts]
    beats = [
        off_by_ms(sound * FULL_SCALE, rate, started.first_beat / SECOND)
        for started, one in zip(voice.started, counted, strict=True)
        if one.cut is None and started.cue.beats == TOLD_BEATS
    ]
    asked = Counter(voice.asked)
    begun = Counter(one.sentence for one in said if one.sentence is not None)
    left_out = asked - begun - Counter(voice.clipless)
    parts = {
        (sentence, place): part
        for sentence in distinct
        for place, part in enumerate(voice_parts(voice.sounds, sentence))
    }
    waited = max((one.waited / SECOND for one in said if not one.is_lesson), default=0.0)
    teaches = any(one.is_lesson for one in said)
    return Findings(
        seconds=len(sound) / rate,
        heard=len(said),
        counts=len(counted),
        loudness={name: measure_loudness(part / FULL_SCALE, RATE) for name, part in parts.items()},
        pause=max((longest_pause(halved(samples)) for samples in distinct.values()), default=0.0),
        waited=0.0 if teaches else waited,
        waited_in_lessons=waited if teaches else 0.0,
        edge=max((float(np.abs(part[[0, -1]]).max()) / FULL_SCALE for part in parts.values()), default=0.0),
        peak=highest_peak(sound, rate),
        off_ms=max(beats, default=0.0),
        overlaps=voice.overlaps,
        cut_short=sum(one.cut is not None for one in said),
        left_out=Counter(sentence.key for sentence in left_out.elements()),
        clipless=Counter(sentence.key for sentence in voice.clipless),
    )


def voice_parts(sounds: VoiceSounds, sentence: Sentence) -> Iterator[Samples]:
    """What a sentence is joined of."""
    address, whole = sounds.language.address_part(sentence), sounds.find_samples(sentence)
    if whole is None:
        return
    called = None if address is None else sounds.find_samples(address)
    if called is None:
        yield whole
    else:
        yield from (whole[: len(called)], whole[len(called) :])


def halved(samples: Wave) -> Wave:
    """At the rate of the clips."""
    halves: Wave = samples[: len(samples) // 2 * 2].reshape(-1, 2).mean(axis=1)
    return halves


def highest_peak(sound: Wave, rate: int) -> float:
    """As `true_peak`, block by block; what is at the edge of one lies inside another."""
    edge, block = rate // 10, BLOCK_S * rate
    padded = np.pad(sound, edge)
    blocks = (padded[at : at + block + 2 * edge] for at in range(0, len(sound), block))
    return max(true_peak(one, inside=edge) for one in blocks if one.any())


def rows() -> Iterator[Row]:
    kept = os.environ.get("COMPANION_BENCH_RECORDINGS")
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as scratch:
        folder = Path(kept or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        told = list(played())
        for code in LANGUAGES:
            for pack in (None, *second_voices(code)):
                voice = code if pack is None else pack.folder.name
                found = [
                    examine(retell(calls, code, pack), folder / f"{voice} {name}.wav") for name, calls in told
                ]
                yield from figures(voice, len(found), reduce(Findings.together, found))


def figures(voice: str, recordings: int, found: Findings) -> Iterator[Row]:
    """The rows of a voice."""
    apart = max(found.loudness.values()) - min(found.loudness.values())
    different = len({sentence for sentence, _ in found.loudness})
    whole = (
        f"{voice}: {recordings} recordings, {found.seconds / 60:.0f} min; {found.heard} sentences, "
        f"{different} different; {found.counts} counts; {found.left_out.total()} sentences came too late and "
        f"were left to the screen: {named(found.left_out)}; without a clip: "
        f"{named(found.clipless)}"
    )
    for figure, value, unit, most, note in (
        ("loudest sentence above the softest", apart, "LU", CLOSE_LU, whole),
        ("highest peak", found.peak, "dBTP", HIGHEST_DBTP, ""),
        ("longest silence in a sentence", found.pause, "s", LONGEST_PAUSE_S, ""),
        ("a sentence of a game waited", found.waited, "s", LATEST_S, ""),
        ("the same in a lesson, for its lines", found.waited_in_lessons, "s", None, ""),
        ("beats of the count off by", found.off_ms, "ms", EXACT_MS, ""),
        ("a sound begins or ends at", found.edge, "of full scale", QUIET_EDGE, ""),
        ("two sentences at once", found.overlaps, "times", 0, ""),
        ("sentences cut short by a count, or by a lesson's next line", found.cut_short, "times", None, ""),
        ("sentences without a clip", len(found.clipless), "keys", 0, ""),
    ):
        yield Row(
            figure=f"{voice}: {figure}",
            value=value,
            unit=unit,
            aim="" if most is None else f"≤ {most:g}",
            met=None if most is None else value <= most,
            note=note,
        )


def named(keys: Counter[str]) -> str:
    """Keys with their numbers, the most frequent first."""
    return ", ".join(f"{key} {count}" for key, count in keys.most_common()) or "none"
