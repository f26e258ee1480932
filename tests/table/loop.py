"""The loop under a clock that is moved by hand: reports in, lists of what went out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from lantern.rules import LANTERN

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Chair, Cue, CueStarted, Micros, Options, Outcome, Setup
from companion.core.clock import ManualClock
from companion.core.events import Event
from companion.core.switch import Edge
from companion.core.view import LampSignal, Sentence, SoundEffect, View
from companion.games import RULES
from companion.games.kinapa.rules import Kinapa
from companion.games.kinapa.rules.model import KinapaOptions
from companion.language.language import Language
from companion.language.voice.voice_pack import VoicePack
from companion.referee.journal import Entry, Journal, MemoryJournal, StorageFailure, make_header
from companion.referee.loop import Announcement, RefereedGame
from companion.referee.referee import Referee
from companion.table.session import Session
from tests.referee.lantern_play import before_the_count, header

MILLI: Micros = 1_000
LEAD_IN: Micros = SECOND
"""From the start of a voice's cue to its first beat."""
KINAPA = RULES["kinapa"]
Report = tuple[Micros, Edge | ob.Observation]
"""When something is delivered, and what."""


# Journals ---------------------------------------------------------------------------------------------------


class Promised:
    """The ticket of an entry that will be durable at an instant."""

    def __init__(self, journal: SlowJournal, seq: int) -> None:
        self._journal, self._seq = journal, seq

    @property
    def durable(self) -> bool:
        return self._journal.saved > self._seq

    @property
    def announceable(self) -> bool:
        return self.durable or self._journal.trouble is not None


class SlowJournal(MemoryJournal):
    """A journal whose commits take their time, by the clock of the test, one after another."""

    def __init__(self, clock: ManualClock, takes: Micros, game: Any = None) -> None:
        super().__init__(game or kinapa_header())
        self.clock, self.takes = clock, takes
        self.trouble: StorageFailure | None = None  # type: ignore[assignment]
        self._commits: list[tuple[Micros, int]] = []

    @property
    def saved(self) -> int:
        if self.trouble is not None:
            return 0
        return max((length for done, length in self._commits if done <= self.clock.now()), default=0)

    def append(self, entry: Entry[Event], outcome: Outcome | None = None) -> Promised:  # type: ignore[override]
        super().append(entry, outcome)
        return Promised(self, entry.seq)

    def flush(self) -> None:
        length = len(self.entries)
        if not self._commits or self._commits[-1][1] < length:
            begun = max(self.clock.now(), self._commits[-1][0] if self._commits else 0)
            self._commits.append((begun + self.takes, length))

    def when_durable(self, seq: int) -> Micros:
        return next(done for done, length in self._commits if length > seq)


def kinapa_header(players: int = 4, **options: Any) -> Any:
    return make_header("kinapa", Setup(tuple(range(players)), KinapaOptions(**options)))


# Games ------------------------------------------------------------------------------------------------------


def first(choices: int) -> int:
    """Chance that always draws the first lot."""
    return 0


def lantern_game(journal: Journal | None = None, **more: Any) -> RefereedGame:
    return RefereedGame(Referee(LANTERN, journal or MemoryJournal(header())), chance=first, **more)


def kinapa_game(journal: Journal | None = None, *, rules: Kinapa | None = None, **more: Any) -> RefereedGame:
    referee = Referee(rules or KINAPA, journal or MemoryJournal(kinapa_header()))
    return RefereedGame(referee, chance=first, **more)


def said(at: Micros, seat: int, verb: str, value: str | int | None = None) -> ob.ActionDeclared:
    return ob.ActionDeclared(at=at, action=Action(seat, verb, value))


def looked(at: Micros, name: str, *cards: str) -> ob.TableSeen:
    """A reading of one place that settled at `at`."""
    faces = tuple(ob.SeenCard(card) for card in cards)
    return ob.TableSeen(
        at=at, regions=(ob.RegionReading(name, faces, max(0, at - 900_000), max(0, at - 600_000)),)
    )


def on_time(seen: Iterable[ob.Observation]) -> list[Report]:
    """Delivered the very moment they happened."""
    return [(one.at, one) for one in seen]


LANTERN_COUNT = ob.CueHeard(at=4 * SECOND, cue="count")
LANTERN_END = LANTERN_COUNT.at + 3 * SECOND


def lantern_count() -> list[Report]:
    """Seat 0 lays, turns and names; the count is heard from 4 to 7 s. Chair 4 may catch."""
    return on_time([*before_the_count()[1:], LANTERN_COUNT])


FIRST_BEAT = 4 * SECOND
LOCK = FIRST_BEAT + 3 * SECOND


def kinapa_count(number: int = 7) -> list[Report]:
    """Seat 0 has the cat and announces at 3 s; the first beat is heard at 4 s, hands lock at 7 s."""
    cue = ob.CueHeard(at=FIRST_BEAT, cue="kinapa.count", attempt=1)
    return [
        *on_time([said(SECOND, 0, "claim_cat"), said(3 * SECOND, 0, "announce", number)]),
        (3_100 * MILLI, cue),
    ]


def run(
    game: RefereedGame, reports: Iterable[Report], *, until: Micros, frames: Iterable[Micros] = ()
) -> None:
    """Deliver and step; each frame as long as `frames` says, then 5 ms each."""
    waiting = sorted(reports, key=lambda report: report[0])
    lengths = iter(frames)
    now = 0
    while now < until:
        now = min(until, now + next(lengths, 5 * MILLI))
        while waiting and waiting[0][0] <= now:
            at, seen = waiting.pop(0)
            game.post(seen, at)
        game.step(now)


def causes(game: RefereedGame, *kinds: type) -> list[Any]:
    return [e.cause for e in game.referee.journal.entries if not kinds or isinstance(e.cause, kinds)]


def events(game: RefereedGame, *kinds: type) -> list[Any]:
    every = (event for entry in game.referee.journal.entries for event in entry.events)
    return [event for event in every if not kinds or isinstance(event, kinds)]


# What goes out ----------------------------------------------------------------------------------------------


class ListVoice:
    """A voice that keeps when it said what; with a card its cues sound at once."""

    def __init__(self, clock: ManualClock, *, available: bool = True) -> None:
        self.clock = clock
        self.available = available
        self.count_finished = True
        self.pack: VoicePack | None = None
        self.caption: Sentence | None = None
        self.said: list[tuple[Micros, Sentence]] = []
        self.cues: list[tuple[Micros, Cue]] = []
        self.effects: list[SoundEffect] = []
        self.stopped: list[Micros] = []
        self.deaf = False
        """The sound card takes cues and never begins one."""
        self._due: list[Cue] = []

    def announce(
        self, sentences: Sequence[Sentence], urgent: Collection[str] = (), quiet: Collection[str] = ()
    ) -> None:
        self.say(sentences, urgent)

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = ()) -> None:
        self.said += [(self.clock.now(), sentence) for sentence in sentences]

    def play_effect(self, name: SoundEffect) -> None:
        self.effects.append(name)

    def play_cue(self, cue: Cue) -> None:
        self.cues.append((self.clock.now(), cue))
        if self.available and not self.deaf:
            self._due.append(cue)

    def stop_cue(self) -> None:
        self.stopped.append(self.clock.now())
        self._due.clear()

    def poll(self, now: Micros) -> tuple[CueStarted, ...]:
        due, self._due = self._due, []
        return tuple(CueStarted(cue, now + LEAD_IN) for cue in due)

    def set_language(self, language: Language) -> None:
        """It says keys in every language."""

    def use_device(self, name: str) -> None:
        self.device = name

    def set_pack(self, pack: VoicePack | None) -> None:
        self.pack = pack

    def set_pace(self, *, slow: bool) -> None:
        """Nothing is heard of it."""

    def set_volume(self, volume: int, *, mute: bool = False) -> None:
        """Nothing is heard of it."""

    def words(self) -> list[str]:
        return [sentence.key for _, sentence in self.said]


class ListLamps:
    """Lamps that keep when they changed to what."""

    def __init__(self) -> None:
        self.shown: list[tuple[Micros, dict[Chair, LampSignal]]] = []

    def show_states(self, states: Mapping[Chair, LampSignal], at: Micros) -> None:
        if not self.shown or self.shown[-1][1] != dict(states):
            self.shown.append((at, dict(states)))

    @property
    def now(self) -> dict[Chair, LampSignal]:
        return self.shown[-1][1]


class Loop:
    """A session, its clock, and everything that went out of it."""

    def __init__(
        self,
        *,
        takes: Micros = 0,
        sound: bool = True,
        rules: Kinapa | None = None,
        options: Options | None = None,
        journal: Journal | None = None,
        draws: bool = True,
        **pins: Any,
    ) -> None:
        """`pins` are the `level` and the `levels` of a `RefereedGame`."""
        self.clock = ManualClock()
        head = make_header("kinapa", Setup((0, 1, 2, 3), options or KinapaOptions()))
        self.journal = journal or SlowJournal(self.clock, takes, head)
        self.voice = ListVoice(self.clock, available=sound)
        self.lamps = ListLamps()
        self.asked: list[tuple[Micros, frozenset[str]]] = []
        self.views: list[tuple[Micros, View]] = []
        self.told: list[tuple[Micros, Announcement]] = []
        self.draws = draws
        """Whether there is a screen to flip."""
        self.session = Session(
            kinapa_game(self.journal, rules=rules, **pins),
            clock=self.clock,
            voice=self.voice,
            lamps=self.lamps,
            ask=lambda look: self.asked.append((self.clock.now(), look.regions)),
            listeners=[lambda ruling: self.told.append((self.clock.now(), ruling))],
        )

    @property
    def state(self) -> Any:
        return self.session.game.referee.state

    def run(self, until: Micros, *reports: Edge | ob.Observation, frame: Micros = 10 * MILLI) -> None:
        """Step up to `until`, delivering each report at its own instant."""
        waiting = sorted(reports, key=lambda seen: seen.at)
        while self.clock.now() < until:
            self.clock.move_to(min(until, self.clock.now() + frame))
            while waiting and waiting[0].at <= self.clock.now():
                self.session.submit(waiting.pop(0))
            self.session.step()
            view = self.session.view
            if not self.views or self.views[-1][1] != view:
                self.views.append((self.clock.now(), view))
            if self.draws:
                self.session.note_frame_shown(view)

    def after(self, *reports: Edge | ob.Observation, wait: Micros = 100 * MILLI) -> None:
        """Report now, and let it be judged."""
        for seen in reports:
            self.session.submit(seen)
        self.run(self.clock.now() + wait)

    def say(self, seat: int, verb: str, value: str | int | None = None, wait: Micros = 100 * MILLI) -> None:
        self.after(said(self.clock.now(), seat, verb, value), wait=wait)

    def see(self, name: str, *cards: str, wait: Micros = 100 * MILLI) -> None:
        self.after(looked(self.clock.now(), name, *cards), wait=wait)

    def begin(self) -> None:
        """Seat 0 holds cat 1 and is Emperor."""
        self.say(0, "claim_cat")

    def count(self, number: int, *raised: Chair) -> None:
        """Announce, and let these chairs press their buttons once the count runs."""
        self.say(self.state.emperor, "announce", number)
        for _ in range(1_000):
            if self.state.phase == "counting":
                break
            self.run(self.clock.now() + 10 * MILLI)
        for chair in raised:
            self.after(
                ob.ButtonPressed(at=self.clock.now(), chair=chair),
                ob.ButtonReleased(at=self.clock.now() + 1, chair=chair),
            )
        self.run(self.clock.now() + 4 * SECOND)
