"""Exchanges messages with phones, watchers, the club in every round of the loop."""

from msgspec.structs import replace

from companion.core.actions import Chair, Micros
from companion.core.view import Sentence
from companion.network.messages import BrowserProblemKind, FromTable
from companion.referee.phone_chairs import PHONE_SOURCE
from companion.table.navigation import Navigation
from companion.table.remote.phone_seats import TablePhones
from companion.table.remote.public_view import Outlet, PublicTable
from companion.table.runtime import AppParts, Runtime
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.board.setup_overlays import with_name, with_player


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
        self, navigation: Navigation, shared: Runtime, around: AppParts, *, colours: tuple[str, ...]
    ) -> None:
        self._at = navigation
        self._parts = shared.parts
        self._public = None if around.door is None else PublicTable(around.door, colours)
        self._phones, self._club, self._runner = around.phones, around.club, around.runner
        self._page_trouble: Sentence | None = None
        self._remarked: frozenset[BrowserProblemKind] = frozenset()
        self._session: Session | None = None

    def receive_messages(self) -> None:
        """Before the game judges."""
        if (phones := self._phones) is not None:
            self._parts.run("phones", lambda: self._hear_phones(phones), None)
        if self._club is not None:
            self._parts.run("club", self._club.receive_messages, None)

    def send_updates(self, now: Micros) -> None:
        """After it has judged."""
        session = self._at.session
        if self._phones is not None:
            self._parts.run("phones", self._phones.send_updates, None)
        if (public := self._public) is not None:
            self._parts.run("door", lambda: public.send_changes(session, now), None)
        if (club := self._club) is not None:
            self._parts.run("club", lambda: club.send_updates(session), None)

    def lamp_override(self) -> frozenset[Chair] | None:
        """On the page where a chair's button says yes, the chairs that are asked for; elsewhere None."""
        asked = None if self._phones is None else self._phones.requested_chairs
        return asked if self._at.page == "phones" else None

    # What somebody at the table wants ---------------------------------------------------------------------

    def toggle_judge_call(self) -> None:
        if self._club is not None:
            self._at.show_notice(self._club.toggle_judge_call())

    def manage_phones(self, command: do.ManagePhones) -> None:
        """Open or close the table to phones, grant a chair or take it back."""
        phones = self._phones
        if phones is None:
            return
        match command.what:
            case "open":
                if self._runner is not None:
                    self._runner.start()
                    phones.firewall_remedy = self._runner.firewall_remedy
                phones.admit_phones()
            case "close":
                phones.dismiss_phones()
            case "yes":
                if phones.grant_chair(command.chair):
                    self._seat_player(phones, command.chair)
            case "no":
                phones.revoke_chair(command.chair)

    def _seat_player(self, phones: TablePhones, chair: Chair) -> None:
        """A phone that got a chair before a game plays in it; in a demo the chair is theirs."""
        self._at.host.take_over_chair(chair)
        draft, name = self._at.ui_state.draft, phones.player_name(chair)
        if self._at.session is not None:
            return
        if chair not in draft.chairs:
            draft = with_player(draft, chair, self._at.names)
        if name:
            draft = with_name(draft, chair, name)
        self._at.ui_state = replace(self._at.ui_state, draft=draft)

    # What phones say --------------------------------------------------------------------------------------

    def _hear_phones(self, phones: TablePhones) -> None:
        demo = self._at.host.demo_info()
        phones.receive_messages(self._at.session, 1.0 if demo is None else demo.speed)
        self._report_remarks(phones)
        trouble = None if self._runner is None else self._runner.trouble()
        if trouble is not None and trouble != self._page_trouble:
            self._at.show_notice(trouble)
        self._page_trouble = phones.page_trouble = trouble

    def _report_remarks(self, phones: TablePhones) -> None:
        """Tell once what the page said of browsers, and that a game which goes on was played by phones."""
        session, remarked = self._at.session, frozenset(phones.remarked)
        for what in sorted(remarked - self._remarked):
            key = "shared.phones.guessed" if what == "guessed" else f"ui.phones.{what}"
            self._at.show_notice(Sentence(key), aloud=what == "guessed")
        self._remarked = remarked
        if session is not self._session:
            self._session = session
            if session is not None and _has_phone_presses(session) and not phones.held_chairs()[0]:
                self._at.show_notice(Sentence("shared.phones.again"), aloud=True)


def _has_phone_presses(session: Session) -> bool:
    """Whether phones pressed in what is stored of this game."""
    presses = (entry.cause for entry in session.game.referee.journal.entries)
    return any(getattr(cause, "source", "") == PHONE_SOURCE for cause in presses)
