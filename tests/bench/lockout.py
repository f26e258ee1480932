"""Who pressed first: our lockout and reorder buffer beside a model of gpiozero's `bounce_time`.

A model, not the real thing: lgpio reports an edge once the level stayed for `bounce_time`, stamped with the
last edge plus `bounce_time` (lg, lgPthAlerts.c), and swallows what is shorter. It is checked first against
the table measured in a virtual Pi (`PLATFORM`): a switch that bounces for 8 ms and a clean one 3 ms later.
Ours is the real code: edges into a `Game`, delivered late and out of order, and the presses in its journal.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from companion import observations as ob
from companion.actions import Micros, Setup
from companion.game import Game
from companion.journal import MemoryJournal, header_of
from companion.lockout import SWITCH, Edge
from companion.referee import Referee
from companion.rules import GAMES
from tests.bench.figures import Row

NAME = "lockout"
PAIRS = 10_000
MS: Micros = 1_000
MEASURED = {5 * MS: 13 * MS, 20 * MS: 28 * MS, 50 * MS: 58 * MS}
"""`bounce_time` → the stamp of a press that bounces for 8 ms, as measured in the virtual Pi."""

Levels = tuple[tuple[Micros, bool], ...]


def rows() -> Iterator[Row]:
    check_model()
    pairs = [pair(random.Random(seed)) for seed in range(PAIRS)]
    for bounce_time in MEASURED:
        found = [modelled(one, other, bounce_time) for one, other in pairs]
        yield row(
            f"model of bounce_time={bounce_time / 1e6:g}", found, "it agrees with the virtual Pi's table"
        )
    for latest in (SWITCH.delivery, 40 * MS, 60 * MS):
        chance = random.Random(latest)
        found = [ours(one, other, latest, chance) for one, other in pairs]
        within = f"an edge is expected within {SWITCH.delivery // MS} ms"
        yield row(f"ours, edges 0 to {latest // MS} ms late", found, within, aim="0")


class Found(NamedTuple):
    """What came of one pair."""

    order: tuple[int, ...]
    """Whose presses were seen, in the order of judgement."""
    late: bool = False
    """The table was told that a press came late."""

    @property
    def wrong(self) -> bool:
        return self.order.index(1) < self.order.index(0) if {0, 1} <= set(self.order) else False


def row(who: str, found: Sequence[Found], note: str, *, aim: str = "") -> Row:
    wrong = [each for each in found if each.wrong]
    lost = sum(not {0, 1} <= set(each.order) for each in found)
    twice = sum(len(each.order) > 2 for each in found)
    told = sum(each.late for each in wrong)
    return Row(
        figure=f"wrong order in {len(found):,} pairs: {who}",
        value=len(wrong),
        unit="pairs",
        aim=aim,
        met=not wrong if aim else None,
        note=f"{who}: a press lost in {lost}, one seen twice in {twice}, "
        f"shown as late {told} of the wrong; {note}",
    )


def check_model() -> None:
    """Raise unless the model says what was measured."""
    bouncing = tuple((at, level % 2 == 0) for level, at in enumerate(range(0, 9 * MS, MS)))
    for bounce_time, stamp in MEASURED.items():
        found = debounced((*bouncing, (200 * MS, False)), bounce_time)[0]
        clean = debounced(((3 * MS, True), (200 * MS, False)), bounce_time)[0]
        if found != (stamp, True) or clean >= found:
            raise AssertionError(f"the model of bounce_time={bounce_time} stamps {found}")
    if debounced(((0, True), (30 * MS, False)), 50 * MS):
        raise AssertionError("the model sees a press of 30 ms through bounce_time=0.05")


def debounced(edges: Levels, bounce_time: Micros) -> Levels:
    """What is reported of the edges of one button, which is up at first."""
    reported: list[tuple[Micros, bool]] = []
    known = False
    for place, (at, level) in enumerate(edges):
        following = edges[place + 1][0] if place + 1 < len(edges) else at + 2 * bounce_time
        if following - at >= bounce_time and level != known:
            known = level
            reported.append((at + bounce_time, level))
    return tuple(reported)


def pair(chance: random.Random) -> tuple[Levels, Levels]:
    """Two presses at least 1 ms apart, the earlier first."""
    start = 100 * MS
    gap = chance.randint(MS, 30 * MS)
    return press(start, chance), press(start + gap, chance)


def press(start: Micros, chance: random.Random) -> Levels:
    """One press of 30 to 250 ms of a clean or a bouncing switch: it opens for moments only."""
    end = start + chance.randint(30 * MS, 250 * MS)
    edges: list[tuple[Micros, bool]] = []
    for at, level in ((start, True), (end, False)):
        edges.append((at, level))
        lasts = chance.choice((0, chance.randint(0, 10 * MS)))
        moment = at
        while True:
            opens = moment + chance.randint(150, 1_200)
            moment = opens + chance.randint(40, 140)
            if moment > at + lasts:
                break
            edges += [(opens, not level), (moment, level)]
    return tuple(edges)


def modelled(one: Levels, other: Levels, bounce_time: Micros) -> Found:
    """What a program sees through gpiozero's `bounce_time`."""
    seen = [
        (at, who)
        for who, edges in enumerate((one, other))
        for at, level in debounced(edges, bounce_time)
        if level
    ]
    return Found(tuple(who for _, who in sorted(seen)))


def ours(one: Levels, other: Levels, latest: Micros, chance: random.Random) -> Found:
    """What is judged of edges that come up to `latest` late."""
    rules = GAMES["kinapa"]
    header = header_of("kinapa", Setup(tuple(range(4)), rules.options()), kind="simulation")
    referee: Referee[Any] = Referee(rules, MemoryJournal(header))
    game = Game(referee, chance=lambda choices: 0)
    arriving = sorted(
        [*delivered(0, one, latest, chance), *delivered(1, other, latest, chance)], key=_arrival
    )
    for at, edge in arriving:
        while (due := game.next_due()) is not None and due < at:
            game.step(due)
        game.step(at)
        game.post(edge, at)
    while (due := game.next_due()) is not None:
        game.step(due)
    causes = [entry.cause for entry in referee.journal.entries]
    return Found(tuple(c.chair or 0 for c in causes if isinstance(c, ob.ButtonPressed)), bool(game.late))


def delivered(
    chair: int, edges: Sequence[tuple[Micros, bool]], latest: Micros, chance: random.Random
) -> list[tuple[Micros, Edge]]:
    """When each edge reaches the program: late, but in the order of its source."""
    found: list[tuple[Micros, Edge]] = []
    arrived = 0
    for at, level in edges:
        arrived = max(arrived, at + chance.randint(0, latest))
        found.append((arrived, Edge(chair, "seat", level=level, at=at)))
    return found


def _arrival(delivery: tuple[Micros, Edge]) -> Micros:
    return delivery[0]
