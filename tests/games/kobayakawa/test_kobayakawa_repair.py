"""Corrections, taking back and going on after a break, at a Kobayakawa table."""

from __future__ import annotations

from typing import Any

from companion.core import observations as ob
from companion.core.actions import Action
from companion.core.events import kind_of
from companion.core.view import Sentence
from companion.games.kobayakawa.rules import Kobayakawa
from companion.games.kobayakawa.rules.model import KobayakawaPhase
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee
from tests.games.kobayakawa.kobayakawa_table import A, B, C, Table, setup

RULES = Kobayakawa()


class Played:
    """A game with its referee: what was read is a cause that can be corrected."""

    def __init__(self) -> None:
        self.referee: Referee[Any] = Referee(RULES, MemoryJournal(make_header("kobayakawa", setup(3))))
        self.at = 0

    def say(self, seat: int, verb: str, value: int | None = None) -> int:
        return self._observe(ob.ActionDeclared(at=self._next(), action=Action(seat, verb, value)))

    def see(self, place: str, *numbers: int) -> int:
        at = self._next()
        faces = tuple(ob.SeenCard(f"number:{number}") for number in numbers)
        return self._observe(ob.TableSeen(at=at, regions=(ob.RegionReading(place, faces, at, at),)))

    def _next(self) -> int:
        self.at += 100_000
        return self.at

    def _observe(self, seen: ob.AnyObservation) -> int:
        return self.referee.observe(seen).seq


def showdown() -> tuple[Played, int, int]:
    """A with 9 and B with 15 fight over a Kobayakawa of 7; the entries of the open card and of A's."""
    game = Played()
    game.say(A, "start")
    game.see("kobayakawa")
    opened = game.see("kobayakawa", 7)
    for seat, place, number in ((A, "discard:1", 2), (B, "discard:3", 3), (C, "discard:5", 4)):
        assert game.referee.state.actor == seat
        game.see(place, number)
    for seat, bet in ((A, "fight"), (B, "fight"), (C, "pass")):
        game.say(seat, bet)
    shown = game.see("hand:1", 9)
    game.see("hand:3", 15)
    return game, opened, shown


def test_a_misread_card_is_corrected_and_the_round_has_another_winner() -> None:
    game, _, shown = showdown()
    assert game.referee.state.kamons == (6, 3, 4)
    choices = list(RULES.correction_choices(game.referee.state_before(shown), _cause(game, shown)))
    assert Action(A, "show", 5) in choices
    truth = ob.ActionDeclared(at=0, action=Action(A, "show", 5))
    game.referee.correct(shown, truth, game.at)
    assert game.referee.state.kamons == (3, 6, 4)
    assert game.referee.state.starter == B


def test_a_misread_kobayakawa_is_corrected_long_after() -> None:
    game, opened, _ = showdown()
    choices = list(RULES.correction_choices(game.referee.state_before(opened), _cause(game, opened)))
    assert len(choices) == 15
    game.referee.correct(opened, ob.ActionDeclared(at=0, action=Action(A, "kobayakawa", 1)), game.at)
    assert game.referee.state.kamons == (3, 6, 4)


def test_a_misread_discard_is_corrected_without_touching_the_bets() -> None:
    game, opened, _ = showdown()
    discard = opened + 1
    choices = list(RULES.correction_choices(game.referee.state_before(discard), _cause(game, discard)))
    assert {action.verb for action in choices} == {"discard"}
    before = game.referee.state.kamons
    game.referee.correct(discard, ob.ActionDeclared(at=0, action=Action(A, "discard", 14)), game.at)
    assert game.referee.state.hands[A].discard == 14
    assert game.referee.state.kamons == before


def _cause(game: Played, seq: int) -> Any:
    return next(entry.cause for entry in game.referee.journal.entries if entry.seq == seq)


def test_taking_back_a_payout_says_what_everybody_had() -> None:
    game, _, _ = showdown()
    told = [(said.key, said.parts) for said in game.referee.undo_instructions()]
    assert ("kobayakawa.back.kamons", (("chair", A), ("count", 3))) in told
    assert ("kobayakawa.back.centre", (("count", 8),)) in told
    game.referee.undo(game.at)
    assert game.referee.state.phase is KobayakawaPhase.SHOWDOWN
    game.see("hand:3", 15)
    assert game.referee.state.phase is KobayakawaPhase.DEALING


def test_taking_back_a_turn_says_which_cards_go_back() -> None:
    game = Table(3)
    game.say(A, "start")
    before = game.deal(7).state
    game.say(A, "discard", 4)
    game.say(B, "kobayakawa", 9)
    keys = [said.key for said in RULES.restore_instructions(game.state, before)]
    assert keys == ["kobayakawa.back.open_off", "kobayakawa.back.discard_up", "kobayakawa.back.seen"]
    keys = [said.key for said in RULES.restore_instructions(before, game.state)]
    assert keys == ["kobayakawa.back.open_on", "kobayakawa.back.discard_down"]


def test_a_restart_in_a_round_changes_nothing_and_the_same_cards_rule_nothing() -> None:
    game, _, _ = showdown()
    game.say(A, "dealt")
    game.say(A, "kobayakawa", 5)
    state = game.referee.state
    game.referee.observe(ob.ProgramRestarted(at=game.at))
    assert game.referee.state == state
    seq = game.see("kobayakawa", 5)
    assert [kind_of(event) for event in game.referee.journal.entries[seq].events] == ["RegionSeen"]
    assert game.referee.state.phase is KobayakawaPhase.DRAWING


def test_o_t40_taking_a_draw_back_says_that_the_card_was_seen() -> None:
    game = Table(3)
    game.say(A, "start")
    before = game.deal(7).state
    game.say(A, "draw")
    assert RULES.restore_instructions(game.state, before) == (
        Sentence("kobayakawa.back.seen", (("chair", A),)),
    )
    drawn = game.state
    game.say(A, "discard", 4)
    assert [said.key for said in RULES.restore_instructions(game.state, drawn)] == [
        "kobayakawa.back.discard_up"
    ]
