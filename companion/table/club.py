"""The table's side of its club: which game is on, whether a judge is wanted, what is played next here.

Everything here runs in the table's thread. What the uplink said waits in the outlet's queue until `take_in`;
what is played next is shown between games, and begins nothing.
"""

import secrets
from queue import SimpleQueue
from typing import Protocol

from msgspec.structs import replace

from companion.core.clock import wall_time
from companion.core.view import Sentence
from companion.doors import uplink as ms
from companion.doors.messages import Message
from companion.doors.results import Call, Task
from companion.referee.parts import taken_out
from companion.table.session import Session
from companion.ui.frame import Judge, NextHere

LONGEST_NICKNAME = 40
MOST_PLAYERS = 8
UNREACHABLE = "ui.club.unreachable"


class Exchange(Protocol):
    """Both ways of the uplink's door; `companion.doors.uplink_door.UplinkDoor`."""

    read: bool
    opened: int
    said: SimpleQueue[ms.Next | ms.Linked | None]

    def tell(self, message: Message) -> None: ...


class TableClub:
    """What the table sends to the club, and what the club says to it."""

    def __init__(self, outlet: Exchange) -> None:
        self._outlet = outlet
        self._opened = 0
        self._playing: ms.Playing | None = None
        self._call: Call | None = None
        self._task: Task | None = None
        self._linked = ms.Linked(now=False)

    # What people at the table do --------------------------------------------------------------------------

    def call(self) -> Sentence:
        """A judge is wanted, or no more if one was; what is to be said of it."""
        if self._call is None or self._call.taken_back:
            self._call = Call(secrets.token_hex(8), wall_time())
            said = "ui.judge.asked" if self._linked.now else "ui.judge.waits"
        else:
            self._call, said = replace(self._call, taken_back=True), "ui.judge.taken_back"
        self._outlet.tell(ms.Judge(self._call))
        return Sentence(said)

    # What the screen shows --------------------------------------------------------------------------------

    def judge(self) -> Judge:
        """Whether a judge can be asked for at this table, or is."""
        if self._call is not None and not self._call.taken_back:
            return "wanted"
        return "free" if self._outlet.read else ""

    def next_here(self) -> NextHere | None:
        """What the desk wants played here next."""
        task = self._task if self._outlet.read else None
        return None if task is None else NextHere(task.game, task.round, task.players)

    def notes(self) -> tuple[Sentence, ...]:
        """What somebody has to do so that the club hears this table; a broker that is away is waited for."""
        trouble = self._linked.trouble if self._outlet.read else ""
        return () if trouble in {"", UNREACHABLE} else (Sentence(trouble),)

    # Both ways --------------------------------------------------------------------------------------------

    def take_in(self) -> None:
        """Hear everything that waits."""
        for said in taken_out(self._outlet.said):
            match said:
                case None:
                    self._linked = ms.Linked(now=False)
                    if not self._outlet.read:
                        self._task = None
                case ms.Next():
                    self._task = said.task if said.task is None or _is_sound(said.task) else None
                case ms.Linked():
                    self._linked = said

    def tell(self, session: Session | None) -> None:
        """Tell what is on, as far as it is durable, when that changed."""
        if not self._outlet.read:
            self._playing = None
            return
        if self._outlet.opened != self._opened:
            self._opened, self._playing = self._outlet.opened, None
            self._outlet.tell(ms.Judge(self._call))
        playing = _playing(session)
        if playing is not None and _changed(self._playing, playing):
            self._playing = playing
            self._outlet.tell(playing)


def _playing(session: Session | None) -> ms.Playing | None:
    """What is on; None while that is only being written down."""
    if session is None:
        return ms.Playing()
    if session.game.waiting:
        return None
    referee = session.game.referee
    journal = referee.journal
    number = getattr(journal, "game", None)  # a journal in memory has none
    if journal.header.kind != "game" or number is None or session.game.trouble is not None:
        return ms.Playing()
    over = referee.rules.outcome(referee.state) is not None
    return ms.Playing(number, journal.header.game, len(journal.entries), over)


def _changed(before: ms.Playing | None, now: ms.Playing) -> bool:
    """Whether the uplink has to know: the entries alone count only once there is an outcome."""
    if before is None or (before.number, before.over) != (now.number, now.over):
        return True
    return now.over and before.entries != now.entries


def _is_sound(task: Task) -> bool:
    """Whether what a desk says can be shown."""
    return len(task.players) <= MOST_PLAYERS and all(
        0 < len(one) <= LONGEST_NICKNAME and one.isprintable() for one in task.players
    )
