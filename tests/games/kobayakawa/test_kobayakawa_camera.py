"""What the camera reads at a Kobayakawa table: cards in their fields, and what lies where it may not."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.observations import CameraLost, ProgramRestarted, ProgramStalled
from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.camera_rulings import BACK
from companion.games.kobayakawa.rules.model import SEAT_FIELDS, UNREAD, KobayakawaPhase
from tests.games.game_table import broken, kinds
from tests.games.kobayakawa.kobayakawa_table import RULES, A, B, C, Table, table


def seen_deal(players: int = 3, number: int = 7) -> Table:
    """A round whose Kobayakawa was read."""
    game = table(players)
    game.see("kobayakawa")
    game.see("kobayakawa", number)
    assert game.phase == KobayakawaPhase.DRAWING
    return game


def field(game: Table, kind: str, seat: int) -> str:
    return f"{kind}:{SEAT_FIELDS[game.state.players][seat]}"


def betting(game: Table) -> Table:
    """Everybody has drawn, by the camera alone."""
    for number, seat in zip((2, 3, 4, 5, 6, 8), game.state.order, strict=False):
        game.see(field(game, "discard", seat), number)
    assert game.phase == KobayakawaPhase.BETTING
    return game


def test_a_turned_up_card_begins_the_round() -> None:
    game = table(3)
    game.see("kobayakawa")
    assert kinds(game.see("kobayakawa", 7)) == ["RegionSeen", "RoundBegan"]
    assert (game.state.kobayakawa, game.state.watched) == (7, True)


def test_a_card_turned_up_before_the_press_needs_no_number() -> None:
    game = table(3)
    game.round(8, a=0)
    game.see("kobayakawa", 4)  # the old pile was never seen to go
    assert game.phase == KobayakawaPhase.DEALING
    assert kinds(game.say(A, "dealt")) == ["RoundBegan"]
    assert game.state.kobayakawa == 4


def test_older_cards_under_a_lifted_kobayakawa_begin_no_round() -> None:
    game = betting(seen_deal())
    game.bets(A)
    assert game.phase == KobayakawaPhase.DEALING
    assert kinds(game.see("kobayakawa", 7)) == ["RegionSeen"]
    game.see("kobayakawa")
    assert kinds(game.see("kobayakawa", 7))[-1] == "RoundBegan"


def test_what_is_left_of_another_game_begins_no_round() -> None:
    game = Table(3)
    assert broken(game.see("kobayakawa", 3, 8)) == []
    game.say(A, "start")
    assert kinds(game.say(A, "dealt")) == ["KobayakawaAsked"]
    game = Table(3)
    game.see("kobayakawa", 3, 8)
    game.say(A, "start")
    game.see("kobayakawa", 3)
    assert game.phase == KobayakawaPhase.DEALING
    unseen = table(3)
    unseen.see("kobayakawa", 3)  # the camera saw the whole pile before this game
    assert unseen.phase == KobayakawaPhase.DEALING


def test_a_discard_or_a_new_kobayakawa_ends_a_turn_without_a_press() -> None:
    game = seen_deal()
    assert kinds(game.see("discard:1", 12)) == ["RegionSeen", "CardDrawn", "CardDiscarded"]
    assert game.state.actor == B
    assert kinds(game.see("kobayakawa", 7, 9)) == ["RegionSeen", "KobayakawaReplaced"]
    assert (game.state.opened, game.state.actor) == ((7, 9), C)


def test_after_a_press_the_camera_tells_the_number() -> None:
    game = seen_deal()
    game.tap(A)
    assert game.phase == KobayakawaPhase.DISCARDING
    assert kinds(game.see("discard:1", 12)) == ["RegionSeen", "CardDiscarded"]
    game.hold(B)
    assert game.phase == KobayakawaPhase.REPLACING
    assert kinds(game.see("kobayakawa", 7, 1)) == ["RegionSeen", "KobayakawaReplaced"]


def test_whoever_drew_and_turns_up_a_new_kobayakawa_takes_it_off_again() -> None:
    game = seen_deal()
    game.say(A, "draw")
    assert broken(game.see("kobayakawa", 9)) == ["draw.both"]
    assert broken(game.say(A, "replace")) == ["draw.looked"]
    assert (game.phase, game.state.opened) == (KobayakawaPhase.DISCARDING, (7,))
    assert kinds(game.see("kobayakawa", 7)) == ["RegionSeen", "PutRight"]


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_fields_belong_to_players_clockwise(players: int) -> None:
    game = betting(seen_deal(players))
    game.bets(A, players - 1)
    assert game.rules.awaited_regions(game.state) == {
        field(game, "hand", A),
        field(game, "hand", players - 1),
    }
    game.looks({field(game, "hand", A): (9,), field(game, "hand", players - 1): (15,)})
    assert dict(game.of(model.RoundWon)[-1].totals) == {A: 16, players - 1: 15}


def test_all_fighters_reveal_in_one_picture_or_one_after_another() -> None:
    at_once, in_turn = betting(seen_deal()), betting(seen_deal())
    for game in (at_once, in_turn):
        game.bets(A, B, C)
    at_once.looks({"hand:1": (9,), "hand:3": (15,), "hand:5": (12,)})
    for place, number in (("hand:5", 12), ("hand:1", 9), ("hand:3", 15)):
        in_turn.see(place, number)
    assert at_once.kamons == in_turn.kamons
    assert at_once.of(model.RoundWon) == in_turn.of(model.RoundWon)


def test_a_card_held_under_the_camera_is_shown() -> None:
    game = betting(seen_deal())
    game.bets(A, B)
    game.shows(A, 9)
    assert kinds(game.shows(B, 15)) == ["CardShown", "RoundWon"]


def test_a_hand_is_not_awaited_where_one_fights_alone() -> None:
    game = betting(seen_deal())
    game.bets(B)
    assert not any(name.startswith("hand") for name in game.rules.awaited_regions(game.state))


# What may not be --------------------------------------------------------------------------------------------


def test_a_discard_lies_open() -> None:
    game = seen_deal()
    assert broken(game.see("discard:1", BACK)) == ["discard.face_down"]
    assert broken(game.see("discard:1", BACK)) == []
    assert kinds(game.see("discard:1", 6)) == ["RegionSeen", "PutRight", "CardDrawn", "CardDiscarded"]


def test_a_card_laid_open_out_of_turn_is_called_once_and_counts_in_turn() -> None:
    game = seen_deal()
    ruled = game.see("discard:3", 6)
    assert broken(ruled) == ["discard.not_now"]
    assert broken(game.see("discard:3", 6)) == []
    assert game.state.actor == A
    game.see("discard:1", 11)
    assert kinds(game.say(B, "draw")) == ["CardDrawn", "CardDiscarded"]
    assert game.state.hands[B].discard == 6


def test_whoever_replaced_lays_nothing_open() -> None:
    game = seen_deal()
    game.see("kobayakawa", 7, 9)
    assert broken(game.see("discard:1", 6)) == ["discard.not_now"]
    assert kinds(game.see("discard:1")) == ["RegionSeen", "PutRight"]


def test_the_kobayakawa_stays_while_bets_are_made() -> None:
    game = betting(seen_deal())
    assert broken(game.see("kobayakawa", 7, 15)) == ["kobayakawa.moved"]
    assert broken(game.see("kobayakawa", 7, 14)) == []
    assert game.state.kobayakawa == 7
    assert "PutRight" in kinds(game.see("kobayakawa", 7))


def test_a_former_kobayakawa_does_not_come_back() -> None:
    game = seen_deal()
    game.see("kobayakawa", 7, 9)
    assert broken(game.see("kobayakawa", 7)) == ["kobayakawa.moved"]
    assert game.state.kobayakawa == 9


def test_a_card_shown_before_the_showdown_is_called_without_its_number() -> None:
    game = betting(seen_deal())
    ruled = game.see("hand:1", 13)
    assert broken(ruled) == ["hand.shown"]
    sentences = [game.rules.sentence(game.state, event) for event in ruled]
    assert all(told is None or "13" not in str(told.parts) for told in sentences)
    game.see("hand:1", BACK)
    game.bets(A, B)
    assert game.state.unseen_fighters == (A, B)


def test_a_fighter_whose_card_lies_open_already_need_not_show_it_again() -> None:
    game = betting(seen_deal())
    game.see("hand:1", 13)
    game.bets(A, B)
    assert game.state.unseen_fighters == (B,)


def test_who_passed_may_show_what_they_like() -> None:
    game = betting(seen_deal())
    game.say(A, "pass")
    assert broken(game.see("hand:1", 13)) == []


def test_a_shown_card_is_not_changed_any_more() -> None:
    game = betting(seen_deal())
    game.bets(A, B)
    game.see("hand:1", 13)
    assert broken(game.see("hand:1", 15)) == ["hand.changed"]
    assert game.state.hands[A].shown == 13


# What cannot be read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", ["unknown", BACK, "number:16", "number:x", "animal:3"])
def test_what_is_no_number_begins_nothing(card: str) -> None:
    game = table(3)
    game.see("kobayakawa", card)
    assert game.phase == KobayakawaPhase.DEALING


def test_strange_places_mean_nothing() -> None:
    game = seen_deal(3)
    for place in ("hand:2", "hand:7", "hand:0", "hand:", "discard:x", "slot:1", "deck", ""):
        assert game.see(place, 5) == ()


def test_a_discard_that_nobody_named_is_read_late() -> None:
    game = seen_deal()
    game.say(A, "draw")
    game.say(A, "done")
    assert game.state.hands[A].discard == UNREAD
    assert kinds(game.see("discard:1", 8)) == ["RegionSeen", "DiscardRead"]
    assert game.state.hands[A].discard == 8


def test_without_a_camera_nobody_is_asked_for_open_cards() -> None:
    blind = seen_deal()
    blind.observe(CameraLost(at=blind.at))
    blind.draw_all()
    assert blind.of(model.DiscardMissing) == []
    unseen = table(3).deal(7).draw_all()
    assert unseen.of(model.DiscardMissing) == []


def test_a_hand_that_was_turned_down_again_stays_down_when_rulings_are_taken_back_or_brought_back() -> None:
    game = betting(seen_deal())
    hand = field(game, "hand", A)
    game.see(hand, 12)
    shown = game.state
    game.see(hand, BACK)
    covered = game.state
    assert list(RULES.persistent(shown, covered)) == [model.RegionSeen(hand, UNREAD)]
    assert list(RULES.persistent(covered, shown)) == [], "what lies open is read, not remembered"


def test_a_hand_that_lay_open_is_unread_once_nobody_sees_the_table() -> None:
    game = betting(seen_deal())
    hand = field(game, "hand", A)
    game.see(hand, 12)
    assert model.RegionSeen(hand, UNREAD) in game.observe(CameraLost(at=game.at, reason="cable"))
    assert game.state.last_seen_number("kobayakawa") == 7


@pytest.mark.parametrize("gone", [CameraLost, ProgramRestarted, ProgramStalled])
@pytest.mark.parametrize("kind", ["discard", "kobayakawa"])
def test_what_was_laid_open_too_early_counts_once_somebody_has_seen_it_again(
    gone: type[Any], kind: str
) -> None:
    game = seen_deal()
    place = field(game, kind, B) if kind == "discard" else kind
    game.say(A, "draw")
    assert game.see(place, 9)
    assert game.state.last_seen_number(place) == 9
    game.observe(gone(at=game.at, **({"until": game.at + 1} if gone is ProgramStalled else {})))
    assert game.state.last_seen_number(place) == UNREAD


def test_a_card_laid_open_too_early_that_counted_is_read_again_once_that_is_taken_back() -> None:
    game = seen_deal()
    place = field(game, "discard", B)
    game.see(place, 9)
    game.see(field(game, "discard", A), 3)
    before = game.state
    game.say(B, "draw")
    assert game.state.hands[B].discard == 9
    assert list(RULES.persistent(before, game.state)) == [model.RegionSeen(place, UNREAD)]
