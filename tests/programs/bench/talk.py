"""How much of a game the voice talks: a whole demo of each kind, told by the clips at each level.

The demo's journal says what was ruled when, in game time: simulated people at their normal speed, which is
not a person's. They know what to do before it is said, and without a thought. So here people hear a
sentence out before they do what comes next, and take `THOUGHT` for it besides; in a count or a window they
press when they like. What is announced is told by the voice that every table has, into an output that only
notes how long each clip would sound. Of a count only words are speech. `COMPANION_BENCH_DEMOS` names a
folder with recorded demos, one folder each, in place of new ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

from companion.core import observations as ob
from companion.core.actions import SECOND, Cue, Micros
from companion.core.clock import ManualClock
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games import RULES
from companion.language.language import Language
from companion.language.voice.sound_outputs import SilentOutput
from companion.language.voice.sounds import Samples, VoiceSounds, cue_sentence, duration
from companion.language.voice.voice import PAUSE, Verbosity, Voice
from companion.referee.journal import Entry, Header
from companion.referee.journal.json_lines import read_journal_file
from companion.table.session import QUIET_STANDINGS
from tests.languages import LANGUAGES
from tests.programs.bench.figures import ROOT, Row, missing, quiet_environment

MOST = 0.25
"""Of the time played, at the level that is the default."""
LATEST: Micros = 4 * SECOND
"""How long a sentence may wait for others at that level."""
THOUGHT: Micros = 1_350_000
"""What a person takes to make up the mind, before any hand moves: the operator M of the keystroke-level model
(Card, Moran and Newell 1980). Simulated people take 0.5 to 1.6 s for mind and hand together."""
PEOPLE_DO = (ob.ButtonPressed, ob.ActionDeclared, ob.TableSeen)
"""What people do when they have heard what is asked."""
ROUND: Micros = SECOND // 20
"""How often the voice is asked."""


class Told(NamedTuple):
    """One game."""

    played: Micros
    heard: Counter[str]
    """By a clip's name: how long it was heard; counts as `count`."""
    waited: Micros
    """The longest that a sentence waited for those of other rulings."""

    @property
    def share(self) -> float:
        return self.heard.total() / self.played


def rows() -> Iterator[Row]:
    given = os.environ.get("COMPANION_BENCH_DEMOS")
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as made:
        folder = Path(given or made)
        trouble = "" if given else "".join(record(game, folder / game) for game in RULES)
        if trouble:
            yield missing("the voice's share of a demo", "%", trouble)
            return
        for game in RULES:
            for code in LANGUAGES:
                yield of_game(game, folder / game / "journal.jsonl", code)


def record(game: str, folder: Path) -> str:
    """Record a demo; why that failed, empty if it did not."""
    done = subprocess.run(
        [sys.executable, "-m", "companion", "demo", game, "--fast", "--record", str(folder)],
        cwd=ROOT,
        env=quiet_environment(str(folder)),
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{game}: {(done.stderr.strip() or 'it failed').splitlines()[-1]}" if done.returncode else ""


def of_game(game: str, journal: Path, code: str) -> Row:
    header, entries = read_journal_file(journal, RULES)[:2]
    told = {level: tell(header, entries, code, level) for level in get_args(Verbosity)}
    shares = ", ".join(f"{level} {100 * one.share:.0f} %" for level, one in told.items())
    normal, hurried = told["normal"], tell(header, entries, code, "normal", unhurried=False)
    return Row(
        figure=f"{game}, {code}: share of the demo in which the voice speaks",
        value=100 * normal.share,
        unit="%",
        baseline="all",
        beside=100 * told["all"].share,
        aim=f"≤ {100 * MOST:g} %, none waits longer than {LATEST / SECOND:g} s",
        met=normal.share <= MOST and normal.waited <= LATEST,
        note=f"{game}, {code}, {normal.played / SECOND:.0f} s: {shares}; the count alone "
        f"{100 * normal.heard['count'] / normal.played:.0f} %; one waited {normal.waited / SECOND:.1f} s "
        f"at most (all: {told['all'].waited / SECOND:.1f} s); to simulated people, who are done in "
        f"{hurried.played / SECOND:.0f} s, {100 * hurried.share:.0f} %",
    )


def tell(
    header: Header, entries: list[Entry[Any]], code: str, level: Verbosity, *, unhurried: bool = True
) -> Told:
    """Tell a game as a session does; `unhurried`: to people, not to simulated ones."""
    rules: Rules[Any] = RULES[header.game]
    urgent, quiet = (
        {f"{rules.name}.{event}" for event in events}
        for events in (rules.board.urgent_events, rules.board.quiet_events)
    )
    clock = ManualClock()
    listener = Listener(code, clock, level)
    state, cue = rules.initial_state(header.setup.with_options(rules.options)), None
    later: Micros = 0
    for entry in entries:
        act = isinstance(entry.cause, PEOPLE_DO) and not all(map(rules.is_silent, entry.events))
        if unhurried and act and rules.awaited_cue(state) is None and not rules.is_window_open(state):
            later += THOUGHT + listener.hear_out(entry.cause.at + later)
        listener.hear_until(entry.cause.at + later)
        said: list[Sentence] = []
        for event in entry.events:
            state = rules.evolve(state, event)
        for event in entry.events:
            sentence = rules.sentence(state, event)
            if sentence is not None:
                said += (sentence, *rules.follow_up_sentences(state, event))
        awaited = rules.awaited_cue(state)
        if awaited not in {None, cue}:
            said = [one for one in said if awaited is None or one.key != awaited.said]
        listener.voice.announce(said, urgent, {*quiet, QUIET_STANDINGS})
        listener.announced(said)
        if awaited is not None and awaited != cue:
            listener.voice.play_cue(awaited)
            cue = awaited
        elif awaited is None and not rules.is_window_open(state):
            cue = None
    played = clock.now()
    listener.hear_until(played + 20 * SECOND)
    return Told(played, listener.heard(), listener.waited)


class Listener(SilentOutput):
    """An output that notes what would be heard, and the voice that speaks into it."""

    available = True
    silence_reason = ""

    def __init__(self, code: str, clock: ManualClock, level: Verbosity) -> None:
        self._clock = clock
        self._language = Language(code)
        self._sounds = VoiceSounds(self._language)
        self.voice = Voice(self._language, clock, self, verbosity=level)
        self._begun: list[tuple[str, Micros, Micros]] = []
        """What, from when, and for how long."""
        self._since: dict[Sentence, Micros] = {}
        self.waited: Micros = 0

    def announced(self, sentences: list[Sentence]) -> None:
        """These were announced now."""
        self._since |= dict.fromkeys(sentences, self._clock.now())

    def play(self, samples: Samples, at: Micros) -> bool:
        """As `SoundOutput.play`."""
        self.stop(at)
        self._begun.append(("", at, duration(samples)))
        return True

    def stop(self, at: Micros) -> None:
        if self._begun:
            name, begun, length = self._begun[-1]
            self._begun[-1] = name, begun, min(length, at - begun)

    def hear_until(self, at: Micros) -> None:
        """Let the voice speak."""
        while True:
            before, now = len(self._begun), self._clock.now()
            cues = self.voice.poll(now)
            if len(self._begun) > before:
                _, begun, length = self._begun[-1]
                said = self.voice.caption
                if cues:
                    self._begun[-1] = "count", begun, self._words(cues[0].cue)
                elif said is not None:
                    self._begun[-1] = self._language.clip_name(said), begun, length
                    since = self._since.get(said, now)
                    self.waited = max(self.waited, now - since)
                    for other, asked in self._since.items():  # those of one ruling do not wait for each other
                        if asked == since:
                            self._since[other] = begun + length + PAUSE
            if now >= at:
                return
            self._clock.move_to(min(at, now + ROUND))

    def hear_out(self, at: Micros) -> Micros:
        """Listen until `at`, and to the end of what is being said then; how long that takes."""
        self.hear_until(at)
        said = self.voice.caption
        while said is not None and self.voice.caption == said:
            self.hear_until(self._clock.now() + ROUND)
        return self._clock.now() - at

    def heard(self) -> Counter[str]:
        """How long, by clip."""
        total: Counter[str] = Counter()
        for name, _, length in self._begun:
            total[name] += length
        return total

    def _words(self, cue: Cue) -> Micros:
        """How long a count speaks: between its words there is silence."""
        number = cue_sentence(cue) if cue.attempt <= 1 else None
        said = [
            *([] if number is None else [number]),
            *(Sentence(f"count.{one + 1}") for one in range(cue.beats)),
        ]
        clips = (self._sounds.find_samples(one) for one in said)
        return sum(duration(clip) for clip in clips if clip is not None)
