"""The app's business with other processes: phones and watchers by one door, the club by another."""

from companion.core.actions import Chair, Micros
from companion.doors.messages import FromTable
from companion.referee.parts import Parts
from companion.table.around import Around
from companion.table.by_phone import ByPhone
from companion.table.navigation import Navigation
from companion.table.notices import Notices
from companion.table.public import Outlet, PublicTable
from companion.ui import commands as do


class Outlets:
    """Several doors that get the same; each passes on what is on its own list."""

    def __init__(self, *outlets: Outlet) -> None:
        self._outlets = outlets

    @property
    def read(self) -> bool:
        return any(one.read for one in self._outlets)

    @property
    def opened(self) -> int:
        return sum(one.opened for one in self._outlets)

    def tell(self, message: FromTable) -> None:
        for one in self._outlets:
            one.tell(message)


class Outside:
    """What passes in before the game judges, and out after it has; each part may fail alone."""

    def __init__(self, navigation: Navigation, notices: Notices, parts: Parts, around: Around) -> None:
        self._at = navigation
        self._notices = notices
        self._parts = parts
        self.public: PublicTable | None = None
        """What is sent to everybody who reads along."""
        phones = around.phones
        self._phones = None if phones is None else ByPhone(phones, navigation, notices, around.runner)
        self._club = around.club

    def take_in(self) -> None:
        """Before the game judges."""
        if self._phones is not None:
            self._parts.run("phones", self._phones.take_in, None)
        if self._club is not None:
            self._parts.run("club", self._club.take_in, None)

    def tell(self, now: Micros) -> None:
        """After it has judged."""
        session = self._at.session
        if self._phones is not None:
            self._parts.run("phones", self._phones.tell, None)
        if (public := self.public) is not None:
            self._parts.run("door", lambda: public.look(session, now), None)
        if (club := self._club) is not None:
            self._parts.run("club", lambda: club.tell(session), None)

    def lamps(self) -> frozenset[Chair] | None:
        """The lamps that glow instead of a game's, on a page that has the buttons; elsewhere None."""
        return None if self._phones is None else self._phones.lamps()

    def carry_out(self, command: do.Phones | do.CallJudge) -> None:
        """What somebody at the screen wants of them."""
        match command:
            case do.Phones() if self._phones is not None:
                self._phones.carry_out(command)
            case do.CallJudge() if self._club is not None:
                self._notices.show(self._club.call())
