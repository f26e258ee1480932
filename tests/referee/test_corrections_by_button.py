"""Corrections of what was told with the own button, and what they do to presses that came after."""

from __future__ import annotations

import pytest

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.debounce import HOLD_TIME
from companion.games.kinapa.rules import Kinapa, model
from companion.games.kinapa.rules.model import KinapaOptions, KinapaPhase
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee

RED, BLUE, GREEN = 0, 1, 2


class Hand:
    """Presses buttons at one table, a second apart."""

    def __init__(self) -> None:
        setup = Setup((0, 1, 2, 3), KinapaOptions())
        self.referee = Referee(Kinapa(), MemoryJournal(make_header("kinapa", setup)))
        self.at = 0

    @property
    def phase(self) -> KinapaPhase:
        return self.referee.state.phase

    def tap(self, chair: int) -> int:
        """A short press; the entry of its release."""
        self.at += SECOND
        self.referee.observe(ob.ButtonPressed(at=self.at, chair=chair))
        return self.referee.observe(ob.ButtonReleased(at=self.at + SECOND // 10, chair=chair)).seq

    def hold(self, chair: int) -> int:
        """A long press; the entry in which it was long enough."""
        self.at += SECOND
        self.referee.observe(ob.ButtonPressed(at=self.at, chair=chair))
        held = self.referee.observe(ob.ButtonHeld(at=self.at + HOLD_TIME, chair=chair)).seq
        self.referee.observe(ob.ButtonReleased(at=self.at + HOLD_TIME + 1, chair=chair))
        return held

    def told(self, action: Action) -> int:
        self.at += SECOND
        return self.referee.observe(ob.ActionDeclared(at=self.at, action=action)).seq

    def correct(self, seq: int, truth: Action | None) -> ev.Event | None:
        """The last thing that the correction rules."""
        self.at += SECOND
        seen = None if truth is None else ob.ActionDeclared(at=0, action=truth)
        entry = self.referee.correct(seq, seen, self.at)
        return entry.events[-1] if entry.events else None


@pytest.fixture
def hand() -> Hand:
    """Red is the Emperor, announced 3, drew from Green and is about to give a card back."""
    hand = Hand()
    hand.tap(RED)
    hand.told(Action(RED, "announce", 3))
    hand.referee.observe(ob.CueHeard(at=hand.at + SECOND, cue="kinapa.count", attempt=1))
    hand.at += 5 * SECOND
    hand.referee.fire_timers(hand.at)
    hand.tap(RED)  # no pair
    hand.told(Action(RED, "draw_from", GREEN))
    hand.tap(RED)  # drawn
    assert hand.phase is KinapaPhase.RETURNING
    return hand


def test_what_was_told_by_holding_is_corrected(hand: Hand) -> None:
    hand.tap(RED)
    turned = hand.hold(RED)
    assert hand.referee.state_after(turned).turn.label == "1-2"
    assert hand.correct(turned, Action(RED, "turn", "5-6")) is None
    assert (hand.phase, hand.referee.state.turn.label) == (KinapaPhase.PLACING, "5-6")


def test_a_held_choice_that_did_not_happen_leaves_no_tap_behind(hand: Hand) -> None:
    hand.tap(RED)
    hand.told(Action(RED, "turn", "5-6"))
    hand.tap(RED)  # the first of several: another choice is marked
    assert hand.correct(hand.hold(RED), None) is None
    assert hand.phase is KinapaPhase.TURNING, "the object was hidden meanwhile: it has to be turned up again"
    events = [event for entry in hand.referee.standing_entries() for event in entry.events]
    assert not any(isinstance(event, model.PairPlaced | model.ObjectHidden) for event in events)


def test_presses_that_came_after_do_not_choose_something_else(hand: Hand) -> None:
    given = hand.tap(RED) - 1
    hand.tap(RED)  # the next object is marked
    turned = hand.hold(RED)
    assert isinstance(hand.referee.journal.entries[turned].events[-1], model.ObjectTurned)
    assert hand.correct(given, None) == ev.Repair("correction_stopped")
    assert hand.phase is KinapaPhase.RETURNING
    assert hand.referee.state.turn.label == ""


def test_presses_that_mean_the_same_stand(hand: Hand) -> None:
    hand.tap(RED)
    turned = hand.told(Action(RED, "turn", "5-6"))
    hand.tap(RED)
    hand.tap(RED)
    hand.tap(RED)  # once round: hide it
    hand.hold(RED)
    assert hand.phase is not KinapaPhase.PLACING
    before = hand.phase
    assert hand.correct(turned, Action(RED, "turn", "7-8")) is None
    assert hand.phase is before
