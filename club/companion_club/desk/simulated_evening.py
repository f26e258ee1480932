"""Simulated club event with simulated players, on one machine and without a broker.

Every table plays real games of `companion.simulation`, which the real referee judges, and says of them what a
real table's uplink would say; a real hub takes it in. Only the broker between them is missing.
"""

import heapq
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from queue import Empty, SimpleQueue
from random import Random
from threading import Thread
from typing import Any, NamedTuple

from companion.core.actions import PALETTE, SECOND, Micros, Setup
from companion.core.clock import monotonic_ns, wall_time
from companion.games import RULES
from companion.referee.journal.json_lines import encode_lines
from companion.simulation.game_simulation import MAX_ENTRIES, GameSimulation, random_styles
from companion.system.terminal import print_lines
from companion_club import messages
from companion_club.desk import actions, entrants
from companion_club.desk.actions import Actor
from companion_club.desk.event import PairingRules, load_event
from companion_club.desk.refusal import DeskRefusalError
from companion_club.desk.web_app import DeskApp
from companion_club.hub.hub import Hub
from companion_club.hub.transport import Inbox, Loopback, TransportEnded

PEOPLE = (
    "Ada Ben Cleo Dora Emil Finn Greta Hugo Ines Jana Karim Lena Milo Nina Omar Paula Quinn Rosa Sami "
    "Tessa Uwe Vera Willa Xaver Yuki Zoe Anouk Bruno Carla Dario Elif Fabio Gitta Henri Ivana Jonas "
    "Kaja Luca Maeve Noor Otto Priya Rafael Selma Theo Ursula Viktor Wanda Yann Zita"
)
NAMES = tuple(PEOPLE.split())
ORGANISER = Actor(None, "simulation")
SEATING_TIME: Micros = 4 * SECOND
"""How long people need to sit down, before a table's game begins and its speed counts."""
ROUND_BREAK: Micros = 12 * SECOND
"""How long a round that is over stands before the simulated organiser draws the next."""
MAX_PIECE_LENGTH = 64_000
"""Letters of a journal in one message."""
CALLS, CALL_LASTS = 0.25, 60 * SECOND
"""The share of games in which somebody calls a judge, and after how long of real time they do without."""
Later = Callable[[Iterator[Micros], Micros], None]


class SimulatedClubOptions(NamedTuple):
    """What an evening is like."""

    tables: int = 12
    speed: float = 60.0
    """Game time per real time."""
    rounds: int = 3
    by_hand: bool = False
    """Rounds are left to the person at the desk."""
    game: str = ""
    seed: int = 1
    seating_time: Micros = SEATING_TIME
    round_break: Micros = ROUND_BREAK

    @property
    def people(self) -> int:
        """Nearly four at each table, so that there are pods of three as well."""
        return max(3, self.tables * 4 - 1)


class SimulatedClubTable:
    """A table of simulated people."""

    def __init__(self, slug: str, name: str, chance: Random, loopback: Loopback, *, later: Later) -> None:
        self.slug = slug
        self._later = later
        self._chance = chance
        self._loopback = loopback
        self._status: dict[str, Any] = {
            "run": secrets.token_hex(8),
            "store": f"{chance.getrandbits(128):032x}",
            "name": name,
        }
        self._games = 0
        self._entries = 0

    def send(self, kind: str, message: Any) -> None:
        self._loopback.publish_from_table(self.slug, kind, messages.encode_payload(message))

    def send_status(self, game: str = "") -> None:
        self.send(
            "status",
            messages.Status(
                online=True,
                game=game,
                at=wall_time(),
                results=self._games,
                entries=self._entries,
                **self._status,
            ),
        )

    def play_task(self, task: messages.TableTask) -> Iterator[Micros]:
        """Play what a task asks for; yields the game time of each ruling, and tells of it as it goes."""
        rules = RULES[task.game or self._choose_game(len(task.players))]
        setup = Setup(tuple(range(len(task.players))), rules.options())
        began, seed = wall_time(), self._chance.randrange(1 << 30)
        styles = random_styles(len(task.players), self._chance)
        simulation = GameSimulation(rules, setup, seed=seed, styles=styles)
        journal = simulation.referee.journal
        calls_at = self._chance.randrange(5, 40) if self._chance.random() < CALLS else -1
        self.send_status(rules.name)
        for number, _ in enumerate(simulation.run_entries()):
            if number == calls_at:
                call = messages.JudgeCall(secrets.token_hex(8), wall_time())
                self.send("call", call)
                self._later(self._withdraw_call(call), CALL_LASTS)
            if number > MAX_ENTRIES:
                break
            yield simulation.referee.at
        lines = tuple(line.decode().rstrip("\n") for line in encode_lines(journal.header, journal.entries))
        self._games += 1
        self._entries += len(journal.entries)
        result = messages.GameResult(
            store=self._status["store"],
            game_id=messages.make_game_id(self._status["store"], str(self._games)),
            entries=len(journal.entries),
            outcome=rules.outcome(simulation.referee.state),
            game=rules.name,
            players=tuple(
                messages.ResultPlayer(chair, PALETTE[chair], name) for chair, name in enumerate(task.players)
            ),
            began=began,
            ended=wall_time(),
            digest=messages.journal_digest(lines),
            task=task.id,
        )
        self.send("result", result)
        first = 0
        while first < len(lines):
            some = messages.cut_journal_slice(result, lines, first, MAX_PIECE_LENGTH)
            self.send("entries", some)
            first += len(some.lines)
        self.send("done", messages.TaskDone(task.id, result.game_id))
        self.send_status()

    def _withdraw_call(self, call: messages.JudgeCall) -> Iterator[Micros]:
        """One step: the table that asked does without; a judge who is on the way comes all the same."""
        self.send("call", messages.JudgeCall(call.id, call.at, taken_back=True))
        yield from ()

    def _choose_game(self, players: int) -> str:
        return self._chance.choice([name for name, rules in RULES.items() if players in rules.players])


class SimulatedClub:
    """All tables of the evening, and who organises it, in one thread."""

    def __init__(
        self,
        desk: DeskApp,
        wish: SimulatedClubOptions,
        event: int,
        *,
        say: Callable[[str], None] = print_lines,
    ) -> None:
        self._say = say
        self._desk = desk
        self._wish = wish
        self._event = event
        self._chance = Random(wish.seed)
        self._inbox = Inbox()
        self._tasks: SimpleQueue[tuple[SimulatedClubTable, messages.TableTask] | None] = SimpleQueue()
        self._loopback = Loopback(desk.club)
        self._hub = Hub(desk.engine, desk.club, self._loopback, self._inbox)
        self._due: list[tuple[int, int, Iterator[Micros]]] = []
        self._order = count()
        self._begun_tasks: set[str] = set()
        self._pulse = -1

    @contextmanager
    def run_in_thread(self) -> Iterator[None]:
        """Until the block ends."""
        hub, room = Thread(target=self._hub.run, name="hub"), Thread(target=self._run, name="room")
        self._loopback.connect(self._inbox)
        for number in range(1, self._wish.tables + 1):
            table = SimulatedClubTable(
                f"table-{number}",
                f"Table {number}",
                Random(f"{self._wish.seed} {number}"),
                self._loopback,
                later=self._schedule,
            )
            self._loopback.add_table(table.slug, partial(self._on_message, table))
            table.send_status()
        hub.start()
        room.start()
        try:
            yield
        finally:
            self._tasks.put(None)
            self._inbox.put(TransportEnded())
            room.join()
            hub.join()

    def _on_message(self, table: SimulatedClubTable, kind: str, payload: bytes) -> None:
        if kind == "task" and (task := messages.decode_payload(kind, payload)) is not None:
            self._tasks.put((table, task))

    def _run(self) -> None:
        if not self._wish.by_hand:
            self._schedule(self._organise(), self._wish.seating_time)
        while True:
            wait = max(0.0, (self._due[0][0] - monotonic_ns()) / 1e9) if self._due else None
            try:
                heard = self._tasks.get(timeout=wait)
            except Empty:
                _, _, going = heapq.heappop(self._due)
                if (after := next(going, None)) is not None:
                    self._schedule(going, after)
                continue
            if heard is None:
                return
            table, task = heard
            if task.id not in self._begun_tasks:
                self._begun_tasks.add(task.id)
                self._schedule(self._pace_game(table, task), self._wish.seating_time)

    def _schedule(self, going: Iterator[Micros], after: Micros) -> None:
        """Go on with it after so many microseconds of real time."""
        heapq.heappush(self._due, (monotonic_ns() + after * 1000, next(self._order), going))

    def _pace_game(self, table: SimulatedClubTable, task: messages.TableTask) -> Iterator[Micros]:
        """A game at the evening's speed: how long until each of its rulings."""
        before: Micros = 0
        for now in table.play_task(task):
            yield round((now - before) / self._wish.speed)
            before = now

    def _organise(self) -> Iterator[Micros]:
        """The organiser: draws a round, announces it, and waits for its results."""
        over_since = None
        while True:
            yield SECOND // 2
            with self._desk.reading_sessions() as session:
                evening = load_event(session, self._event)
            last = evening.last
            first = not evening.rounds
            if evening.event.state == "over":
                self._say("The evening is over. The desk stays open until Ctrl-C.")
                return
            if last is not None and last.open_pod_count and last.state != "draft":
                over_since = None
                continue
            over_since = over_since or monotonic_ns()
            if not first and monotonic_ns() - over_since < self._wish.round_break * 1000:
                continue
            over_since = None
            try:
                with self._desk.writing_sessions.begin() as session:
                    if len(evening.announced_rounds) >= self._wish.rounds:
                        actions.end_event(session, ORGANISER, self._event, evening.event.revision, over=True)
                    elif last is not None and last.state == "draft":
                        actions.announce_round(session, ORGANISER, last.id, last.revision)
                    else:
                        actions.draw_round(session, ORGANISER, self._event, len(evening.announced_rounds))
                        drawn = load_event(session, self._event).last
                        assert drawn is not None
                        actions.announce_round(session, ORGANISER, drawn.id, drawn.revision)
            except DeskRefusalError:
                continue  # somebody at the desk was faster


def prepare_event(desk: DeskApp, wish: SimulatedClubOptions) -> int:
    """The evening's event with its people; its number."""
    with desk.writing_sessions.begin() as session:
        event = actions.make_event(
            session, ORGANISER, name="Club evening", game=wish.game, rules=PairingRules(), seed=str(wish.seed)
        )
        names = [
            name if not again else f"{name} {again + 1}"
            for again in range(wish.people // len(NAMES) + 1)
            for name in NAMES
        ]
        entrants.enter_players(session, ORGANISER, event, names[: wish.people])
    return event


def print_summary(wish: SimulatedClubOptions) -> None:
    """What happens now."""
    how = "Rounds are yours: draw, announce." if wish.by_hand else f"{wish.rounds} rounds go by themselves."
    print_lines(
        f"{wish.tables} simulated tables, {wish.people} people, {wish.speed:g} times as fast as people. {how}"
    )
