"""What the table sends through its door: the public table, by the last durable ruling, when it changes."""

from typing import Protocol

from companion.core.actions import SECOND, Micros
from companion.core.exhibits import Finish
from companion.core.view import ChairView, CountView, Sentence
from companion.core.view import View as Table
from companion.doors.messages import (
    Count,
    Counting,
    FromTable,
    Lesson,
    Line,
    Offered,
    Person,
    Photo,
    View,
)
from companion.table.frames import said_now
from companion.table.session import Session


class Outlet(Protocol):
    """Where messages go; `companion.doors.door.Door`."""

    @property
    def read(self) -> bool:
        """Whether anybody reads now."""

    @property
    def opened(self) -> int:
        """Grows whenever a reader comes while there is none."""

    def tell(self, message: FromTable) -> None: ...


class PublicTable:
    """Looks at the game once a round, and sends what is new; without a reader it does nothing."""

    def __init__(self, outlet: Outlet, colours: tuple[str, ...]) -> None:
        self._outlet = outlet
        self._colours = colours
        self._opened = 0
        self._session: Session | None = None
        self._view: tuple[object, ...] = ()
        """What the last view was made of."""
        self._photo: Finish | None = None
        self._lesson: object = None
        self._counted: tuple[CountView | None, int] = (None, 0)
        """The window whose beats are sent, and how many of them were."""

    def look(self, session: Session | None, now: Micros) -> None:
        """Tell what changed since it was last asked."""
        if not self._outlet.read:
            if session is not None:
                session.lines.clear()
            return
        if self._outlet.opened != self._opened or session is not self._session:
            self._begin(session)
        if session is None:
            if self._view != (None,):
                self._view = (None,)
                self._outlet.tell(View())
            return
        self._tell_lines(session)
        self._tell_table(session)
        if not session.game.waiting:  # else they may show what is not durable yet
            self._tell_what_lies_over(session)
        self._tell_beats(session.announced_view.count, now)

    def _begin(self, session: Session | None) -> None:
        """Another game or a new reader: everything is sent again, but for what is only sent once."""
        self._opened, self._session = self._outlet.opened, session
        self._view, self._counted = (), (None, 0)
        self._photo = self._lesson = None
        self._outlet.tell(Photo(None))
        self._outlet.tell(Lesson(None))
        if session is not None:
            session.lines.clear()

    def _tell_lines(self, session: Session) -> None:
        while session.lines:
            self._outlet.tell(Line(*session.lines.popleft()))

    def _tell_table(self, session: Session) -> None:
        view, say = session.announced_view, said_now(session)
        unsaved = session.game.trouble is not None
        made_of = (session.announced_seq, view, say, unsaved)
        if made_of != self._view:
            self._view = made_of
            message = as_message(
                view, seq=session.announced_seq, colours=self._colours, say=say, unsaved=unsaved
            )
            self._outlet.tell(message)

    def _tell_what_lies_over(self, session: Session) -> None:
        """The race that is looked at, and what a lesson says."""
        exhibit = session.history.exhibit()
        photo = exhibit if isinstance(exhibit, Finish) else None
        if photo != self._photo:
            self._photo = photo
            self._outlet.tell(Photo(photo))
        lesson = None if session.guide is None else session.guide.guidance()
        if lesson != self._lesson:
            self._lesson = lesson
            self._outlet.tell(Lesson(lesson))

    def _tell_beats(self, count: CountView | None, now: Micros) -> None:
        """Each beat once it has fallen; one that a reader could only hear late is left out."""
        window, sent = self._counted
        if count is None or count.first_beat is None:
            self._counted = (None, 0)
            return
        fallen = min(count.beats, 1 + (now - count.first_beat) // SECOND)
        if window != count:
            window, sent = count, max(0, fallen - 1)
        if fallen > sent:
            self._outlet.tell(Count(beat=fallen, beats=count.beats, number=count.number))
            sent = fallen
        self._counted = window, sent


def as_message(
    view: Table, *, seq: int, colours: tuple[str, ...], say: Sentence | None = None, unsaved: bool = False
) -> View:
    """The public table as a message: a copy of named fields, so that a new field of a view stays at home."""
    return View(
        seq=seq,
        unsaved=unsaved,
        game=view.game,
        phase=view.phase,
        colours=colours,
        headline=view.headline,
        hint=view.hint,
        say=say,
        people=tuple(map(_person, view.chairs)),
        bots=view.bots,
        places=view.places,
        card=view.card,
        heaps=view.heaps,
        decided=view.decided,
        counting=_counting(view),
        dark=view.dark,
        paused=view.paused,
        outcome=view.outcome,
    )


def _person(chair: ChairView) -> Person:
    return Person(
        chair=chair.chair,
        cards=chair.cards,
        tokens=chair.tokens,
        laid=chair.laid,
        raised=chair.raised,
        asked=chair.asked,
        choices=tuple(Offered(one.label, one.press, one.marked) for one in chair.choices),
        note=chair.note,
    )


def _counting(view: Table) -> Counting | None:
    """A window that was announced or runs: nothing else lies over the table then."""
    count = view.count
    if count is None or (view.cue is None and count.first_beat is None):
        return None
    return Counting(count.number, count.beats)
