"""House rules of dnup, its set-up by button, the wizard for the deck, stalls, and the table's word."""

from __future__ import annotations

import pytest

from companion.core.actions import SECOND, Action
from companion.core.observations import SeenCard
from companion.games.dnup.rules import model
from companion.games.dnup.rules.cards import (
    PRINTED_DECK,
    STAR_CARD,
    card_symbol,
    card_values,
    cards_per_value,
    deck_fault,
)
from companion.games.dnup.rules.model import DnupPhase
from tests.games.dnup.dnup_table import A, B, C, Table, face, setup, table
from tests.games.game_table import broken, kinds


def test_da1_the_listed_deck_has_forty_cards_and_one_star() -> None:
    assert len(PRINTED_DECK) == 40
    assert PRINTED_DECK.count(STAR_CARD) == 1
    assert {card_values(name)[0] != card_values(name)[1] for name in PRINTED_DECK} == {True}
    assert [sum(card_symbol(name) == sign for name in PRINTED_DECK) for sign in "nsf"] == [4, 6, 4]
    assert max(map(PRINTED_DECK.count, PRINTED_DECK)) == 2
    assert deck_fault(PRINTED_DECK) == ""


def shown(game: Table, names: tuple[str, ...]) -> None:
    """The whole deck, six cards at a time."""
    for start in range(0, len(names), 6):
        game.look(("scan", tuple(face(f"{name.partition('-')[0]}/{name.partition('-')[2]}")
                                 for name in names[start : start + 6])))  # fmt: skip
        game.look(("scan", ()))


def test_da1_the_deck_is_shown_once_counted_and_taken_instead_of_the_list() -> None:
    game = Table(3, deck_file="scan")
    assert game.phase == DnupPhase.SCANNING
    other = ("9-10", *(name for name in PRINTED_DECK if name != "3-9"))
    shown(game, other)
    assert len(game.state.shown) == 40
    assert "DeckScanned" in kinds(game.say(A, "scanned"))
    game.begin()
    assert cards_per_value(game.state.cards_in_use)[10] == 3
    assert "3-9" not in game.state.cards_in_use


@pytest.mark.parametrize(("players", "out"), [(2, 14), (3, 10), (4, 4), (5, 0)])
def test_da1_before_the_deal_the_faces_that_go_into_the_box_are_counted(players: int, out: int) -> None:
    rules = Table(players).rules
    state = rules.initial_state(setup(players))
    heaps = rules.view(state).heaps
    assert {heap.kind: heap.count for heap in heaps} == {"sad": 4, "smile": 6, "neutral": 4}
    assert sum(heap.count for heap in heaps if heap.words == "dnup.heap.out") == out
    assert len(state.cards_in_use) == 40 - out


def test_da1_a_deck_that_is_to_be_scanned_stays_whole_until_then() -> None:
    rules = Table(2).rules
    assert rules.setup_instructions(setup(2))[0].key == "dnup.prepare.out.2"
    assert rules.setup_instructions(setup(2, deck_file="scan"))[0].key == "dnup.prepare.scan"


@pytest.mark.parametrize(
    "unsure", [face("6/7", confidence=0.97), face("2/4", confidence=0.8), SeenCard("unknown")]
)
def test_da1_a_row_with_a_card_that_is_not_certain_counts_only_when_it_is(unsure: SeenCard) -> None:
    game = Table(3, deck_file="scan")
    assert kinds(game.look(("scan", (face("2/4"), unsure)))) == ["ScanUnread"]
    assert game.look(("scan", (unsure,))) == ()
    assert game.state.shown == ()
    hint = game.rules.view(game.state).hint
    assert hint is not None
    assert hint.key == "dnup.hint.scanning.unread"
    game.look(("scan", (face("2/4"), face("6/7"))))
    assert game.state.shown == ("2-4", "6-7")


def test_da1_a_deck_that_is_short_is_shown_anew() -> None:
    game = Table(3, deck_file="scan")
    shown(game, PRINTED_DECK[:39])
    assert broken(game.say(A, "scanned")) == ["scan.count"]
    game.say(A, "again")
    assert game.state.shown == ()


def test_da1_a_deck_without_its_star_or_that_cannot_be_dealt_is_refused() -> None:
    game = Table(3, deck_file="scan")
    shown(game, tuple("1-6" if name == STAR_CARD else name for name in PRINTED_DECK))
    assert broken(game.say(A, "scanned")) == ["scan.star"]
    game = Table(3, deck_file="scan")
    shown(game, tuple("1-10" if name == "1-10n" else name for name in PRINTED_DECK))
    assert broken(game.say(A, "scanned")) == ["scan.uneven"]


def test_da1_the_wizard_may_be_left_and_cards_may_be_said() -> None:
    game = Table(3, deck_file="scan")
    game.say(A, "card", "3-8")
    assert game.state.shown == ("3-8",)
    game.say(A, "listed")
    assert game.phase == DnupPhase.SORTING
    assert len(game.state.cards_in_use) == 30


@pytest.mark.parametrize(("allowed", "rules"), [(True, []), (False, ["target.out_player"])])
def test_da2_the_set_of_the_first_out(allowed: bool, rules: list[str]) -> None:
    for verb in ("add", "take"):
        game = table(3, target_out_player=allowed).stand(hands=(1, 3, 3))
        game.say(A, "play", "1x7")
        assert broken(game.say(B, verb, A + 1)) == rules


def test_da3_an_added_card_is_discarded_with_the_set_of_the_first_out() -> None:
    game = table(4).stand(hands=(1, 3, 3, 3))
    game.say(A, "play", "1x7")
    game.say(B, "add", A + 1)
    ruled = game.say(C, "play", "2x8")
    assert [(event.seat, event.count) for event in ruled if isinstance(event, model.SetBeaten)] == [(A, 2)]
    assert game.sizes[A] == 0


@pytest.mark.parametrize(("allowed", "rules"), [(True, []), (False, ["target.own_area"])])
def test_da4_the_own_other_area(allowed: bool, rules: list[str]) -> None:
    for verb in ("add", "take"):
        game = table(2, own_area_target=allowed).stand((), ("6/1",), turn=A, hands=(5, 5))
        whose = game.rules.label(game.state, Action(A, verb)).key
        assert whose == (f"dnup.do.{verb}.any" if allowed else f"dnup.do.{verb}")
        assert broken(game.say(A, verb, 2)) == rules


@pytest.mark.parametrize(("choice", "out"), [("after_bounce", False), ("before_bounce", True)])
def test_da5_the_last_card_beats_an_own_set(choice: str, *, out: bool) -> None:
    game = table(2, out_check_2p=choice).stand((), ("6/1",), turn=A, hands=(1, 13))
    assert ("WentOut" in kinds(game.say(A, "play", "1x8"))) is out


def test_da6_an_equal_value_does_not_beat_when_adding() -> None:
    game = table(4).stand(("5/8",), ("5/1", "5/2"), turn=C)
    assert broken(game.say(C, "add", A + 1)) == ["add.not_higher"]


@pytest.mark.parametrize(
    ("choice", "key"), [(False, "dnup.hint.dealing"), (True, "dnup.hint.dealing.either")]
)
def test_da7_whether_a_hand_may_be_turned_is_told_at_the_deal(choice: bool, key: str) -> None:
    game = Table(3, choose_hand_orientation=choice)
    game.say(A, "prepared")
    hint = game.rules.view(game.state).hint
    assert hint is not None
    assert hint.key == key


@pytest.mark.parametrize(("limit", "turns"), [("3_laps", 9), ("5_laps", 15), ("never", None)])
def test_da9_after_so_many_rounds_of_rotating_a_new_deal_is_offered(limit: str, turns: int | None) -> None:
    game = table(3, stall_limit=limit)
    told = None
    for turn in range(1, 20):
        if "StallNoticed" in kinds(game.say(game.state.seat, "rotate")):
            told = turn
            break
    assert told == turns
    if told is None:
        assert broken(game.say(game.state.seat, "redeal")) == ["turn.not_now"]
        return
    assert Action(game.state.seat, "redeal") in game.rules.prompts(game.state)[0].actions
    game.say(game.state.seat, "redeal")
    assert game.phase == DnupPhase.DEALING
    game.begin(B)
    assert game.state.round == 1
    assert game.state.points == (0, 0, 0)


def test_da9_a_card_played_begins_the_count_anew() -> None:
    game = table(3)
    for _ in range(8):
        game.say(game.state.seat, "rotate")
    game.say(game.state.seat, "play", "1x7")
    for _ in range(8):
        assert "StallNoticed" not in kinds(game.say(game.state.seat, "rotate"))


@pytest.mark.parametrize(("choice", "cards"), [(True, (10, 10, 10)), (False, (0, 0, 0))])
def test_da11_hand_sizes_are_shown_or_not(choice: bool, cards: tuple[int, ...]) -> None:
    game = table(3, show_hand_sizes=choice)
    assert tuple(chair.cards for chair in game.rules.view(game.state).chairs) == cards


def test_da14_the_set_of_the_first_out_blocks_its_size() -> None:
    game = table(4).stand(hands=(1, 3, 3, 3))
    game.say(A, "play", "1x7")
    assert broken(game.say(B, "play", "1x7")) == ["play.not_higher"]


@pytest.mark.parametrize(("style", "told"), [("points", "2/4"), ("letters", "dn")])
def test_da16_points_or_letters(style: str, told: str) -> None:
    game = table(3, score_style=style).stand(hands=(1, 3, 3))
    game.say(A, "play", "1x7")
    chairs = game.rules.view(game.state).chairs
    assert [token.value for token in chairs[A].tokens] == [told]
    none = [] if style == "letters" else ["0/4"]
    assert [token.value for token in chairs[B].tokens] == none, "who has none is told, too"


# By button ------------------------------------------------------------------------------------------------


def say_by_halves(game: Table, verb: str, value: int) -> None:
    """Back takes the first half, next the second, until it is said."""
    while any(action.verb == verb for prompt in game.rules.prompts(game.state) for action in prompt.actions):
        choices = game.rules.view(game.state).chairs[A].choices
        press = next(one.press for one in choices if (one.action.verb, one.action.value) == (verb, value))
        game.press(None, button="back" if press == "tap" else "next")


def test_a_play_is_said_with_the_three_shared_buttons_alone() -> None:
    game = table(3)
    game.press(None, button="ok")
    assert game.phase == DnupPhase.SIZING
    say_by_halves(game, "size", 2)
    assert (game.phase, game.state.size) == (DnupPhase.VALUING, 2)
    say_by_halves(game, "value", 10)
    assert game.lies(A) == ("10/?", "10/?")


def test_something_else_leads_back_to_the_four_actions() -> None:
    game = table(3)
    for verb in ("play",):
        game.say(A, verb)
        game.say(A, "again")
        assert game.phase == DnupPhase.ACTING


def test_only_what_can_be_done_is_offered() -> None:
    game = table(3)
    (prompt,) = game.rules.prompts(game.state)
    assert [action.verb for action in prompt.actions] == ["play", "rotate"]
    game.say(A, "play", "1x7")
    (prompt,) = game.rules.prompts(game.state)
    assert [action.verb for action in prompt.actions] == ["play", "add", "take", "rotate"]


def test_a_round_is_set_up_by_the_chairs_own_buttons() -> None:
    game = Table(3)
    game.press(A)
    assert game.phase == DnupPhase.DEALING
    game.press(B)
    assert (game.phase, game.state.seat) == (DnupPhase.ACTING, B)


# The table's word -----------------------------------------------------------------------------------------


def test_the_table_says_who_holds_how_much_and_what_lies_where() -> None:
    game = table(3).stand((), ("7/1",)).holding(A, "5/7").holding(B, "3/8").holding(C, "3/9")
    assert not broken(game.declare(turn=0, hand_1=5, size_2=2, value_2=4, points_0=2))
    assert game.sizes[B] == 5
    assert (game.known(A), game.known(B), game.known(C)) == (("5/7",), (), ())
    assert game.lies(C) == ("4/?", "4/?")
    assert game.state.points[A] == 2
    assert model.find_violation(game.state) is None


@pytest.mark.parametrize(
    "told", [{"hand_1": 99}, {"size_1": 2, "value_1": 0}, {"turn": 7}, {"size_2": 1, "value_2": 4}, {"x": 1}]
)
def test_a_table_that_cannot_stand_like_that_is_refused(told: dict[str, int]) -> None:
    game = table(3).stand((), ("7/1",))
    assert broken(game.declare(**told)) == ["repair.impossible"]


def test_every_field_of_the_repair_is_taken_as_it_is_offered() -> None:
    for players in (2, 3, 5):
        game = table(players)
        fields = game.rules.view(game.state).fields
        told = {field.name.replace(":", "_"): field.value for field in fields}
        assert not broken(game.declare(**told))


def test_a_value_of_no_cards_brings_back_none_that_were_discarded() -> None:
    game = table(3)
    game.lay((A, ("3/7",)))
    game.say(B, "play", "2x9")
    game.say(C, "play", "3x9")
    before, lay = game.state.areas, game.of(model.SetPlayed)
    assert game.lies(A) == ()
    assert not broken(game.declare(value_0=5))
    assert game.state.areas == before
    game.say(game.state.seat, "rotate")
    game.wait(10 * SECOND)
    assert game.of(model.SetPlayed) == lay


@pytest.mark.parametrize("said", [False, True])
def test_d_t21_what_lies_counts_after_the_quiet_of_the_house_or_at_the_players_word(*, said: bool) -> None:
    game = table(settle_s=4)
    game.see((A, ("7/3",)))
    seen = game.at
    game.elapse(seen + (SECOND if said else 4 * SECOND - 1))
    assert game.of(model.SetPlayed) == []
    if said:
        game.press(A)
        game.release(A)
    else:
        game.elapse(seen + 4 * SECOND)
    assert [event.seat for event in game.of(model.SetPlayed)] == [A]
