"""Sends the public view of the table to its watchers when it changes."""

from collections.abc import Callable
from typing import Protocol

from companion.core import clock
from companion.core.actions import SECOND, Micros
from companion.core.exhibits import PhotoFinish
from companion.core.phone_clock import Nanos
from companion.core.view import Cell, ChairView, ClockView, CountView, Sentence
from companion.core.view import View as Table
from companion.network.messages import (
    ChoiceLabel,
    CountBeat,
    CountWindow,
    FromTable,
    GuidanceMessage,
    PhotoFinishMessage,
    PublicCell,
    PublicChair,
    PublicClock,
    RulingMessage,
    TableSnapshot,
)
from companion.table.session import Session


class Outlet(Protocol):
    """Where messages go; `companion.network.table_server.TableServer`."""

    @property
    def has_readers(self) -> bool:
        """Whether anybody reads now."""

    @property
    def connection_count(self) -> int:
        """Grows whenever a reader comes while there is none."""

    def broadcast(self, message: FromTable) -> None: ...


class PublicTable:
    """Looks at the game once a round, and sends what is new; without a reader it does nothing."""

    def __init__(
        self,
        outlet: Outlet,
        colours: tuple[str, ...],
        *,
        monotonic_ns: Callable[[], Nanos] = clock.monotonic_ns,
    ) -> None:
        self._outlet = outlet
        self._monotonic_ns = monotonic_ns
        self._colours = colours
        self._opened = 0
        self._session: Session | None = None
        self._view: tuple[object, ...] = ()
        """What the last view was made of."""
        self._photo: PhotoFinish | None = None
        self._lesson: object = None
        self._counted: tuple[CountView | None, int] = (None, 0)
        """The window whose beats are sent, and how many of them were."""

    def send_changes(self, session: Session | None, now: Micros) -> None:
        """Tell what changed since it was last asked."""
        if not self._outlet.has_readers:
            if session is not None:
                session.announced_lines.clear()
            return
        if self._outlet.connection_count != self._opened or session is not self._session:
            self._restart(session)
        if session is None:
            if self._view != (None,):
                self._view = (None,)
                self._outlet.broadcast(TableSnapshot())
            return
        self._send_lines(session)
        self._send_view(session, now)
        if not session.game.waiting:  # else they may show what is not durable yet
            self._send_overlays(session)
        self._send_beats(session.announced_view.count, now)

    def _restart(self, session: Session | None) -> None:
        """Another game or a new reader: everything is sent again, but for what is only sent once."""
        self._opened, self._session = self._outlet.connection_count, session
        self._view, self._counted = (), (None, 0)
        self._photo = self._lesson = None
        self._outlet.broadcast(PhotoFinishMessage(None))
        self._outlet.broadcast(GuidanceMessage(None))
        if session is not None:
            session.announced_lines.clear()

    def _send_lines(self, session: Session) -> None:
        while session.announced_lines:
            self._outlet.broadcast(RulingMessage(*session.announced_lines.popleft()))

    def _send_view(self, session: Session, now: Micros) -> None:
        view, say = session.announced_view, session.caption
        unsaved = session.storage_alarm
        made_of = (session.announced_seq, view, say, unsaved)
        if made_of != self._view:
            self._view = made_of
            message = to_view_message(
                view,
                seq=session.announced_seq,
                colours=self._colours,
                say=say,
                why_unsaved=unsaved,
                to_monotonic=lambda at: self._monotonic_ns() - (now - at) * 1000,
            )
            self._outlet.broadcast(message)

    def _send_overlays(self, session: Session) -> None:
        """The race that is looked at, and what a lesson says."""
        exhibit = session.history.exhibit()
        photo = exhibit if isinstance(exhibit, PhotoFinish) else None
        if photo != self._photo:
            self._photo = photo
            self._outlet.broadcast(PhotoFinishMessage(photo))
        lesson = None if session.guide is None else session.guide.guidance()
        if lesson != self._lesson:
            self._lesson = lesson
            self._outlet.broadcast(GuidanceMessage(lesson))

    def _send_beats(self, count: CountView | None, now: Micros) -> None:
        """Each beat once it has fallen; one that a reader could only hear late is left out."""
        window, sent = self._counted
        if count is None or count.first_beat is None:
            self._counted = (None, 0)
            return
        beat = min(count.beats, 1 + (now - count.first_beat) // SECOND)
        if window != count:
            window, sent = count, max(0, beat - 1)
        if beat > sent:
            self._outlet.broadcast(CountBeat(beat=beat, beats=count.beats, number=count.number))
            sent = beat
        self._counted = window, sent


def to_view_message(
    view: Table,
    *,
    seq: int,
    colours: tuple[str, ...],
    say: Sentence | None = None,
    why_unsaved: Sentence | None = None,
    to_monotonic: Callable[[Micros], Nanos] = lambda _: 0,
) -> TableSnapshot:
    """The public table as a message: a copy of named fields, so that a new field of a view stays at home.

    `to_monotonic` turns game time into this machine's, by which the page knows how long a clock has run.
    """

    def told(one: ClockView | None) -> PublicClock | None:
        if one is None:
            return None
        return PublicClock(one.reading, None if one.since is None else to_monotonic(one.since), one.whole)

    def cell(one: Cell) -> PublicCell:
        return PublicCell(one.chair, one.motif, one.words, one.value, one.lit, told(one.clock))

    return TableSnapshot(
        seq=seq,
        unsaved=why_unsaved is not None,
        why_unsaved=why_unsaved,
        game=view.game,
        phase=view.phase,
        colours=colours,
        headline=view.headline,
        hint=view.hint,
        say=say,
        people=tuple(_to_person(chair, told(chair.clock)) for chair in view.chairs),
        bots=view.bots,
        places=view.places,
        card=view.card,
        heaps=view.heaps,
        decided=view.decided,
        rows=tuple(tuple(map(cell, row)) for row in view.rows),
        counting=_counting_message(view),
        dark=view.dark,
        paused=view.paused,
        outcome=view.outcome,
    )


def _to_person(chair: ChairView, clock: PublicClock | None) -> PublicChair:
    return PublicChair(
        chair=chair.chair,
        cards=chair.cards,
        tokens=chair.tokens,
        laid=chair.laid,
        raised=chair.raised,
        asked=chair.asked,
        choices=tuple(ChoiceLabel(one.label, one.press, one.marked) for one in chair.choices),
        note=chair.note,
        clock=clock,
    )


def _counting_message(view: Table) -> CountWindow | None:
    """A window that was announced or runs: nothing else lies over the table then."""
    count = view.count
    if count is None or (view.cue is None and count.first_beat is None):
        return None
    return CountWindow(count.number, count.beats)
