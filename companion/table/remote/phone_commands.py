"""Executes the screen's commands about phones: admit them, grant chairs, send them away."""

from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.network.messages import BrowserProblemKind
from companion.referee.phone_chairs import PHONE_SOURCE
from companion.table.host import PageProcess
from companion.table.navigation import Navigation
from companion.table.notices import Notices
from companion.table.remote.phone_seats import TablePhones
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.board.setup_overlays import with_player


class PhoneControl:
    """Opens and closes the table to phones, grants chairs, and passes on what phones say."""

    def __init__(
        self, phones: TablePhones, navigation: Navigation, notices: Notices, runner: PageProcess | None
    ) -> None:
        self._phones = phones
        self._at = navigation
        self._notices = notices
        self._runner = runner
        self._trouble: Sentence | None = None
        self._remarked: frozenset[BrowserProblemKind] = frozenset()
        self._session: Session | None = None

    def carry_out(self, command: do.ManagePhones) -> None:
        """What somebody at the table wants."""
        match command.what:
            case "open":
                if self._runner is not None:
                    self._runner.start()
                self._phones.admit_phones()
            case "close":
                self._phones.dismiss_phones()
            case "yes":
                if self._phones.grant_chair(command.chair):
                    self._seat_player(command.chair)
            case "no":
                self._phones.revoke_chair(command.chair)

    def _seat_player(self, chair: Chair) -> None:
        """A phone that got a chair before a game plays in it; in a demo the chair is theirs."""
        self._at.host.take_over_chair(chair)
        draft = self._at.ui_state.draft
        if self._at.session is None and chair not in draft.chairs:
            draft = with_player(draft, chair, self._at.names)
            self._at.ui_state = replace(self._at.ui_state, draft=draft)

    def lamp_override(self) -> frozenset[Chair] | None:
        """On the page where a chair's button says yes, the chairs that are asked for; elsewhere None."""
        return self._phones.requested_chairs if self._at.page == "phones" else None

    def receive_messages(self) -> None:
        """Before the game judges."""
        demo = self._at.host.demo_info()
        self._phones.receive_messages(self._at.session, 1.0 if demo is None else demo.speed)
        self._report_remarks()
        trouble = None if self._runner is None else self._runner.trouble()
        if trouble is not None and trouble != self._trouble:
            self._notices.show(trouble)
        self._trouble = self._phones.page_trouble = trouble

    def _report_remarks(self) -> None:
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
            if session is not None and _has_phone_presses(session) and not self._phones.held_chairs()[0]:
                self._notices.show_and_say(Sentence("shared.phones.again"), session)

    def send_updates(self) -> None:
        """After it has judged."""
        self._phones.send_updates()


def _has_phone_presses(session: Session) -> bool:
    """Whether phones pressed in what is stored of this game."""
    presses = (entry.cause for entry in session.game.referee.journal.entries)
    return any(getattr(cause, "source", "") == PHONE_SOURCE for cause in presses)
