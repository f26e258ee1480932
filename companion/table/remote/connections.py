"""Exchanges messages with phones, watchers, the club in every round of the loop."""

from companion.core.actions import Chair, Micros
from companion.network.messages import FromTable
from companion.system.fault_isolation import FaultIsolation
from companion.table.navigation import Navigation
from companion.table.notices import Notices
from companion.table.remote.phone_commands import PhoneControl
from companion.table.remote.public_view import Outlet, PublicTable
from companion.table.runtime import AppParts
from companion.ui import commands as do


class OutletGroup:
    """Several doors that get the same; each passes on what is on its own list."""

    def __init__(self, *outlets: Outlet) -> None:
        self._outlets = outlets

    @property
    def has_readers(self) -> bool:
        return any(one.has_readers for one in self._outlets)

    @property
    def connection_count(self) -> int:
        return sum(one.connection_count for one in self._outlets)

    def broadcast(self, message: FromTable) -> None:
        for one in self._outlets:
            one.broadcast(message)


class Connections:
    """What passes in before the game judges, and out after it has; each part may fail alone."""

    def __init__(
        self, navigation: Navigation, notices: Notices, parts: FaultIsolation, around: AppParts
    ) -> None:
        self._at = navigation
        self._notices = notices
        self._parts = parts
        self.public: PublicTable | None = None
        """What is sent to everybody who reads along."""
        phones = around.phones
        self._phones = None if phones is None else PhoneControl(phones, navigation, notices, around.runner)
        self._club = around.club

    def receive_messages(self) -> None:
        """Before the game judges."""
        if self._phones is not None:
            self._parts.run("phones", self._phones.receive_messages, None)
        if self._club is not None:
            self._parts.run("club", self._club.receive_messages, None)

    def send_updates(self, now: Micros) -> None:
        """After it has judged."""
        session = self._at.session
        if self._phones is not None:
            self._parts.run("phones", self._phones.send_updates, None)
        if (public := self.public) is not None:
            self._parts.run("door", lambda: public.send_changes(session, now), None)
        if (club := self._club) is not None:
            self._parts.run("club", lambda: club.send_updates(session), None)

    def lamp_override(self) -> frozenset[Chair] | None:
        """The lamps that glow instead of a game's, on a page that has the buttons; elsewhere None."""
        return None if self._phones is None else self._phones.lamp_override()

    def carry_out(self, command: do.ManagePhones | do.CallJudge) -> None:
        """What somebody at the screen wants of them."""
        match command:
            case do.ManagePhones() if self._phones is not None:
                self._phones.carry_out(command)
            case do.CallJudge() if self._club is not None:
                self._notices.show(self._club.toggle_judge_call())
