"""Disturbances one after another, on mock pins, and standstills: what is told of a press is so."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.core.switch import ButtonId, Edge
from hardware.buttons import ButtonPanel
from hardware.pin_table import build_pin_table
from hardware.simulated_panel import ClockedFactory
from tests.referee.test_kabuki_game import at_play
from tests.table.loop import MILLI

Span = tuple[Micros, Micros]
CHAIRS, BEGIN, ROUND = 4, 5 * SECOND, 5 * MILLI
CALM_AFTER = 51 * MILLI
"""So long after a disturbance what pins say is believed again."""


class Evening:
    """Fingers, disturbances and standstills, drawn by chance."""

    def __init__(self, seed: int, *, still: bool) -> None:
        self.chance = chance = Random(seed)
        self.disturbances: list[Span] = []
        at = BEGIN + 200 * MILLI
        for _ in range(chance.randint(2, 4)):
            at += chance.choice((60, 80, 120, 200, 300, 500)) * MILLI + chance.randrange(20 * MILLI)
            until = at + chance.choice((0, 1, 5, 20, 60)) * MILLI
            self.disturbances.append((at, until))
            at = until
        self.end = at + SECOND
        self.fingers = {(chair, "seat"): self._presses() for chair in range(CHAIRS)}
        begins = [
            BEGIN + chance.randrange(self.end - BEGIN) for _ in range(chance.randint(0, 2) if still else 0)
        ]
        self.standstills = [(one, one + chance.choice((60, 150, 400)) * MILLI) for one in begins]

    def _presses(self) -> list[Span]:
        at, presses = BEGIN + 100 * MILLI + self.chance.randrange(200 * MILLI), []
        while at < self.end - 700 * MILLI:
            until = at + self.chance.choice((60, 120, 300, 700)) * MILLI + self.chance.randrange(5 * MILLI)
            presses.append((at, until))
            at = until + self.chance.choice((60, 100, 200, 400)) * MILLI + self.chance.randrange(10 * MILLI)
        return presses

    def movements(self, lines: list[ButtonId]) -> list[tuple[Micros, ButtonId, bool]]:
        """When each pin changes, and to which level: the shared buttons and most chairs pick something up."""
        spikes: dict[ButtonId, list[Span]] = {line: [] for line in lines}
        for begin, until in self.disturbances:
            struck = [line for line in lines if line[0] is None or self.chance.random() < 0.8]
            more = (self.chance.randint(begin, until) for _ in range((until - begin) // (4 * MILLI)))
            for at in {begin, *more}:
                for line in struck:
                    length = self.chance.randrange(200, 900)
                    spikes[line].append((at + self.chance.randrange(60), at + length))
        moves = []
        for line in lines:
            pressed = self.fingers.get(line, [])
            turns = {at for span in (*pressed, *spikes[line]) for at in span}
            moves += [(at, line, _is_in(at, pressed) != _is_in(at, spikes[line])) for at in turns]
        return sorted(moves, key=lambda move: move[0])

    def is_calm(self, at: Micros) -> bool:
        return not _is_in(at, [(one - MILLI, until + CALM_AFTER) for one, until in self.disturbances])


def _is_in(at: Micros, spans: list[Span]) -> bool:
    return any(begin <= at < until for begin, until in spans)


def told(evening: Evening) -> list[ob.ButtonPressed]:
    """The presses that a table in Kabuki finds, each with the interval in which it was."""
    clock, arrived = ManualClock(BEGIN), list[Edge]()
    factory = ClockedFactory(clock)
    pins = build_pin_table(chairs=CHAIRS)
    panel = ButtonPanel(factory, pins, clock, arrived.append)
    game = at_play(level=panel.read_level, levels=panel.read_levels)
    found: list[ob.ButtonPressed] = []
    advance = game.buttons.debouncer.advance

    def note(now: Micros, read_at: Micros | None = None) -> list[ob.Observation]:
        decided = advance(now, read_at)
        found.extend(one for one in decided if isinstance(one, ob.ButtonPressed))
        return decided

    game.buttons.debouncer.advance = note  # type: ignore[method-assign]
    bcm, moves = dict(pins.buttons), evening.movements([line for line, _ in pins.buttons])
    now, waiting = BEGIN, list[tuple[Micros, Edge]]()
    newest: dict[ButtonId, Micros] = {}
    while now < evening.end:
        stood = next((until for begin, until in evening.standstills if begin <= now < until), None)
        now = stood or now + ROUND
        while moves and moves[0][0] <= now:
            at, line, level = moves.pop(0)
            clock.move_to(max(clock.now(), at))
            factory.stamp = at
            pin = factory.pin(f"GPIO{bcm[line]}")
            (pin.drive_low if level else pin.drive_high)()
            for edge in arrived:
                newest[line] = max(at + evening.chance.choice((0, 1, 3, 12)) * MILLI, newest.get(line, 0))
                waiting.append((newest[line], edge))
            arrived.clear()
        factory.stamp = None
        clock.move_to(now)
        edges = sorted((one for one in waiting if one[0] <= now), key=lambda one: one[0])
        waiting = [one for one in waiting if one[0] > now]
        if stood:  # then each pin tells of everything in turn
            edges.sort(key=lambda one: (str((one[1].chair, one[1].button)), one[0]))
            game.stood_still(now)
            game.step(now)
        for _, edge in edges:
            game.post(edge, now)
        game.step(now)
    panel.close()
    factory.close()
    return found


@pytest.mark.parametrize("still", [False, True], ids=["", "with standstills"])
@pytest.mark.parametrize("seed", range(40))
def test_a_press_is_told_with_its_instant_or_with_an_interval_that_has_it(seed: int, *, still: bool) -> None:
    evening = Evening(seed, still=still)
    presses = told(evening)
    for press in presses:
        earliest = press.at if press.since is None else press.since
        assert press.chair is not None
        true = [at for at, _ in evening.fingers[press.chair, "seat"]]
        assert any(earliest <= at <= press.at for at in true), (press, true)
    for (chair, _), fingers in evening.fingers.items():
        spans = [
            (one.at if one.since is None else one.since, one.at) for one in presses if one.chair == chair
        ]
        for (_, before), (at, until) in pairwise([(0, 0), *fingers]):
            if all(map(evening.is_calm, (before, at, at + 10 * MILLI, until))):
                assert any(begin <= at <= end for begin, end in spans), (chair, at, until)
