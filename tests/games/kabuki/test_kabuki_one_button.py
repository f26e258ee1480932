"""Kabuki without a camera, with one button: Stop, a step through the stacks, and the mask is put there."""

from __future__ import annotations

from functools import reduce
from typing import Any

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, Action, Chair, Micros
from companion.core.observations import CameraLost
from companion.core.view import ScreenArea
from companion.games.kabuki.rules import model
from companion.games.kabuki.rules.model import KabukiPhase
from tests.games.kabuki.kabuki_table import Table


class ButtonTable:
    """A round has begun, nothing sees the table, and the player of seat 0 draws."""

    def __init__(self, players: int = 3, **options: object) -> None:
        table = Table(players, **options)
        self.rules: Any = table.rules
        self.state: Any = table.state
        self.at: Micros = 0
        self.see(CameraLost(at=0, reason="none"))
        if self.state.phase is KabukiPhase.STARTING:
            choices = self.rules.awaited_draw(self.state)
            self.see(ob.RandomDraw(at=0, choices=choices, index=0))
        self.see(ob.ActionDeclared(at=0, action=Action(0, "begin")))

    def see(self, seen: Any) -> None:
        self.state = reduce(self.rules.evolve, self.rules.decide(self.state, seen), self.state)

    def press(self, chair: Chair, *presses: str) -> None:
        """Each tap and hold as the loop reports it."""
        for press in presses:
            self.at += 10 * HOLD_TIME
            self.see(ob.ButtonPressed(at=self.at, chair=chair))
            end = ob.ButtonHeld if press == "hold" else ob.ButtonReleased
            self.see(end(at=self.at + HOLD_TIME, chair=chair))

    @property
    def marked(self) -> list[int]:
        places = self.rules.view(self.state).places
        return [place.number for place in places if place.marked and place.spot is ScreenArea.STACK]

    @property
    def heights(self) -> list[int]:
        return [len(stack) for stack in self.state.stacks]


def test_taps_step_through_the_stacks_and_a_hold_puts_the_mask_there() -> None:
    table = ButtonTable()
    table.press(0, "tap")
    assert table.marked == [2]
    assert table.rules.view(table.state).headline.key == "kabuki.phase.playing.which"
    table.press(0, "hold")
    assert (table.heights, table.state.drawer) == ([0, 1, 0, 0], 1)


def test_a_tap_of_the_player_in_turn_calls_no_stop() -> None:
    """That was finding 5: who had drawn and pressed the own button was told that Stop came too early."""
    table = ButtonTable()
    table.press(0, "hold")
    table.press(1, "tap", "tap")
    assert (table.state.phase, table.marked) == (KabukiPhase.PLAYING, [2])


def test_the_player_in_turn_calls_stop_with_the_same_button() -> None:
    """Also of two players, of whom nobody else could."""
    table = ButtonTable(2)
    table.press(0, "hold")
    table.press(1, "hold")
    assert table.state.phase is KabukiPhase.CALLED
    assert [call.seat for call in table.state.pending.calls] == [1]


def test_others_call_stop_on_the_edge_of_their_press() -> None:
    table = ButtonTable()
    table.press(0, "hold")
    table.see(ob.ButtonPressed(at=table.at + 10 * HOLD_TIME, chair=2))
    assert table.state.phase is KabukiPhase.CALLED


def test_each_stack_is_reached_in_at_most_five_presses() -> None:
    for stack in range(1, model.STACK_COUNT + 1):
        table = ButtonTable()
        table.press(0, "hold")
        table.press(1, *["tap"] * stack, "hold")
        assert table.state.top(stack).seat == 1


def test_where_the_draw_has_to_be_said_a_tap_says_it_and_a_hold_is_stop() -> None:
    table = ButtonTable(stop_until="next_draw")
    table.press(0, "tap")
    table.press(0, "hold")
    assert table.state.drawer == 1
    table.press(1, "tap")
    assert table.state.hand.drawn
    table.press(1, "tap", "hold")
    assert table.state.top(2) is not None


def test_the_shared_buttons_step_through_the_same_choices() -> None:
    table = ButtonTable()
    for button in ("next", "next", "ok"):
        table.at += 10 * HOLD_TIME
        table.see(ob.ButtonPressed(at=table.at, chair=None, button=button))
    assert table.heights == [0, 0, 1, 0]


def test_with_a_camera_the_button_of_the_player_in_turn_is_stop() -> None:
    table = ButtonTable()
    table.see(ob.CameraRecovered(at=1))
    table.press(0, "hold")
    assert table.state.phase is KabukiPhase.CALLED
