"""A game at this table: senses in, voice, lamps and log out. Knows no pygame and no device.

Screen and lamps are drawn from state; the voice speaks what is new, once it is durable. So a recovery or an
undo redraws correctly and stays silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from msgspec import Struct

from companion import observations as ob
from companion.actions import SECOND, Chair, Cue, Look, Micros, Started
from companion.clock import Clock
from companion.events import Event
from companion.game import Game, Told
from companion.lockout import Edge
from companion.view import ChairView, Lamp, Sentence, View

Inbox = SimpleQueue[Edge | ob.Observation | None]
"""Everything every thread reports; None only wakes the loop."""

NUDGE: Micros = 45 * SECOND
"""After this long without action the voice says whose move it is."""
SILENT_LEAD: Micros = SECOND
"""Without a voice: from the frame that shows the announcement to the first beat."""
LOG_LENGTH = 60
UNREAD = "unknown"
"""What the recogniser calls a card that it does not know for certain."""


class Voice(Protocol):
    """What speaks, or cannot."""

    @property
    def available(self) -> bool: ...

    @property
    def caption(self) -> Sentence | None:
        """The sentence being told."""

    def say(self, sentences: Sequence[Sentence]) -> None: ...

    def play_cue(self, cue: Cue) -> None: ...

    def stop_cue(self) -> None: ...

    def poll(self, now: Micros) -> Iterable[Started]: ...


class Lamps(Protocol):
    """What glows."""

    def show(self, states: Mapping[Chair, Lamp], at: Micros) -> None: ...


class Line(Struct, frozen=True):
    """One ruling as the log may tell it now."""

    seq: int
    sentence: Sentence
    why: str
    taken_back: bool = False


class Reading(Struct, frozen=True):
    """The last thing taken for a fact, and what it could have been instead."""

    seq: int
    sentence: Sentence
    choices: tuple[tuple[Sentence, ob.Declared | None], ...]


def drained(inbox: Inbox) -> Iterator[Edge | ob.Observation]:
    """Everything that waits in the inbox now."""
    while True:
        try:
            seen = inbox.get_nowait()
        except Empty:
            return
        if seen is not None:
            yield seen


class Session:
    """The loop's business with one game; `step` is called whenever something may be due."""

    def __init__(
        self,
        game: Game,
        *,
        clock: Clock,
        inbox: Inbox,
        voice: Voice,
        lamps: Lamps | None = None,
        ask: Callable[[Look], None] | None = None,
        heard: Sequence[Callable[[Told], None]] = (),
    ) -> None:
        """`ask` hands a new Look to the camera; `heard` are told every durable entry."""
        self.game = game
        self.voice = voice
        self.news: tuple[Event, ...] = ()
        """The newest entry's rulings."""
        self.spoken: Sentence | None = None
        """The newest sentence told: what the screen shows of it."""
        self.unread: str | None = None
        """The awaited place whose card could not be read."""
        self._clock = clock
        self._inbox = inbox
        self._lamps = lamps
        self._ask = ask
        self._heard = tuple(heard)
        self._told_state = game.referee.state
        self._cue: Cue | None = None
        self._shown: Cue | None = None
        self._regions: frozenset[str] = frozenset()
        self._active = clock.now()
        self._log: tuple[int, tuple[Line, ...]] = (-1, ())

    def post(self, seen: Edge | ob.Observation) -> None:
        """Report something from the loop's own thread."""
        self._inbox.put(seen)

    def step(self) -> list[Told]:
        """Judge what is due, tell what is durable, ask what has to be asked; what was told now."""
        for seen in drained(self._inbox):
            self.take(seen)
        now = self._clock.now()
        self.game.step(now)
        told = self.game.told()
        for ruling in told:
            self._tell(ruling)
        self._keep_cue(now)
        self._keep_look(now)
        self._nudge(now)
        if self._lamps is not None:
            self._lamps.show(self.lamps(), now)
        return told

    def take(self, seen: Edge | ob.Observation) -> None:
        """Hand over something that left the inbox already."""
        now = self._clock.now()
        self.game.post(seen, now)
        self._active = now
        if isinstance(seen, ob.TableSeen):
            self._note_unread(seen)

    def _note_unread(self, seen: ob.TableSeen) -> None:
        """A card that is not certain is asked for, by its place."""
        for region in seen.regions:
            if region.name in self._regions:
                unread = any(face.card == UNREAD for face in region.faces)
                self.unread = region.name if unread else None if self.unread == region.name else self.unread

    # Telling ----------------------------------------------------------------------------------------------

    def _tell(self, told: Told) -> None:
        self._told_state = told.state
        rules = self.game.referee.rules
        sentences = [said for event in told.news if (said := rules.sentence(told.state, event)) is not None]
        if told.news:
            self.news = told.news
            self.unread = None
        if sentences:
            self.spoken = sentences[-1]
        awaited = rules.awaited_cue(told.state)
        if awaited is not None and awaited != self._cue:
            sentences = [
                said for said in sentences if not said.key.endswith((".NumberAnnounced", ".RecountAsked"))
            ]
        self.voice.say(sentences)
        for listener in self._heard:
            listener(told)

    def _keep_cue(self, now: Micros) -> None:
        """Announcement and count are one clip; it starts when the announcement may be told."""
        rules = self.game.referee.rules
        cue = None if self.game.referee.state.desk.paused else rules.awaited_cue(self._told_state)
        counting = rules.window_open(self.game.referee.state)
        if cue != self._cue and (cue is not None or not counting):
            if self._cue is not None and cue is None:
                self.voice.stop_cue()
            self._cue = cue
            if cue is not None:
                self.voice.play_cue(cue)
        for started in self.voice.poll(now):
            self._first_beat(started.cue, started.first_beat, "sound")

    def shown(self, cue: Cue | None) -> None:
        """A frame with this count was flipped: without a voice, that is what opens the window."""
        if cue is not None and cue != self._shown and not self.voice.available:
            self._shown = cue
            self._first_beat(cue, self._clock.now() + SILENT_LEAD, "screen")

    def _first_beat(self, cue: Cue, at: Micros, by: str) -> None:
        self.post(ob.CueHeard(at=at, cue=cue.name, attempt=cue.attempt, by=by))

    def _keep_look(self, now: Micros) -> None:
        look = self.game.referee.rules.look(self.game.referee.state, now)
        regions = frozenset() if look is None else look.regions
        if regions != self._regions:
            self._regions = regions
            if self._ask is not None:
                self._ask(look or Look(regions, now))

    def _nudge(self, now: Micros) -> None:
        if now - self._active < NUDGE:
            return
        self._active = now
        asked = [chair.chair for chair in self.game.view.chairs if chair.asked]
        if len(asked) == 1 and not self.game.over:
            self.voice.say([Sentence("shared.nudge", (("chair", asked[0]),))])

    # Showing ----------------------------------------------------------------------------------------------

    @property
    def watching(self) -> frozenset[str]:
        """The places where certainty is needed now."""
        return self._regions

    def lamps(self) -> dict[Chair, Lamp]:
        """Lamps from state, plus presses that are not judged yet: first light."""
        return {chair.chair: self._lamp(chair) for chair in self.game.view.chairs}

    def _lamp(self, chair: ChairView) -> Lamp:
        down = (chair.chair, "seat") in self.game.lit()
        return Lamp.LIT if down and chair.asked and chair.lamp is Lamp.SLOW else chair.lamp

    @property
    def view(self) -> View:
        return self.game.view

    def log(self) -> tuple[Line, ...]:
        """The newest rulings, oldest first, as they may be told now; what was taken back stays, marked."""
        entries = self.game.referee.journal.entries
        if self._log[0] != len(entries):
            self._log = len(entries), self._lines(entries[-4 * LOG_LENGTH :])
        return self._log[1]

    def _lines(self, entries: Sequence[Any]) -> tuple[Line, ...]:
        rules, state = self.game.referee.rules, self.game.referee.state
        standing = {entry.seq for entry in self.game.referee.standing()}
        lines = [
            Line(entry.seq, sentence, rules.why(event), entry.seq not in standing)
            for entry in entries
            for event in (*entry.events, *(event for again in entry.rejudged for event in again.events))
            if (sentence := rules.sentence(state, event, log=True)) is not None
        ]
        return tuple(lines[-LOG_LENGTH:])

    def last_reading(self) -> Reading | None:
        """What the table may say was otherwise: the newest ruling on something seen or said."""
        referee = self.game.referee
        rules = referee.rules
        for entry in islice(referee.standing(), LOG_LENGTH):
            told = next(
                (said for e in entry.events if (said := rules.sentence(referee.state, e, log=True))), None
            )
            if told is None or not referee.correctable(entry.seq):
                continue
            before = referee.state_before(entry.seq)
            choices: list[tuple[Sentence, ob.Declared | None]] = [
                (rules.label(before, action), ob.Declared(at=entry.cause.at, action=action))
                for action in sorted(rules.alternatives(before, entry.cause), key=str)
            ]
            return Reading(entry.seq, told, (*choices, (Sentence("ui.correct.did_not_happen"), None)))
        return None

    def next_due(self) -> Micros | None:
        """When `step` has something to do, if nothing is reported before."""
        return self.game.next_due()
