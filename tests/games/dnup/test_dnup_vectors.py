"""The test vectors of the rules specification, each under its id."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.games.dnup.rules import model
from companion.games.dnup.rules.cards import PRINTED_DECK, cards_in_use, cards_per_value
from companion.games.dnup.rules.model import DnupPhase
from tests.games.dnup.dnup_table import RULES, A, B, C, Table, table
from tests.games.game_table import broken, kinds


def stood(*sets: tuple[str, ...], players: int = 3, turn: int = A, hands: tuple[int, ...] = ()) -> Table:
    return table(players).stand(*sets, turn=turn, hands=hands)


def test_d_t01_four_cards_with_active_3_are_a_set_of_value_3_and_size_4() -> None:
    game = table()
    ruled = game.lay((A, ("3/4", "3/6", "3/5", "3/7")))
    (played,) = [event for event in ruled if isinstance(event, model.SetPlayed)]
    assert (played.value, played.count) == (3, 4)


@pytest.mark.parametrize(
    ("play", "rule"),
    [
        ("1x8", ""), ("1x7", "play.not_higher"), ("1x5", "play.not_higher"),
        ("3x7", ""), ("3x6", "play.not_higher"), ("3x2", "play.not_higher"),
        ("2x1", ""), ("4x1", ""), ("5x2", ""),
    ],
)  # fmt: skip
def test_d_t02_a_set_of_the_same_size_must_be_higher_and_other_sizes_are_free(play: str, rule: str) -> None:
    game = stood((), ("7/1",), ("6/1", "6/2", "6/3"), hands=(10, 9, 7))
    assert broken(game.say(A, "play", play)) == ([rule] if rule else [])


def test_d_t03_a_card_is_not_added_where_the_set_would_meet_a_higher_one() -> None:
    game = stood(("3/8",), ("5/1", "5/2"), turn=C)
    assert broken(game.say(C, "add", A + 1)) == ["add.not_higher"]
    assert broken(game.lay((A, ("3/8", "3/7")))) == ["add.not_higher"]


def test_d_t04_a_card_is_added_and_the_lower_set_goes_home_turned() -> None:
    game = stood(("5/8",), ("3/4", "3/6"), players=4, turn=C)
    ruled = game.lay((A, ("5/8", "5/7")))
    assert "CardAdded" in kinds(ruled)
    assert game.lies(A) == ("5/8", "5/7")
    assert game.lies(B) == ()
    assert sorted(game.known(B)) == ["4/3", "6/3"]


def test_d_t05_a_taken_set_comes_into_the_hand_turned() -> None:
    game = stood((), ("2/5", "2/7s", "2/9"), players=5, turn=C)
    before = game.sizes[C]
    ruled = game.lay((B, ()))
    assert "SetTaken" in kinds(ruled)
    assert game.known(C) == ("5/2", "7/2s", "9/2")
    assert game.sizes[C] == before + 3
    assert game.lies(B) == ()


def test_d_t06_rotating_swaps_every_card_of_the_hand_and_nothing_on_the_table() -> None:
    game = stood((), ("7/1",)).holding(A, "3/8", "5/7")
    lying = game.lies(B)
    game.say(A, "rotate")
    assert sorted(game.known(A)) == ["7/5", "8/3"]
    assert game.state.hands[A].size == game.sizes[A]
    assert "SetTaken" not in kinds(game.rulings)
    assert lying == ("7/1",)


def test_d_t07_a_beaten_seven_goes_home_turned() -> None:
    game = stood((), (), ("7/1",))
    ruled = game.lay((A, ("8/1",)))
    assert [(event.seat, event.value) for event in ruled if isinstance(event, model.SetReturned)] == [(C, 7)]
    assert game.known(C) == ("1/7",)


def test_d_t08_an_equal_value_of_the_same_size_is_no_play() -> None:
    game = stood((), ("7/1",))
    assert broken(game.lay((A, ("7/2s",)))) == ["play.not_higher"]


def test_d_t09_the_own_set_is_discarded_first_and_never_in_the_way() -> None:
    game = table()
    game.say(A, "play", "1x9")
    game.say(B, "rotate")
    ruled = game.say(C, "rotate")
    assert [(event.seat, event.count) for event in ruled if isinstance(event, model.SetDiscarded)] == [(A, 1)]
    assert not broken(game.say(A, "play", "1x1"))


def test_d_t10_first_and_second_out() -> None:
    game = stood((), (), (), players=4, hands=(1, 3, 1, 3))
    ruled = game.say(A, "play", "1x7")
    assert [(event.seat, event.points) for event in ruled if isinstance(event, model.WentOut)] == [(A, 2)]
    assert len(game.lies(A)) == 1
    ruled = game.say(B, "play", "1x8")
    assert kinds(ruled)[:2] == ["SetPlayed", "SetBeaten"]
    assert game.sizes[A] == 0
    ruled = game.say(C, "play", "1x9")
    assert [(event.seat, event.points) for event in ruled if isinstance(event, model.WentOut)] == [(C, 1)]
    assert "RoundEnded" in kinds(ruled)
    assert game.phase == DnupPhase.DEALING
    assert game.state.points == (2, 0, 1, 0)


def test_d_t11_the_set_of_the_first_out_leaves_when_the_next_turn_would_come() -> None:
    game = stood((), (), (), hands=(1, 3, 3))
    game.say(A, "play", "1x7")
    game.say(B, "rotate")
    assert game.lies(A)
    ruled = game.say(C, "rotate")
    assert [event.seat for event in ruled if isinstance(event, model.SetDiscarded)] == [A]
    assert game.state.seat == B, "who is out takes no more turns"


def test_d_t12_four_points_end_the_game_at_once() -> None:
    game = stood((), (), (), hands=(1, 3, 3))
    game.declare(points_0=3)
    ruled = game.say(A, "play", "1x7")
    assert game.state.points == (5, 0, 0)
    assert "GameWon" in kinds(ruled)
    assert game.rules.outcome(game.state).winners == (A,)  # type: ignore[union-attr]


@pytest.mark.parametrize(("players", "cards", "each"), [(5, 40, 8), (4, 36, 9), (3, 30, 10), (2, 26, 13)])
def test_d_t13_cards_and_hands_by_the_number_of_players(players: int, cards: int, each: int) -> None:
    game = table(players)
    assert len(game.state.cards_in_use) == cards
    assert game.sizes == (each,) * players


@pytest.mark.parametrize(
    ("players", "counts"),
    [
        (2, (7, 7, 6, 6, 6, 6, 6, 4, 3, 1)),
        (3, (8, 8, 7, 7, 7, 7, 6, 5, 3, 2)),
        (4, (10, 10, 9, 8, 8, 8, 7, 6, 4, 2)),
        (5, (10, 10, 10, 9, 9, 9, 8, 7, 5, 3)),
    ],
)
def test_d_t13_copies_of_every_value(players: int, counts: tuple[int, ...]) -> None:
    assert tuple(cards_per_value(cards_in_use(PRINTED_DECK, players)).values()) == counts


def test_d_t14_the_starter_of_two_has_one_turn_with_the_second_area() -> None:
    game = table(2, starter=A)
    turns = [(game.state.seat, game.state.number(game.state.area))]
    for _ in range(5):
        game.say(game.state.seat, "rotate")
        turns.append((game.state.seat, game.state.number(game.state.area)))
    assert turns == [(A, 2), (B, 1), (B, 2), (A, 1), (A, 2), (B, 1)]


def test_d_t15_own_sets_collide_with_own_sets() -> None:
    game = table(2).stand((), ("6/1", "6/2"), turn=A, hands=(9, 13))
    assert broken(game.say(A, "play", "2x4")) == ["play.not_higher"]
    ruled = game.say(A, "play", "2x8")
    assert [(event.seat, event.count) for event in ruled if isinstance(event, model.SetReturned)] == [(A, 2)]
    assert game.known(A) == ("1/6", "2/6")


def test_d_t16_a_last_card_that_beats_an_own_set_wins_the_round_at_once() -> None:
    game = table(2).stand((), ("6/1",), turn=A, hands=(1, 13))
    ruled = game.say(A, "play", "1x8")
    assert kinds(ruled) == ["SetPlayed", "WentOut", "RoundEnded"]
    assert game.state.points == (1, 0)


def test_d_t16_so_does_a_last_card_that_is_added() -> None:
    game = table(2).stand((), ("6/1", "6/2"), ("7/1",), turn=A, hands=(1, 13))
    assert kinds(game.say(A, "add", 3)) == ["CardAdded", "WentOut", "RoundEnded"]


def test_d_t16_by_house_rule_the_own_set_comes_home_first_and_the_round_goes_on() -> None:
    for verb, value, set_there in (("play", "1x8", ("6/1",)), ("add", 3, ("6/1", "6/2"))):
        game = table(2, out_check_2p="after_bounce").stand((), set_there, ("7/1",), turn=A, hands=(1, 13))
        ruled = game.say(A, verb, value)
        assert "SetReturned" in kinds(ruled)
        assert "WentOut" not in kinds(ruled)
        assert game.sizes[A] == len(set_there)


def test_d_t16_a_last_card_of_three_players_sends_an_opponents_set_home_as_ever() -> None:
    game = stood((), ("6/1",), hands=(1, 9, 9))
    assert [name for name in kinds(game.say(A, "play", "1x8")) if name in {"SetReturned", "WentOut"}] == [
        "SetReturned",
        "WentOut",
    ]


def test_d_t17_an_added_last_card_counts_as_going_out() -> None:
    game = stood((), ("7/1",), hands=(1, 9, 9))
    ruled = game.say(A, "add", B + 1)
    assert [(event.seat, event.place) for event in ruled if isinstance(event, model.WentOut)] == [(A, 1)]


def test_d_t18_whoever_holds_the_star_begins_every_round() -> None:
    game = table(3, starter=B)
    assert game.state.seat == B
    game.stand(turn=B, hands=(1, 1, 9))
    game.say(B, "play", "1x7")
    game.say(C, "rotate")
    game.say(A, "play", "1x8")
    assert game.phase == DnupPhase.DEALING
    game.press(2)
    assert game.state.seat == C


def test_d_t18_a_star_that_comes_from_another_hand_is_told() -> None:
    game = table(3, starter=A)
    game.say(A, "rotate")
    ruled = game.lay((B, ("5/1",)))
    assert [event.seat for event in ruled if isinstance(event, model.StarElsewhere)] == [A]


def test_d_t19_a_card_added_by_an_opponent_goes_home_with_the_set() -> None:
    game = stood(("5/8",), (), turn=B, hands=(9, 9, 9))
    game.lay((A, ("5/8", "5/7")))
    ruled = game.lay((C, ("6/1", "6/2")))
    assert [(event.seat, event.count) for event in ruled if isinstance(event, model.SetReturned)] == [(A, 2)]
    assert sorted(game.known(A)) == ["7/5", "8/5"]
    assert game.sizes[A] == 11


def test_d_t20_the_first_of_two_to_win_two_rounds_wins() -> None:
    game = table(2)
    for round_ in (1, 2):
        game.stand(turn=A, hands=(1, 13))
        ruled = game.say(A, "play", "1x7")
        assert "WentOut" in kinds(ruled)
        assert game.state.points == (round_, 0)
        if round_ == 1:
            assert game.phase == DnupPhase.DEALING
            game.begin(B)
    assert game.rules.outcome(game.state).termination == "two_rounds"  # type: ignore[union-attr]


def test_taken_back_to_another_deal_says_what_lay_where_and_who_held_how_much() -> None:
    game = Table().begin().stand(("2/1", "2/3"), turn=B, hands=(4, 1, 5))
    before = game.state
    dealing = replace(before, phase=DnupPhase.DEALING, areas=(), hands=(), round=before.round + 1)
    back = [(said.key, dict(said.parts)) for said in RULES.restore_instructions(dealing, before)]
    assert back == [
        ("dnup.back.round", {}),
        ("dnup.back.lies", {"chair": A, "count": 2}),
        ("dnup.back.hand", {"chair": A, "count": 4}),
        ("dnup.back.hand", {"chair": B, "count": 1}),
        ("dnup.back.hand", {"chair": C, "count": 5}),
    ]
    turn = RULES.restored_turn(dealing, before)
    assert turn is not None
    assert (turn.key, dict(turn.parts)) == ("dnup.back.turn", {"chair": B})
    assert RULES.restored_turn(before, dealing) is None
    assert RULES.restored_turn(before, replace(before, hands=())) is None, "it is the same turn"
    assert [said.key for said in RULES.restore_instructions(before, dealing)] == ["dnup.back.gather"]
    assert RULES.restore_instructions(before, replace(before, phase=DnupPhase.OVER)) == ()
