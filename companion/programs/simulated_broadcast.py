"""Plays simulated games one after another, for the web page in a child process."""

import secrets
from collections.abc import Iterator, Sequence
from itertools import count, cycle
from pathlib import Path

from companion.core.actions import SECOND, Chair, Micros
from companion.core.clock import Clock, GameClock
from companion.games import RULES, check_player_count, find_game_rules
from companion.network.table_server import TableServer
from companion.programs.build_app import build_app, build_runtime
from companion.programs.child_programs import start_child, start_owner_responder
from companion.programs.simulated_host import DemoHost, build_guest_demo
from companion.settings.model import Settings
from companion.system.fault_isolation import report_thread_failures, run_and_log
from companion.system.signals import stop_on_signals
from companion.system.terminal import print_lines
from companion.table.app import App
from companion.table.remote.phone_seats import TablePhones
from companion.table.runtime import AppParts, Runtime, chair_colours, run_loop
from companion.ui.commands import ManagePhones, ShowPage

DEFAULT_SEATS = 4
GRANT_AFTER: Micros = 1_500_000
"""How long somebody who sits there takes to see that a phone asks for the chair, and to press its button."""
WINNER_TIME: Micros = 15 * SECOND
"""How long a winner stands before the next game."""


def run_broadcast(
    settings: Settings,
    *,
    game: str | None,
    seats: int | None,
    seed: int,
    host: str,
    port: int,
    tls: Sequence[Path] = (),
) -> int:
    """Play until somebody stops it (0), or the page ends first (its exit code).

    `tls`: the files of certificate and key, if it is served by TLS.
    """
    named = _playable_games(game, seats)
    shared = build_runtime(settings, GameClock(), silent=True)
    hosts = _demo_hosts(settings, shared, named, seats=seats, seed=seed)
    return run_with_page(settings, shared, hosts, seats=seats or DEFAULT_SEATS, host=host, port=port, tls=tls)


def run_with_page(
    settings: Settings,
    shared: Runtime,
    hosts: Iterator[DemoHost],
    *,
    seats: int,
    host: str,
    port: int,
    tls: Sequence[Path] = (),
) -> int:
    """Play these games one after another, with the page beside them.

    The page is in a session of its own: Ctrl-C stops the table, and the page follows it.
    """
    server = TableServer(run=secrets.token_hex(8), table=settings.phone_display_name(), wake=shared.wake_loop)
    with stop_on_signals(shared.request_stop) as signals:
        words = ("--certificate", str(tls[0]), "--key", str(tls[1])) if tls else ()
        page = start_child(server, "page", "--host", host, "--port", str(port), *words)
        print_lines(
            f"The owner's PIN, for http://…:{port}/games: {start_owner_responder(server, settings).pin}"
        )
        colours = chair_colours(settings)
        phones = TablePhones(
            server, shared.clock, colours[:seats], settings.phone_display_name(), simulated=True
        )
        phones.admit_phones()
        first = next(hosts)
        around = AppParts(session=first.session, demo=lambda _: next(hosts), door=server, phones=phones)
        app = build_app(settings, first, shared, around, draws=False)
        table = SimulatedBroadcast(app, phones, shared.clock)
        try:
            with report_thread_failures(shared.parts, shared.wake_loop):
                run_loop(table, shared.clock, shared.inbox, over=lambda: page.poll() is not None)
        finally:
            signals.cancel_forced_exit()
            run_and_log("Closing the table", app.close)
            server.close()
    ended = page.wait()
    return 0 if table.quit_requested else ended


def _playable_games(game: str | None, seats: int | None) -> list[str]:
    """The games that are played; `InputError` where this one cannot be, or none with this many people."""
    if game is None:
        fits = [name for name, rules in RULES.items() if seats is None or seats in rules.players]
        if fits:
            return fits
    rules = find_game_rules(game)
    if seats is not None:
        check_player_count(rules, seats, bot=False)
    return [rules.name]


def _demo_hosts(
    settings: Settings, shared: Runtime, named: list[str], *, seats: int | None, seed: int
) -> Iterator[DemoHost]:
    """One game after another, each with a seed of its own."""
    for number, name in zip(count(seed), cycle(named), strict=False):
        rules = RULES[name]
        people = seats or min(max(DEFAULT_SEATS, rules.players[0]), rules.players[-1])
        shared.clock.restart()
        everybody = frozenset(range(people))  # any of them may get up for a phone in the middle of the game
        options = settings.house_rules(name).adapt_to_phones(everybody, everybody, everybody)
        yield build_guest_demo(rules, options, shared, seats=people, seed=number)


class SimulatedBroadcast:
    """The rounds of a table without a screen: its people make room for phones, and play game after game."""

    def __init__(self, app: App, phones: TablePhones, clock: Clock) -> None:
        self.next_due = app.next_due
        self._app = app
        self._phones = phones
        self._clock = clock
        self._asked_since: dict[Chair, Micros] = {}
        """Since when the people at the table see that a phone asks for a chair."""
        self._ended: Micros | None = None

    @property
    def quit_requested(self) -> bool:
        return self._app.quit_requested

    def run_once(self) -> None:
        """One round; the next game once a winner was looked at."""
        now, session = self._clock.now(), self._app.session
        self._grant_requests(now)
        self._app.run_once()
        if session is not None and not session.game.over:
            self._ended = None
        elif self._ended is None:
            self._ended = now
        elif now - self._ended > WINNER_TIME:
            self._app.carry_out(ShowPage("demo"))
            self._ended = None

    def _grant_requests(self, now: Micros) -> None:
        """The player on a chair that a phone asks for presses its button, and gets up."""
        self._asked_since = {
            chair: min(now, self._asked_since.get(chair, now)) for chair in self._phones.requested_chairs
        }
        for chair, since in self._asked_since.items():
            if now - since >= GRANT_AFTER:
                self._app.carry_out(ManagePhones("yes", chair))
        for chair in self._phones.held_chairs()[0]:
            self._app.host.take_over_chair(chair)
