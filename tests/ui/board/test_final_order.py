"""On the last page everybody stands in the order in which the game ended."""

from typing import Any

from msgspec.structs import replace

from companion.core.actions import Setup
from companion.core.rules import Rules
from companion.games.any_game.rules import AnyGame
from companion.games.any_game.rules.model import AnyGamePhase
from companion.games.hearts.rules import Hearts
from companion.games.hearts.rules.model import HeartsPhase
from companion.ui.board.full_screen import final_order


def chairs_after(rules: Rules[Any], **state: Any) -> list[int]:
    """The chairs in their final order, of a game of four that is changed to this state."""
    begun = rules.initial_state(Setup((0, 1, 2, 3), rules.options(**state.pop("options", {}))))
    return [one.chair for one in final_order(rules.board, rules.view(replace(begun, **state)))]


def test_the_winner_comes_first_and_then_who_has_most_on_the_score_pad() -> None:
    told = {"options": {"points": True}, "scores": (3, 12, -1, 7)}
    assert chairs_after(AnyGame(), phase=AnyGamePhase.OVER, **told) == [1, 3, 0, 2]
    assert chairs_after(AnyGame(), **told) == [0, 1, 2, 3]  # it goes on


def test_without_a_score_pad_all_stay_as_they_sit_but_those_who_are_out() -> None:
    assert chairs_after(AnyGame(), phase=AnyGamePhase.OVER, scores=(0,) * 4, out=(1,)) == [0, 2, 3, 1]


def test_in_hearts_few_points_are_better() -> None:
    over = chairs_after(Hearts(), phase=HeartsPhase.OVER, winners=(2,), points=(104, 30, 8, 55))
    assert over == [2, 1, 3, 0]
