"""A whole game of Hearts by nothing but buttons: every card is told in two steps."""

from __future__ import annotations

from random import Random

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Action
from companion.core.events import kind_of
from companion.games.hearts.players import HeartsPeople
from companion.games.hearts.rules import model
from tests.games.hearts.hearts_table import RULES, SEATS, Table

NEVER = {"Infraction", "CardTwice", "CheckAsked", "RevokeProved", "CardsDisagree"}


def press(table: Table, seat: int, *, hold: bool) -> None:
    """A press, and where it has to be kept, a hold."""
    table.at += SECOND
    table.referee.observe(ob.ButtonPressed(at=table.at, chair=seat))
    table.at += HOLD_TIME if hold else HOLD_TIME // 4
    end = ob.ButtonHeld if hold else ob.ButtonReleased
    table.referee.observe(end(at=table.at, chair=seat))
    if hold:
        table.referee.observe(ob.ButtonReleased(at=table.at + 1_000, chair=seat))


def choose(table: Table, said: Action) -> int:
    """Tap until the choice, or the row that it is in, is marked, and hold; how many presses it took."""
    for presses in range(1, 40):
        choices = RULES.view(table.state).chairs[said.seat].choices
        (mine,) = (choice for choice in choices if choice.action == said)
        before = len(table.referee.journal.entries), table.state.plays
        press(table, said.seat, hold=mine.marked and mine.press != "press")
        after = table.state
        if mine.marked and (after.plays != before[1] or after.deal > 1 or mine.press == "press"):
            return presses
        if len(choices) <= 2:
            return presses
    raise AssertionError(f"nobody can choose {said}")


def test_a_deal_is_told_by_buttons_alone_and_counted() -> None:
    table = Table(opens=None)
    people = HeartsPeople(tuple(SEATS), Random(5), ("strong",) * len(SEATS))
    presses = []
    while table.state.deal == 1:
        _, deed = people.plan(table.state)[-1]
        presses.append(choose(table, deed.action))  # type: ignore[union-attr]
    told = [event for entry in table.referee.journal.entries for event in entry.events]
    assert not {kind_of(event) for event in told} & NEVER
    (scored,) = (event for event in told if isinstance(event, model.DealScored))
    assert sum(scored.points) in {26, 78}
    assert len(presses) == len(table.referee.setup.chairs) * 13
    assert max(presses) <= 4 + 13
