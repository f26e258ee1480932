"""The app's business with phones: what people at the screen say about them, and who sits down by one."""

from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.doors.messages import Remark
from companion.referee.phones import PHONE
from companion.table.host import Runner
from companion.table.navigation import Navigation
from companion.table.notices import Notices
from companion.table.phones import TablePhones
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.gather import seated


class ByPhone:
    """Opens and closes the table to phones, grants chairs, and passes on what phones say."""

    def __init__(
        self, phones: TablePhones, navigation: Navigation, notices: Notices, runner: Runner | None
    ) -> None:
        self._phones = phones
        self._at = navigation
        self._notices = notices
        self._runner = runner
        self._trouble: Sentence | None = None
        self._remarked: frozenset[Remark] = frozenset()
        self._session: Session | None = None

    def carry_out(self, command: do.Phones) -> None:
        """What somebody at the table wants."""
        match command.what:
            case "open":
                if self._runner is not None:
                    self._runner.start()
                self._phones.open()
            case "close":
                self._phones.close()
            case "yes":
                if self._phones.grant(command.chair):
                    self._sit_down(command.chair)
            case "no":
                self._phones.take_back(command.chair)

    def _sit_down(self, chair: Chair) -> None:
        """A phone that got a chair before a game plays in it; in a demo the chair is theirs."""
        self._at.host.seized(chair)
        draft = self._at.glass.draft
        if self._at.session is None and chair not in draft.chairs:
            draft = seated(draft, chair, self._at.names)
            self._at.glass = replace(self._at.glass, draft=draft)

    def lamps(self) -> frozenset[Chair] | None:
        """On the page where a chair's button says yes, the chairs that are asked for; elsewhere None."""
        return self._phones.asked if self._at.page == "phones" else None

    def take_in(self) -> None:
        """Before the game judges."""
        demo = self._at.host.demo()
        self._phones.take_in(self._at.session, 1.0 if demo is None else demo.speed)
        self._remark()
        trouble = None if self._runner is None else self._runner.trouble()
        if trouble is not None and trouble != self._trouble:
            self._notices.show(trouble)
        self._trouble = self._phones.page_trouble = trouble

    def _remark(self) -> None:
        """Tell once what the page said of browsers, and that a game which goes on was played by phones."""
        session = self._at.session
        remarked = frozenset(self._phones.remarked)
        for what in sorted(remarked - self._remarked):
            if what == "guessed":
                self._notices.show_and_say(Sentence("shared.phones.guessed"), session)
            else:
                self._notices.show(Sentence(f"ui.phones.{what}"))
        self._remarked = remarked
        if session is not self._session:
            self._session = session
            if session is not None and _by_phones(session) and not self._phones.holding()[0]:
                self._notices.show_and_say(Sentence("shared.phones.again"), session)

    def tell(self) -> None:
        """After it has judged."""
        self._phones.tell()


def _by_phones(session: Session) -> bool:
    """Whether phones pressed in what is stored of this game."""
    presses = (entry.cause for entry in session.game.referee.journal.entries)
    return any(getattr(cause, "source", "") == PHONE for cause in presses)
