"""The table's link to its club: current game, calls for a judge, next pairing.

Everything here runs in the table's thread. What the uplink said waits in the outlet's queue until
`receive_messages`; what is played next is shown between games, and begins nothing.
"""

import secrets
from queue import SimpleQueue
from typing import Protocol

from msgspec.structs import replace

from companion.core.clock import wall_time
from companion.core.view import Sentence
from companion.network import uplink_messages as ms
from companion.network.messages import Message
from companion.network.uplink_messages import JudgeCall, TableTask
from companion.system.fault_isolation import drain_queue
from companion.table.session import Session
from companion.ui.frame import ClubAssignment, JudgeState

MAX_NICKNAME_LENGTH = 40
MAX_PLAYERS = 8
UNREACHABLE = "ui.club.unreachable"


class ClubChannel(Protocol):
    """Both ways of the uplink's door; `companion.network.table_server.UplinkServer`."""

    @property
    def has_readers(self) -> bool: ...
    @property
    def connection_count(self) -> int: ...

    incoming_tasks: SimpleQueue[ms.NextTask | ms.BrokerStatus | None]

    def broadcast(self, message: Message) -> None: ...


class TableClub:
    """What the table sends to the club, and what the club says to it."""

    def __init__(self, outlet: ClubChannel) -> None:
        self._outlet = outlet
        self._opened = 0
        self._playing: ms.CurrentGame | None = None
        self._call: JudgeCall | None = None
        self._task: TableTask | None = None
        self._linked = ms.BrokerStatus(now=False)

    # What people at the table do --------------------------------------------------------------------------

    def toggle_judge_call(self) -> Sentence:
        """A judge is wanted, or no more if one was; what is to be said of it."""
        if self._call is None or self._call.taken_back:
            self._call = JudgeCall(secrets.token_hex(8), wall_time())
            said = "ui.judge.asked" if self._linked.now else "ui.judge.waits"
        else:
            self._call, said = replace(self._call, taken_back=True), "ui.judge.taken_back"
        self._outlet.broadcast(ms.JudgeCallMessage(self._call))
        return Sentence(said)

    # What the screen shows --------------------------------------------------------------------------------

    def judge_state(self) -> JudgeState:
        """Whether a judge can be asked for at this table, or is."""
        if self._call is not None and not self._call.taken_back:
            return "wanted"
        return "free" if self._outlet.has_readers else ""

    def club_assignment(self) -> ClubAssignment | None:
        """What the desk wants played here next."""
        task = self._task if self._outlet.has_readers else None
        return None if task is None else ClubAssignment(task.game, task.round, task.players)

    def warnings(self) -> tuple[Sentence, ...]:
        """What somebody has to do so that the club hears this table; a broker that is away is waited for."""
        trouble = self._linked.trouble if self._outlet.has_readers else ""
        return () if trouble in {"", UNREACHABLE} else (Sentence(trouble),)

    # Both ways --------------------------------------------------------------------------------------------

    def receive_messages(self) -> None:
        """Hear everything that waits."""
        for said in drain_queue(self._outlet.incoming_tasks):
            match said:
                case None:
                    self._linked = ms.BrokerStatus(now=False)
                    if not self._outlet.has_readers:
                        self._task = None
                case ms.NextTask():
                    self._task = said.task if said.task is None or _is_displayable(said.task) else None
                case ms.BrokerStatus():
                    self._linked = said

    def send_updates(self, session: Session | None) -> None:
        """Tell what is on, as far as it is durable, when that changed."""
        if not self._outlet.has_readers:
            self._playing = None
            return
        if self._outlet.connection_count != self._opened:
            self._opened, self._playing = self._outlet.connection_count, None
            self._outlet.broadcast(ms.JudgeCallMessage(self._call))
        playing = _current_game_message(session)
        if playing is not None and _is_worth_sending(self._playing, playing):
            self._playing = playing
            self._outlet.broadcast(playing)


def _current_game_message(session: Session | None) -> ms.CurrentGame | None:
    """What is on; None while that is only being written down."""
    if session is None:
        return ms.CurrentGame()
    if session.game.waiting:
        return None
    referee = session.game.referee
    journal = referee.journal
    number = getattr(journal, "game", None)  # a journal in memory has none
    if journal.header.kind != "game" or number is None or session.game.trouble is not None:
        return ms.CurrentGame()
    over = referee.rules.outcome(referee.state) is not None
    return ms.CurrentGame(number, journal.header.game, len(journal.entries), over)


def _is_worth_sending(before: ms.CurrentGame | None, now: ms.CurrentGame) -> bool:
    """Whether the uplink has to know: the entries alone count only once there is an outcome."""
    if before is None or (before.number, before.over) != (now.number, now.over):
        return True
    return now.over and before.entries != now.entries


def _is_displayable(task: TableTask) -> bool:
    """Whether what a desk says can be shown."""
    return len(task.players) <= MAX_PLAYERS and all(
        0 < len(one) <= MAX_NICKNAME_LENGTH and one.isprintable() for one in task.players
    )
