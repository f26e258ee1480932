"""A table of simulated people that plays one game after another, and the page beside it as a child."""

import secrets
from collections.abc import Iterator
from itertools import count, cycle

from companion.core.actions import SECOND, Chair, Micros
from companion.core.clock import GameClock
from companion.core.observations import ShutdownRequested
from companion.doors.door import Door
from companion.games import RULES
from companion.games.asked import game_named, sits_down
from companion.referee.parts import caught, watched_threads
from companion.run.build_app import build_shared
from companion.run.child import started
from companion.run.demo_host import DemoHost, guest_demo
from companion.run.looks import colours_of
from companion.run.owner import owner_desk
from companion.run.stopping import stopped_in_order
from companion.settings.model import Settings
from companion.settings.terminal import say
from companion.table.phones import TablePhones
from companion.table.public import PublicTable
from companion.table.rounds import rounds
from companion.table.session import drained, wait_in
from companion.table.shared import Shared

SEATS = 4
PUMP: Micros = SECOND // 30
"""How often the table is looked at while nothing is reported."""
YES_AFTER: Micros = 1_500_000
"""How long somebody who sits there takes to see that a phone asks for the chair, and to press its button."""
LINGER: Micros = 15 * SECOND
"""How long a winner stands before the next game."""


def simulate(
    settings: Settings, *, game: str | None, seats: int | None, seed: int, host: str, port: int
) -> int:
    """Play until somebody stops it (0), or the page ends first (its exit code)."""
    named = _named(game, seats)
    shared = build_shared(settings, GameClock(), silent=True)
    hosts = _hosts(settings, shared, named, seats=seats, seed=seed)
    return beside_a_page(settings, shared, hosts, seats=seats or SEATS, host=host, port=port)


def beside_a_page(
    settings: Settings, shared: Shared, hosts: Iterator[DemoHost], *, seats: int, host: str, port: int
) -> int:
    """Play these games one after another, with the page beside them.

    The page is in a session of its own: Ctrl-C stops the table, and the page follows it.
    """
    door = Door(run=secrets.token_hex(8), table=settings.called(), wake=shared.wake)
    with stopped_in_order(shared.stop) as signals:
        page = started(door, "page", "--host", host, "--port", str(port))
        say(f"The owner's PIN, for http://…:{port}/games: {owner_desk(door, settings).pin}")
        colours = colours_of(settings)
        phones = TablePhones(door, shared.clock, colours[:seats], settings.called())
        phones.open()
        table = WatchedTable(shared, PublicTable(door, colours), phones, hosts)
        try:
            with watched_threads(shared.parts, shared.wake):
                rounds(table, over=lambda: page.poll() is not None)
        finally:
            signals.noticed()
            caught("Closing the table", table.close)
            door.close()
    ended = page.wait()
    return 0 if table.left else ended


def _named(game: str | None, seats: int | None) -> list[str]:
    """The games that are played; `InputError` where this one cannot be, or none with this many people."""
    if game is None:
        fits = [name for name, rules in RULES.items() if seats is None or seats in rules.players]
        if fits:
            return fits
    rules = game_named(game)
    if seats is not None:
        sits_down(rules, seats, bot=False)
    return [rules.name]


def _hosts(
    settings: Settings, shared: Shared, named: list[str], *, seats: int | None, seed: int
) -> Iterator[DemoHost]:
    """One game after another, each with a seed of its own."""
    for number, name in zip(count(seed), cycle(named), strict=False):
        rules = RULES[name]
        people = seats or min(max(SEATS, rules.players[0]), rules.players[-1])
        shared.clock.restart()
        everybody = frozenset(range(people))  # any of them may get up for a phone in the middle of the game
        options = settings.house_rules(name).for_phones(everybody, everybody, everybody)
        yield guest_demo(rules, options, shared, seats=people, seed=number)


class WatchedTable:
    """A table without a screen: it tells all through its door, and phones take chairs of it over."""

    def __init__(
        self, shared: Shared, public: PublicTable, phones: TablePhones, hosts: Iterator[DemoHost]
    ) -> None:
        self.left = False
        self._shared = shared
        self._public = public
        self._phones = phones
        self._asked: dict[Chair, Micros] = {}
        """Since when the people at the table see that a phone asks for a chair."""
        self._hosts = hosts
        self._host = next(hosts)
        self._ended: Micros | None = None

    def turn(self) -> None:
        """One round; the next game once a winner was looked at."""
        now, session = self._shared.clock.now(), self._host.session
        self._host.tick()
        for seen in drained(self._shared.inbox):
            if isinstance(seen, ShutdownRequested):
                self.left = True
                return
            session.take(seen)
        self._phones.take_in(session, self._shared.clock.speed)
        self._say_yes(now)
        session.step()
        session.shown(session.view)
        self._phones.tell()
        self._public.look(session, now)
        if not session.game.over:
            self._ended = None
        elif self._ended is None:
            self._ended = now
        elif now - self._ended > LINGER:
            self.close()
            self._host, self._ended = next(self._hosts), None

    def _say_yes(self, now: Micros) -> None:
        """The player on a chair that a phone asks for presses its button, and gets up."""
        self._asked = {chair: min(now, self._asked.get(chair, now)) for chair in self._phones.asked}
        for chair, since in self._asked.items():
            if now - since >= YES_AFTER:
                self._phones.grant(chair)
        for chair in self._phones.holding()[0] - self._host.table.people.seized:
            self._host.seized(chair)

    def wait(self) -> None:
        """Until something is reported or due."""
        clock = self._shared.clock
        dues = (clock.now() + PUMP, self._host.next_due(), self._host.session.next_due())
        wait_in(self._shared.inbox, clock, min(due for due in dues if due is not None))

    def close(self) -> None:
        """The game is put away."""
        self._host.put_away(self._host.session)
