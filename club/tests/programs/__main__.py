"""`make club`: evenings with a real broker, database and real uplinks, while everything breaks."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from club.tests.hub.evening import recorded
from club.tests.hub.postgres import Postgres
from club.tests.programs.hub_process import Desk, HubProcess
from club.tests.programs.idle_tables import IdleTables, allow_connections
from club.tests.programs.net import Network
from club.tests.programs.real_table import RealTable
from club.tests.programs.recorded_table import RecordedTable
from companion_club.hub.ingest import is_complete
from companion_club.hub.model import Base, GameRecord, ResultVersion
from tests.home.servers import Broker

PATIENCE_S = 180


class Plan(NamedTuple):
    """What breaks in an evening."""

    cuts: int
    kills: int
    brokers: int
    databases: int
    quiet: int
    """Games that are played while nothing breaks, for the delays."""
    burst: int
    """Games a table that end at the same moment."""


class Evening:
    """Tables, a broker behind a network, a hub, and what breaks."""

    def __init__(self, stack: ExitStack, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.games = recorded()
        self.stack = stack
        self.broker = Broker()
        stack.callback(self.broker.close)
        self.postgres = Postgres()
        stack.callback(self.postgres.close)
        self.network = Network(self.broker.port)
        stack.callback(self.network.close)
        self.url = self.postgres.url
        self.log = folder / "hub.log"
        self.hub = HubProcess(self.network.port, self.url, folder / "hub.log")
        stack.callback(self.hub.close)
        self.desk = Desk(self.url)
        stack.callback(self.desk.close)
        self.tables: Sequence[RealTable | RecordedTable] = ()
        self.played: dict[str, float] = {}
        self._keys = 0

    def play(self, table: RealTable | RecordedTable) -> str:
        self._keys += 1
        game = table.play(str(self._keys), self.chance.choice(self.games))
        self.played[game] = time.monotonic()
        return game

    def all_seen(self) -> bool:
        return self.played.keys() <= self.desk.games.keys()

    def settle(self, what: str, patience_s: float = PATIENCE_S) -> None:
        if not self.desk.until(self.all_seen, patience_s):
            missing = len(self.played.keys() - self.desk.games.keys())
            print(self.log.read_text(encoding="utf-8")[-4000:])
            raise AssertionError(f"{what}: {missing} of {len(self.played)} games did not reach the desk")

    def quiet(self, games: int) -> tuple[list[float], list[float]]:
        """Games and calls one after the other; seconds from the ruling to the desk."""
        delays, calls = [], []
        for number in range(games):
            table = self.chance.choice(self.tables)
            game = self.play(table)
            assert self.desk.until(lambda: game in self.desk.games, PATIENCE_S)  # noqa: B023
            delays.append(self.desk.games[game] - self.played[game])
            call, at = f"{table.slug}-{number}", time.monotonic()
            table.call(call)
            assert self.desk.until(lambda: call in self.desk.calls, PATIENCE_S)  # noqa: B023
            calls.append(self.desk.calls[call] - at)
        return delays, calls

    def burst(self, each: int) -> float:
        """So many games at every table end at once; games a second until the desk has them all."""
        began = time.monotonic()
        for _ in range(each):
            for table in self.tables:
                self.play(table)
        self.settle("burst")
        return each * len(self.tables) / (time.monotonic() - began)

    def trouble(self, plan: Plan, full: Callable[[], None] | None) -> None:
        """Cut the network again and again, and break one thing more at some of the cuts."""
        more: dict[int, list[tuple[str, Callable[[], None]]]] = {}

        def spread(times: int, name: str, what: Callable[[int], Callable[[], None]]) -> None:
            for at in range(times):
                cut = (2 * at + 1) * plan.cuts // (2 * times)
                more.setdefault(cut, []).append((name, what(at)))

        spread(plan.kills, "hub killed", lambda _: self._kill_hub)
        spread(plan.brokers, "broker restarted", lambda at: lambda: self._restart_broker(at))
        spread(plan.databases, "database restarted", lambda at: lambda: self._restart_database(at))
        if full is not None:
            more.setdefault(plan.cuts // 3, []).append(("disk full", full))
        for cut in range(plan.cuts):
            before = len(self.desk.games)
            self.play(self.chance.choice(self.tables))
            self.network.cut()
            for table in self.chance.sample(self.tables, 2):
                self.play(table)
            for name, what in more.get(cut, ()):
                print(f"  cut {cut + 1}: {name}", flush=True)
                what()
            self.network.mend()
            self.desk.until(lambda: len(self.desk.games) > before, 20)  # noqa: B023

    def _kill_hub(self) -> None:
        self.network.mend()
        self.play(self.chance.choice(self.tables))
        self.desk.until(lambda: False, 1)
        self.hub.kill()
        self.play(self.chance.choice(self.tables))
        self.hub.start()

    def _restart_broker(self, at: int) -> None:
        """In order; and the second time as a power cut does, with all that it kept lost."""
        self.broker.stop(signal.SIGTERM if at % 2 == 0 else signal.SIGKILL)
        if at % 2:
            self.broker.lose_everything()
        self.broker.start()

    def _restart_database(self, at: int) -> None:
        self.network.mend()
        self.postgres.stop(signal.SIGINT if at % 2 == 0 else signal.SIGQUIT)
        for table in self.chance.sample(self.tables, 2):
            self.play(table)
        self.postgres.start()

    def found(self) -> tuple[int, int]:
        """How many games are lost, and how many are doubled."""

        def whole(session: Session) -> tuple[int, int]:
            games = {game.id: game for game in session.scalars(select(GameRecord))}
            kept = [
                one for one in self.played if one in games and games[one].outcome and is_complete(games[one])
            ]
            versions = session.scalar(select(func.count()).select_from(ResultVersion)) or 0
            strange = len(games.keys() - self.played.keys())
            return len(self.played) - len(kept), strange + versions - len(games)

        assert self.desk.until(lambda: self.desk.read(whole)[0] == 0, PATIENCE_S), self.desk.read(whole)
        result: tuple[int, int] = self.desk.read(whole)
        return result

    def sizes(self) -> tuple[int, int]:
        """Rows and bytes of the database."""

        ours = (
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )

        def measured(session: Session) -> tuple[int, int]:
            tables = Base.metadata.tables.values()
            rows = sum(session.scalar(select(func.count()).select_from(one)) or 0 for one in tables)
            return rows, int(session.scalar(text(ours)) or 0)

        result: tuple[int, int] = self.desk.read(measured)
        return result


def p95(delays: Sequence[float]) -> float:
    return sorted(delays)[max(0, round(0.95 * len(delays)) - 1)]


class Small:
    """A disk that can be filled: a file system in memory, where we may mount one."""

    def __init__(self, stack: ExitStack, at: Path) -> None:
        self.at = at
        at.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(at)], capture_output=True, check=False
        )
        self.mounted = done.returncode == 0
        if self.mounted:
            stack.callback(lambda: subprocess.run(["umount", "-l", str(at)], check=False))

    def fill(self) -> None:
        with suppress(OSError), (self.at / "full").open("wb", buffering=0) as file:
            while True:
                file.write(b"\0" * 4096)

    def free(self) -> None:
        (self.at / "full").unlink()


def evening(kind: str, count: int, plan: Plan, seed: int) -> tuple[int, int, int, int]:
    """One evening; how many games, cuts, lost and doubled."""
    began = time.monotonic()
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="club-", dir="/tmp"))
        stack.callback(lambda: shutil.rmtree(folder, ignore_errors=True))
        own = Evening(stack, folder, seed)
        full = None
        if kind == "real":
            small = Small(stack, folder / "small")
            own.tables = [
                RealTable(
                    f"table-{at}",
                    folder / f"t{at}",
                    own.network.port,
                    outbox=small.at if at == 1 and small.mounted else None,
                )
                for at in range(1, count + 1)
            ]
            if small.mounted:
                full = _full(own, small)
            else:
                print("  no disk is filled: mounting one takes root")
        else:
            own.tables = [
                RecordedTable(f"table-{at}", f"{at:032x}", own.network.port) for at in range(1, count + 1)
            ]
        for table in own.tables:
            table.start()
            stack.callback(table.close)
        for table in own.tables:
            own.play(table)
        own.settle("first games")
        print(f"  {count} tables told their first game after {time.monotonic() - began:.0f} s", flush=True)
        delays, calls = own.quiet(plan.quiet)
        print(f"  quiet until {time.monotonic() - began:.0f} s", flush=True)
        rate = own.burst(plan.burst)
        print(
            f"  {plan.burst} games at each table at once until {time.monotonic() - began:.0f} s", flush=True
        )
        own.trouble(plan, full)
        print(f"  {plan.cuts} cuts until {time.monotonic() - began:.0f} s", flush=True)
        own.settle("evening")
        lost, doubled = own.found()
        spent, most = own.hub.used()
        print(f"  hub: {spent:.0f} s of processor, {most / 1e6:.0f} MB at most", flush=True)
        rows, size = own.sizes()
        code, said = own.hub.verify()
        print(f"  {said.splitlines()[-1]}")
        assert code == 0, said
        games = len(own.played)
        print(
            f"{count} tables ({kind}), {games} games in {time.monotonic() - began:.0f} s: ruling to desk p95"
            f" {p95(delays):.2f} s, judge to desk p95 {p95(calls):.2f} s, {rate:.0f} games a second at once,"
            f" {rows / games:.1f} rows and {size / games:,.0f} bytes a game",
            flush=True,
        )
        return games, plan.cuts, lost, doubled


def idle(count: int, minutes: float, seed: int) -> tuple[int, int]:
    """So many tables with a game each, between their games; how many games are lost, and how many doubled."""
    began = time.monotonic()
    allow_connections(4 * count + 1000)
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="club-", dir="/tmp"))
        stack.callback(lambda: shutil.rmtree(folder, ignore_errors=True))
        own = Evening(stack, folder, seed)
        own.games = (min(own.games, key=lambda game: len(game.lines)),)
        tables = IdleTables(own.network.port, count)
        own.tables = tables.tables
        for table in own.tables:
            own.play(table)
        tables.start()
        stack.callback(tables.close)
        own.settle("first games", max(PATIENCE_S, count))
        spent = own.hub.used()[0]
        print(f"  {count} tables told a game each after {time.monotonic() - began:.0f} s", flush=True)
        own.desk.until(lambda: False, 60 * minutes)
        after, most = own.hub.used()
        lost, doubled = own.found()
        print(
            f"idle: {count} tables, {minutes:g} minutes: {(after - spent) / minutes / 0.6:.1f} % of a core"
            f" and {most / 1e6:.0f} MB at most, lost {lost}, doubled {doubled}",
            flush=True,
        )
        return lost, doubled


def _full(own: Evening, small: Small) -> Callable[[], None]:
    """The uplink of the first table can keep nothing for a while; it is started again, as its unit does."""

    def work() -> None:
        table = own.tables[0]
        assert isinstance(table, RealTable)
        small.fill()
        game = own.play(table)
        own.network.mend()
        own.desk.until(lambda: table.ended or game in own.desk.games, 20)
        small.free()
        table.stop()
        table.start()

    return work


def main() -> int:
    parser = argparse.ArgumentParser(prog="make club")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["30", "300"], help="one of the two evenings")
    parser.add_argument("--cuts", type=int, help="another number of cuts")
    parser.add_argument("--kills", type=int, help="another number of kills of the hub")
    parser.add_argument("--restarts", type=int, help="another number of restarts of broker and database")
    parser.add_argument("--tables", type=int, help="another number of tables")
    parser.add_argument("--idle", type=float, metavar="MINUTES", help="no evening: 3,000 tables for so long")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is ended, too
    if args.idle:
        return 1 if any(idle(args.tables or 3000, args.idle, args.seed)) else 0
    evenings = {
        "30": ("real", args.tables or 30, Plan(100, 10, 4, 4, 60, 3)),
        "300": ("recorded", args.tables or 300, Plan(100, 10, 4, 4, 60, 1)),
    }
    whole = [0, 0, 0, 0, 0]
    for name, (kind, count, plan) in evenings.items():
        if args.only in (None, name):
            given = {"cuts": args.cuts, "kills": args.kills, "brokers": args.restarts}
            given["databases"] = args.restarts
            wanted = plan._replace(**{what: one for what, one in given.items() if one is not None})
            games, cuts, lost, doubled = evening(kind, count, wanted, args.seed)
            for at, value in enumerate((count, games, cuts, lost, doubled)):
                whole[at] += value
    tables, games, cuts, lost, doubled = whole
    print(f"club: {tables} tables, {games} games, {cuts} cuts, lost {lost}, doubled {doubled}")
    return 1 if lost or doubled else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    raise SystemExit(main())
