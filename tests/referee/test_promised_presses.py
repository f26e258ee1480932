"""What docs/know/presses.md promises of a press, by a model of disturbances, standstills and late edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

import pytest

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Micros
from companion.core.debounce import CALM
from companion.core.switch import SWITCH_TIMING, TOGETHER, Edge
from companion.referee.loop import GRACE, RefereedGame
from hardware.buttons import Coincidence
from tests.referee.test_kabuki_game import at_play
from tests.table.loop import MILLI
from tests.thorough import examples

Span = tuple[Micros, Micros]
CHAIR, BEGIN = 1, 6 * SECOND
READ: Micros = 10 * MILLI
"""A program that runs reads the pins within this time."""


def ms(*spans: tuple[float, float]) -> list[Span]:
    return [(BEGIN + round(begin * MILLI), BEGIN + round(until * MILLI)) for begin, until in spans]


def is_in(at: Micros, spans: Sequence[Span]) -> bool:
    return any(begin <= at < until for begin, until in spans)


class World:
    """What fingers on one button, a cable and a computer did."""

    def __init__(
        self, spikes: list[Span], fingers: list[Span], standstills: Sequence[Span] = (), *late: Micros
    ) -> None:
        """`spikes`: when pins picked something up; each edge comes one of `late` after it was."""
        self.spikes, self.fingers, self.standstills, self.late = (
            spikes,
            fingers,
            list(standstills),
            late or (0,),
        )
        self.chance = Random(0)
        self.turns = sorted(at for span in fingers for at in span)
        self.end = max([*self.turns, *(until for _, until in spikes)]) + SECOND

    @classmethod
    def of(cls, seed: int) -> World:
        chance = Random(seed)
        at, spikes = BEGIN, list[Span]()
        for _ in range(chance.choice((1, 1, 2, 2, 3, 3, 4, 12))):
            last = at + chance.choice((0, 0, 0, 1, 5, 30)) * MILLI
            while at <= last:
                spikes.append((at, at + chance.randrange(200, 700)))
                at += chance.randrange(1_000, 8_000)
            at = last + chance.choice((40, 52, 60, 70, 80, 100, 150, 250)) * MILLI + chance.randrange(5_000)
        end, fingers = at + 100 * MILLI, list[Span]()
        at = BEGIN + chance.randrange(-150, 150) * MILLI
        while at < end:
            until = at + chance.choice((30, 31, 35, 45, 60, 90, 150, 300)) * MILLI + chance.randrange(3_000)
            fingers.append((at, until))
            at = until + chance.choice((60, 65, 80, 100, 200)) * MILLI + chance.randrange(5_000)
        standstills = list[Span]()
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            at = BEGIN + chance.randrange(-100 * MILLI, end - BEGIN)
            standstills.append((at, at + chance.choice((45, 60, 100, 140, 200, 400, 700)) * MILLI))
        world = cls(spikes, fingers, standstills, 0, chance.choice((0, 3, 12, 15)) * MILLI)
        world.chance = chance
        if chance.random() < 0.5:
            world.turns = [at for begin, until in fingers for at in world._bounce(begin, until)]
        return world

    def _bounce(self, begin: Micros, until: Micros) -> Iterator[Micros]:
        """When the contact turns in a press: it bounces for up to 8 ms, and for up to 20 ms as it opens."""
        for at, longest in ((begin, 8 * MILLI), (until, 20 * MILLI)):
            yield at
            last, more = at, self.chance.choice((0, 0, 1, 2, 4))
            while more and last < at + longest - 2 * MILLI:
                last += self.chance.randrange(100, 900)
                yield last
                last += self.chance.randrange(100, 700)
                yield last
                more -= 1

    def edges(self) -> Iterator[Edge]:
        """In the order in which they were."""
        edges = []
        for chair in range(4):
            spikes = [(begin + 10 * chair, until) for begin, until in self.spikes]
            turns = self.turns if chair == CHAIR else []
            was = False
            for at in sorted({*turns, *(at for span in spikes for at in span)}):
                level = (sum(turn <= at for turn in turns) % 2 == 1) != is_in(at, spikes)
                if level != was:
                    edges.append(Edge(chair, "seat", level=level, at=at))
                was = level
        yield from sorted(edges, key=lambda edge: edge.at)

    def told(self) -> list[Span]:
        """The intervals of the presses that a table in Kabuki finds; one that an edge dates has no length."""
        down = dict.fromkeys(range(4), False)
        game = at_play(
            level=lambda chair, button: chair in down and down[chair],
            levels=lambda: {(chair, "seat"): level for chair, level in down.items()},
        )
        cable = Coincidence(lambda edge: game.post(edge, now))
        edges, waiting, newest = list(self.edges()), list[tuple[Micros, Edge]](), dict.fromkeys(range(4), 0)
        now = BEGIN - 500 * MILLI
        while now < self.end:
            stood = next((until for begin, until in self.standstills if begin <= now < until), None)
            now = stood or now + self.chance.choice((4, 5, 8)) * MILLI
            while edges and edges[0].at <= now:
                edge = edges.pop(0)
                assert edge.chair is not None
                down[edge.chair] = edge.level
                arrives = edge.at + self.chance.choice(self.late)
                newest[edge.chair] = max(newest[edge.chair], arrives)
                waiting.append((newest[edge.chair], edge))
            come = sorted((one for one in waiting if one[0] <= now), key=lambda one: one[0])
            waiting = [one for one in waiting if one[0] > now]
            if stood:
                game.stood_still(now)
                if self.chance.random() < 0.5:
                    game.step(now)
                if self.chance.random() < 0.5:  # one pin after another
                    come.sort(key=lambda one: one[1].chair or 0)
            for _, edge in come:
                cable.edge(edge)
            game.step(now)
        return self._found(game)

    @staticmethod
    def _found(game: RefereedGame) -> list[Span]:
        causes = (entry.cause for entry in game.referee.journal.entries)
        found = [one for one in causes if isinstance(one, ob.ButtonPressed)]
        assert {press.chair for press in found} <= {CHAIR}, "a cable is no finger"
        return [(press.found if press.since is None else press.since, press.found) for press in found]

    def shadows(self) -> list[Span]:
        """When pins are not believed."""
        merged = list[Span]()
        for begin, until in self.spikes:
            joins = merged and begin - TOGETHER <= merged[-1][1]
            merged.append((merged.pop()[0] if joins else begin - TOGETHER, until + 30 + CALM))
        return merged

    def _is_read(self, since: Micros, until: Micros) -> bool:
        """Whether the pins were certainly read between two shadows."""
        stood = any(
            begin < until + 20 * MILLI and end + GRACE + READ > since for begin, end in self.standstills
        )
        return until - since >= READ and not stood

    def promised(self) -> Iterator[Micros]:
        """When the presses began that must be found."""
        shadows = self.shadows()
        for begin, until in self.fingers:
            place = next((n for n, shadow in enumerate(shadows) if is_in(begin, [shadow])), None)
            if place is None:
                bounces = [at for at in self.turns if begin <= at < begin + SWITCH_TIMING.lockout]
                settled = max(bounces) + SWITCH_TIMING.settle
                if not any(begin < since < settled for since, _ in shadows):
                    yield begin
                continue
            after = shadows[place:]
            if not any(
                until > calm and (until < following or self._is_read(calm, following))
                for (_, calm), (following, _) in pairwise([*after, (self.end, self.end)])
            ):
                continue  # it was pressed and let go while nobody saw
            dark = [shadows[place][0]]
            while place and not self._is_known(shadows[place - 1][1], shadows[place][0]):
                place -= 1
                dark.append(shadows[place][0])
            if not any(
                one < at < end + 25 * MILLI for one, end in self.fingers for at in dark if one != begin
            ):
                yield begin  # else it was down before and is down again, and may never have been let go

    def _is_known(self, since: Micros, until: Micros) -> bool:
        return any(since < at < until for at in self.turns) or self._is_read(since, until)


def match(begins: list[Micros], found: list[Span]) -> dict[int, Micros]:
    """Which press is which: each is found once; those named first, before others."""
    matched = dict[int, Micros]()

    def fits(at: Micros, tried: set[int]) -> bool:
        for place, (since, until) in enumerate(found):
            if since <= at <= until and place not in tried:
                tried.add(place)
                if place not in matched or fits(matched[place], tried):
                    matched[place] = at
                    return True
        return False

    for at in begins:
        fits(at, set())
    return matched


def check(world: World) -> None:
    found, promised = world.told(), list(world.promised())
    matched = match([*promised, *(at for at, _ in world.fingers if at not in promised)], found)
    assert set(promised) <= set(matched.values()), "a press is lost"
    assert len(matched) == len(found), "a press is told that was none, or at a time at which it was not"


@pytest.mark.parametrize(
    "world",
    [
        World(ms((0, 0.5), (150, 150.5)), ms((8, 98)), ms((-67, 133))),
        World(ms((0, 0.5), (80, 80.5)), ms((-49, 11), (71, 101))),
        World(ms((0, 0.5)), ms((19, 79)), ms((0, 45)), 12 * MILLI),
        World(ms((0, 0.5), (58, 58.4)), ms((33, 66), (156, 188)), ms((62, 109), (138, 218))),
        World(ms(*((at, at + 0.5) for at in range(0, 1_350, 150))), ms((8, 98)), ms((-67, 1_500))),
        World(ms((0, 0.5), (55, 55.5), (75, 75.5)), ms((20, 160))),
    ],
    ids=[
        "woken before the second",
        "let go in the second",
        "let go before it is read",
        "read as it stopped",
        "nine in a row",
        "read right before the second",
    ],
)
def test_a_press_in_a_disturbance_that_ended_after_it_is_found(world: World) -> None:
    assert world.fingers[-1][0] in world.promised()
    check(world)


def test_a_press_between_two_disturbances_that_began_in_the_first_is_told_since_then() -> None:
    world = World(ms((0, 0.7), (54.8, 55.4)), ms((49, 110)))
    world.turns = sorted(
        [*world.turns, *(at for at, _ in ms(*((one, one) for one in (49.8, 50.1, 50.7, 51.3))))]
    )
    check(world)
    assert world.told()


@pytest.mark.parametrize("finger", [(600, 700), (-300, 700)], ids=["idle", "held"])
@pytest.mark.parametrize("lead", [0.2, 1, 3.9])
def test_a_line_that_leads_a_disturbance_is_no_finger(lead: float, finger: tuple[float, float]) -> None:
    world = World(ms((0, 0.5)), ms(finger))
    world.turns = sorted([*world.turns, *ms((-lead, 0.2))[0]])
    check(world)
    assert len(world.told()) == 1


@pytest.mark.parametrize("seed", range(8))
def test_a_glitch_over_the_end_of_a_shadow_is_no_finger_though_the_pin_is_read_in_it(seed: int) -> None:
    world = World(ms((0, 0.5)), ms((50.2, 52.1)))
    world.chance.seed(seed)
    assert world.told() == []


PRESS_BOUNCE = [0.4, 0.7, 1.2, 1.9, 2.3, 3, 3.4, 3.9, 4.4, 5, 5.4, 5.9]
SLOWLY_OPEN = [30.5, 32, 33, 36, 37, 41, 42, 47, 48, 50]
"""When a contact turns that is let go at 30 ms."""


@pytest.mark.parametrize(
    ("spikes", "fingers", "turns"),
    [
        ([(0, 0.5), (29.6, 30)], [(-60, 5), (79, 230)], [79 + after for after in PRESS_BOUNCE]),
        ([(0, 0.5)], [(-60, 30), (76.3, 158)], [*SLOWLY_OPEN, *(76.3 + after for after in PRESS_BOUNCE)]),
    ],
    ids=["bounces beyond the second", "bounces beyond the lockout"],
)
def test_a_press_soon_after_a_release_that_nobody_saw_is_told_since_then(
    spikes: list[tuple[float, float]], fingers: list[tuple[float, float]], turns: list[float]
) -> None:
    world = World(ms(*spikes), ms(*fingers))
    world.turns = sorted([*world.turns, *(at for at, _ in ms(*((one, one) for one in turns)))])
    check(world)
    assert len(world.told()) == 2


def test_a_glitch_of_held_buttons_that_is_half_judged_before_a_disturbance_is_no_press() -> None:
    down = {0: True, 1: True}
    game = at_play(
        level=lambda chair, button: button == "seat" and down.get(chair or 0, False),
        levels=lambda: {(chair, "seat"): level for chair, level in down.items()},
    )
    edges = [(0, 0, False), (10, 1, False), (500, 1, True), (520, 0, True)]
    edges += [(45 * MILLI + 10 * n + 400 * up, n, up != (n > 1)) for n in range(5) for up in (False, True)]
    cable = Coincidence(lambda edge: game.post(edge, now))
    for now in range(BEGIN - 300 * MILLI, BEGIN + SECOND, 5 * MILLI):
        for at, chair, level in sorted(one for one in edges if now - 5 * MILLI < BEGIN + one[0] <= now):
            line = (chair, "seat") if chair < 4 else (None, "back")
            cable.edge(Edge(*line, level=level, at=BEGIN + at))
        game.step(now)
    assert not any(isinstance(one.cause, ob.ButtonPressed) for one in game.referee.journal.entries)


def test_a_hold_that_ended_before_a_disturbance_is_none_the_less_one() -> None:
    down = {CHAIR}
    game = at_play(level=lambda chair, button: chair in down, levels=dict)
    game.post(Edge(CHAIR, "seat", level=True, at=BEGIN))
    for now in range(BEGIN, BEGIN + 610 * MILLI, 10 * MILLI):
        game.step(now)
    woke = BEGIN + 670 * MILLI
    down.clear()
    game.stood_still(woke)
    game.post(Edge(CHAIR, "seat", level=False, at=BEGIN + 640 * MILLI))
    game.post(Edge(None, "back", level=True, at=BEGIN + 660 * MILLI, disturbed=True))
    for now in range(woke, woke + SECOND, 10 * MILLI):
        game.step(now)
    causes = [entry.cause for entry in game.referee.journal.entries]
    assert [one.at for one in causes if isinstance(one, ob.ButtonHeld)] == [BEGIN + HOLD_TIME]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(examples(1_600)))
def test_no_press_is_lost_that_is_promised_and_none_is_told_that_was_none(seed: int) -> None:
    check(World.of(seed))
