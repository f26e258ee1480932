"""The vectors HE1 to HE55 of docs/rules.md, section 12."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.games.hearts.rules.model import (
    DealScored,
    HeartsOptions,
    HeartsPhase,
    TrickTaken,
    trick_rules,
)
from companion.games.hearts.rules.view import passing
from companion.games.kit.cards import RANKS, VALUES
from companion.games.kit.proof import Conflict, Deal, find_conflict, grounds
from companion.games.kit.trick_table import (
    CardCorrected,
    CardsDisagree,
    CardTwice,
    RevokeProved,
    TrickGameWon,
)
from companion.games.kit.tricks import Play, lawful_cards, next_seat
from tests.games.hearts.hearts_table import RULES, A, B, C, D, Table, card, cards, kinds, rule_broken

MOON = " ".join(f"♣{rank} ♦{rank} ♠{rank} ♥{rank}" for rank in RANKS).removeprefix("♣2 ")
"""A takes every trick with clubs."""


def split(first: str) -> str:
    """B takes trick 1, which is `first` after ♣2, with ♣K; A takes all others."""
    gone = {card(one) for one in f"♣2 {first} ♦2 ♦A ♥K ♥2".split()}
    rest = {sign: [f"{sign}{rank}" for rank in RANKS if card(f"{sign}{rank}") not in gone] for sign in "♣♦♠♥"}
    hands = (rest["♣"], [*rest["♦"], "♥K"], rest["♠"][1:], rest["♥"])
    tricks = zip(*hands, strict=True)
    return f"{first} ♦2 {rest['♠'][0]} ♥2 ♦A " + " ".join(" ".join(trick) for trick in tricks)


HALVES = split("♣K ♠Q ♦K")
"""A takes all hearts, B the queen of spades; with `first_trick=any`."""
MOON_WITHOUT_JACK = split("♣K ♠2 ♦J")


def scored(table: Table, played: str) -> tuple[int, ...]:
    (found,) = [event.points for event in table.lay(played) if isinstance(event, DealScored)]
    return found


def test_he1_whoever_has_the_two_of_clubs_leads_it() -> None:
    table = Table(opens=None)
    assert (table.asked(), table.offered()) == ([A, B, C, D], {"open": 4})
    assert rule_broken(table.play(B, "♣5")) == "turn.not_now"
    table.say(C, "open")
    assert table.state.plays == (Play(C, 0),)
    assert (table.asked(), table.offered()) == ([D], {"play": 52, "claim": 4})


def test_he2_another_is_refused() -> None:
    table = Table()
    assert rule_broken(table.play(C, "♣5")) == "turn.not_yours"
    assert table.asked() == [B]


def test_he3_he6_a_card_that_was_told_is_not_taken() -> None:
    table = Table()
    assert table.play(B, "♣2") == (CardTwice(B, card("♣2"), 1),)
    assert (table.asked(), table.offered()) == ([B], {"play": 52, "claim": 4})
    table.lay("♣K ♣5 ♣A ♦3")
    assert table.play(A, "♣K") == (CardTwice(A, card("♣K"), 1),)
    assert table.asked() == [A]


def test_he4_he5_the_highest_of_the_suit_led_takes_the_trick() -> None:
    table = Table()
    assert table.lay("♣K ♣5 ♣A")[-1] == TrickTaken(D, 0)
    assert table.asked() == [D]
    assert Table().lay("♦A ♣5 ♣3")[-1] == TrickTaken(C, 0)


def test_he7_points_of_a_trick() -> None:
    for jack, points in ((False, 14), (True, 4)):
        table = Table(jack=jack)
        table.lay("♣3 ♣4 ♣5 ♠2")
        assert table.lay("♠Q ♦J ♥A")[-1] == TrickTaken(A, points)


@pytest.mark.parametrize(
    ("rule", "ways"),
    [
        ("hold", ["left", "right", "across", "none", "left"]),
        ("no_hold", ["left", "right", "across", "left", "right"]),
        ("none", ["none"] * 5),
    ],
)
def test_he8_to_whom_three_cards_go(rule: str, ways: list[str]) -> None:
    table = Table(opens=None, passing=rule)
    found = []
    for deal in range(1, 6):
        if deal > 1:
            table.declare((0, 0, 0, 0), deal)
        found.append(passing(table.state))
    assert found == ways


def test_he9_hearts_and_queen_apart_are_no_moon() -> None:
    table = Table(first_trick="any")
    assert scored(table, HALVES) == (13, 13, 0, 0)
    assert table.state.points == (13, 13, 0, 0)


def test_he10_he11_who_shoots_the_moon() -> None:
    table = Table()
    *_, shot, deal = table.lay(MOON)
    assert (kinds((shot,)), deal) == (["MoonShot"], DealScored((0, 26, 26, 26)))
    assert scored(Table(moon="own"), MOON) == (-26, 0, 0, 0)


@pytest.mark.parametrize(("verb", "points"), [("add", (0, 26, 26, 26)), ("subtract", (-26, 0, 0, 0))])
def test_he11_he12_the_shooter_chooses(verb: str, points: tuple[int, ...]) -> None:
    table = Table(moon="choice")
    assert kinds(table.lay(MOON))[-1] == "MoonShot"
    assert (table.asked(), table.offered()) == ([A], {"add": 1, "subtract": 1})
    assert rule_broken(table.say(B, "add")) == "turn.not_now"
    assert table.asked() == [A]
    assert table.say(A, verb) == (DealScored(points),)


def test_he13_he14_the_jack_comes_on_top() -> None:
    assert scored(Table(jack=True), MOON_WITHOUT_JACK) == (0, 16, 26, 26)
    assert scored(Table(jack=True, moon="own"), MOON_WITHOUT_JACK) == (-26, -10, 0, 0)
    assert scored(Table(jack=True, first_trick="any"), HALVES) == (3, 13, 0, 0)


@pytest.mark.parametrize(
    ("had", "options", "winners"),
    [
        ((87, 27, 60, 59), {}, (B,)),
        ((87, 27, 40, 60), {}, (B, C)),
        ((87, 27, 40, 60), {"tie": "more"}, None),
        ((37, 0, 20, 30), {"target": 50}, (B,)),
        ((36, 0, 20, 30), {"target": 50}, None),
        ((86, 86, 0, 0), {}, None),
    ],
)
def test_he15_to_he18_the_end(
    had: tuple[int, ...], options: dict[str, object], winners: tuple[int, ...] | None
) -> None:
    """A and B get 13 each."""
    table = Table(opens=None, first_trick="any", **options)
    table.declare(had, 1)
    table.say(A, "open")
    won = [event.seats for event in table.lay(HALVES) if isinstance(event, TrickGameWon)]
    assert won == ([] if winners is None else [winners])
    if winners is None:
        assert (table.state.deal, table.phase, passing(table.state)) == (2, HeartsPhase.PASS, "right")


def conflict(played: str, **options: object) -> Conflict | None:
    """After ♣2 of A, whoever is in turn plays these."""
    rules = trick_rules(HeartsOptions(**options))  # type: ignore[arg-type]
    plays = [Play(A, 0)]
    for one in played.split():
        plays.append(Play(next_seat(rules, plays), VALUES.index(card(one))))
    return find_conflict(rules, Deal(tuple(plays)))


OFF_CLUBS = "♦4 ♣5 ♣3 ♦2 ♦3 ♦5 ♦6"
"""B follows no club, and leads to trick 3."""


def test_he19_he47_who_did_not_follow_has_none_of_that_suit() -> None:
    assert conflict(f"{OFF_CLUBS} ♣9") == Conflict(8, (1,))
    assert conflict(f"{OFF_CLUBS} ♠9") is None


HEART_FIRST = "♥4 ♣5 ♣3 ♦2 ♦3 ♦5"
"""B discards a heart in trick 1; C leads, and it is B's turn."""


@pytest.mark.parametrize(
    ("last", "usual", "free"), [("♣9", 1, 1), ("♦9", 1, 0), ("♠2", 1, 0), ("♠Q", 0, 0), ("♥9", 0, 0)]
)
def test_he20_he21_a_point_card_in_the_first_trick(last: str, usual: int, free: int) -> None:
    assert (conflict(f"{HEART_FIRST} {last}") is not None) == usual
    assert (conflict(f"{HEART_FIRST} {last}", first_trick="any") is not None) == free


UNBROKEN = "♣3 ♣4 ♣5 ♦2 ♦9 ♦3 ♦4 ♥4 ♥5 ♥6 ♥7 ♠2"
"""A leads a heart to trick 3 before one was played; D leads to trick 4, and A's turn is next."""


@pytest.mark.parametrize(("last", "usual", "queen"), [("♠Q", 1, 0), ("♣9", 1, 1), ("♥9", 0, 0)])
def test_he22_he23_he25_a_heart_led_too_early(last: str, usual: int, queen: int) -> None:
    assert (conflict(f"{UNBROKEN} {last}") is not None) == usual
    assert (conflict(f"{UNBROKEN} {last}", queen_or_hearts=True) is not None) == queen
    assert conflict(f"{UNBROKEN} {last}", heart_leads="any") is None


def test_he24_he26_what_breaks_hearts() -> None:
    """D leads to trick 2, A takes it and leads a heart, D leads to trick 4."""
    queen = "♣3 ♣4 ♣5 ♦2 ♦9 ♠Q ♦4 ♥4 ♥5 ♥6 ♥7 ♠2 ♣9"
    assert conflict(queen) == Conflict(13, (8,))
    assert conflict(queen, queen_breaks=True) is None
    assert conflict(queen.replace("♠Q", "♥3")) is None


@pytest.mark.parametrize(
    ("played", "hand", "options", "lawful"),
    [
        ("", "♣5 ♦4 ♥3", {}, "♣5"),
        ("", "♦4 ♥3 ♠Q", {}, "♦4"),
        ("", "♦4 ♥3 ♠Q", {"first_trick": "any"}, "♦4 ♥3 ♠Q"),
        ("", "♥3 ♠Q", {}, "♥3 ♠Q"),
        ("♣3 ♣4 ♣6", "♣5 ♥3", {}, "♣5"),
        ("♣3 ♣4 ♣6", "♥3 ♥4", {}, "♥3 ♥4"),
        ("♣3 ♣4 ♣6", "♠Q ♥3", {}, "♠Q"),
        ("♣3 ♣4 ♣6", "♠Q ♥3", {"queen_or_hearts": True}, "♠Q ♥3"),
        ("♣3 ♣4 ♣6 ♦2", "♣5 ♥3 ♠Q", {}, "♣5 ♥3 ♠Q"),
    ],
)
def test_he27_he28_what_may_be_played(
    played: str, hand: str, options: dict[str, object], lawful: str
) -> None:
    table = Table(**options)
    table.lay(played)
    found = lawful_cards(table.state.rules, table.state.plays, cards(hand))
    assert sum(1 << one for one in found) == cards(lawful)


def revoking(**options: object) -> Table:
    """B has played ♦4 to a club, and now ♣9."""
    table = Table(**options)
    assert kinds(table.lay(f"{OFF_CLUBS} ♣9")) == ["CardPlayed", "CheckAsked", "CheckAsked"]
    return table


def test_he29_he30_both_cards_are_looked_at_before_anybody_is_named() -> None:
    table = revoking()
    assert (table.phase, table.asked()) == ("check", [B])
    assert table.checked() == [(B, card("♦4")), (B, card("♣9"))]
    assert table.offered() == {"right": 1, "was": 52}
    assert kinds(table.say(B, "right")) == ["CardConfirmed"]
    assert table.say(B, "right")[1:] == (RevokeProved(B, 1, 3),)
    assert (table.phase, table.asked()) == (HeartsPhase.PLAY, [C])


def test_he31_it_was_another_card() -> None:
    table = revoking()
    table.say(B, "right")
    assert table.say(B, "was", card("♦7")) == (CardCorrected(B, 3, card("♦7")),)
    assert (table.phase, table.asked(), table.state.revokes) == (HeartsPhase.PLAY, [C], frozenset())


def test_he32_the_same_card_is_a_yes_and_a_told_one_is_not_taken() -> None:
    table = revoking()
    table.say(B, "right")
    assert table.say(B, "was", card("♦4")) == (CardTwice(B, card("♦4"), 1),)
    assert (table.phase, table.asked()) == ("check", [B])
    assert kinds(table.say(B, "was", card("♣9"))) == ["CardConfirmed", "RevokeProved"]


NO_HEART = "♣3 ♣4 ♣5 ♦2 ♦9 ♦3 ♥2 ♥K ♥5 ♣7 ♥3"
"""C breaks hearts in trick 2; A leads ♥K to trick 3, and C does not follow."""


def test_he33_a_lead_is_looked_at_if_it_alone_explains_everything() -> None:
    table = Table()
    table.lay(f"{NO_HEART} ♠2 ♠3 ♥9")
    assert table.checked() == [(A, card("♥K")), (C, card("♣7")), (C, card("♥9"))]


def test_he34_one_misread_card_is_looked_at_before_two_revokes_are_thought_of() -> None:
    table = Table()
    table.lay(f"{NO_HEART} ♥A ♥6 ♣8 ♥4 ♠2 ♠3 ♥9")
    assert table.checked() == [(C, card("♥9"))]
    assert kinds(table.say(C, "right")) == ["CardConfirmed", *["CheckAsked"] * 4]
    assert table.checked() == [
        (A, card("♥K")),
        (C, card("♣7")),
        (A, card("♥A")),
        (C, card("♣8")),
    ]
    assert table.confirm()[1:] == (RevokeProved(C, 3, 5), RevokeProved(C, 4, 5))


LATE = MOON.replace("♣A ♦A ♠A ♥A", "♥A ♦A ♠A ♣A")
"""D never follows a club, and plays ♣A as the last card of the deal."""


def test_he35_the_last_card_is_looked_at_before_the_deal_is_scored() -> None:
    table = Table()
    table.lay(LATE)
    assert (table.phase, table.checked()[-1]) == ("check", (D, card("♣A")))
    assert table.state.points == (0, 0, 0, 0)
    ruled = table.confirm()
    assert [one.trick for one in ruled if isinstance(one, RevokeProved)] == list(range(1, 13))
    assert ruled[-1] == DealScored((0, 26, 26, 26))


def test_he36_who_has_revoked_gets_everything() -> None:
    table = Table(revoke="all")
    table.lay(LATE)
    ruled = table.confirm()
    assert "MoonShot" not in kinds(ruled)
    assert ruled[-1] == DealScored((0, 0, 0, 26))


def test_he37_the_deal_is_void() -> None:
    table = revoking(revoke="again")
    assert kinds(table.confirm()) == ["CardConfirmed", "RevokeProved", "DealVoided"]
    assert (table.phase, table.state.deal, table.state.points) == (HeartsPhase.PASS, 1, (0,) * 4)


def test_he38_an_undo_takes_the_proof_back() -> None:
    table = revoking()
    table.confirm()
    assert table.referee.undo(table.at) is not None
    assert (table.phase, table.asked(), table.state.revokes) == ("check", [B], frozenset())
    assert table.checked() == [(B, card("♣9"))]


def test_he39_a_proved_revoke_excludes_nothing_any_more() -> None:
    table = revoking()
    table.confirm()
    table.lay("♣6 ♣8 ♣7")
    assert kinds(table.lay("♣10")) == ["CardPlayed"]


def test_he40_he41_somebody_has_revoked_and_nobody_knows_who() -> None:
    table = Table()
    table.lay("♣3 ♣4 ♣A ♥2 ♦2 ♦3")
    assert table.lay("♦4")[-1] == CardsDisagree(13)
    assert (table.phase, table.asked()) == (HeartsPhase.PLAY, [D])
    assert kinds(table.lay("♥3")) == ["CardPlayed"]


def test_he42_the_other_way_round() -> None:
    table = Table()
    table.lay("♣3 ♣4 ♣A ♥2 ♥3")
    assert table.lay("♥4")[-1] == CardsDisagree(13)


def test_he43_he44_the_table_is_put_right() -> None:
    for table in (Table(), revoking()):
        assert kinds(table.declare((10, 20, 30, 40), 3)) == ["Repaired"]
        assert (table.phase, table.state.deal, table.state.plays) == (HeartsPhase.PASS, 3, ())
        assert (table.state.points, passing(table.state)) == ((10, 20, 30, 40), "across")
        assert table.declare((10, 20, 30, 40), 3) == ()
    for points, deal in (((100, 0, 0, 0), 1), ((0,) * 4, 0), ((0,) * 5, 1), ((-100, 0, 0, 0), 1)):
        assert rule_broken(Table().declare(points, deal)) == "repair.impossible"
    assert rule_broken(Table().see(ob.TableDeclared(at=0, table=(("points:-1", 7),)))) == "repair.impossible"


def test_he43_what_is_not_named_stays_even_if_nobody_may_declare_it() -> None:
    """A tie above the limit is played on."""
    table = Table(opens=None, first_trick="any", tie="more")
    table.declare((87, 27, 40, 60), 1)
    table.say(A, "open")
    table.lay(HALVES)
    assert (table.state.points, table.phase) == ((100, 40, 40, 60), HeartsPhase.PASS)
    assert kinds(table.see(ob.TableDeclared(at=0, table=(("points:1", 41),)))) == ["Repaired"]
    assert table.state.points == (100, 41, 40, 60)


def test_he45_in_another_phase_it_is_refused() -> None:
    assert rule_broken(Table().say(A, "right")) == "turn.not_now"
    assert rule_broken(revoking().play(C, "♣6")) == "turn.not_now"


def test_he46_several_are_asked_at_once() -> None:
    table = Table()
    table.lay(f"{NO_HEART} ♠2 ♠3 ♥9")
    assert table.asked() == [A, C]
    table.say(C, "right")
    table.say(A, "right")
    assert kinds(table.say(C, "right")) == ["CardConfirmed", "RevokeProved"]


def test_he48_a_heart_led_too_early_rests_on_every_card_before_it() -> None:
    rules = trick_rules(HeartsOptions())
    table = Table()
    table.lay(f"{UNBROKEN} ♣9")
    deal = Deal(table.state.plays)
    found = find_conflict(rules, deal)
    assert found == Conflict(13, (8,))
    assert grounds(rules, deal, found) == (*range(9), 13)


def test_he49_he50_a_card_that_two_are_sure_of_is_looked_at_and_then_the_deal_is_wrong() -> None:
    for was, follows in (("♣K", "MisdealFound"), ("♠K", "CardPlayed")):
        table = Table()
        table.lay("♣K")
        assert kinds(table.play(C, "♣K")) == ["CardTwice"]
        assert kinds(table.play(C, "♣K")) == ["CheckAsked"]
        assert table.checked() == [(B, card("♣K"))]
        table.say(B, "was", card(was))
        assert table.asked() == [C]
        assert kinds(table.play(C, "♣K")) == [follows]
        assert table.phase == (HeartsPhase.PASS if was == "♣K" else HeartsPhase.PLAY)


def test_he51_two_cards_that_were_told_for_each_other_change_places() -> None:
    table = revoking()
    assert kinds(table.say(B, "was", card("♣9"))) == ["CardCorrected", "CheckAsked"]
    assert table.checked() == [(B, card("♦4"))]
    assert kinds(table.say(B, "right")) == ["CardConfirmed"]
    assert (table.phase, table.asked(), table.state.revokes) == (HeartsPhase.PLAY, [C], frozenset())


def test_he52_in_the_last_trick_a_hand_may_be_a_card_short() -> None:
    table = Table()
    assert rule_broken(table.say(B, "short")) == "turn.not_now"
    table.lay(MOON.rsplit(maxsplit=3)[0])
    assert table.offered() == {"play": 52, "short": 1, "claim": 4}
    assert kinds(table.say(table.state.seat, "short")) == ["MisdealFound"]
    assert (table.phase, table.state.deal, table.state.points) == (HeartsPhase.PASS, 1, (0,) * 4)


def test_he53_who_claims_takes_all_the_rest_if_the_others_agree() -> None:
    table = Table()
    table.lay("♣K ♣5")
    assert kinds(table.say(A, "claim")) == ["RestClaimed"]
    assert (table.phase, table.asked(), table.offered()) == ("claim", [B, C, D], {"agree": 3, "play_on": 3})
    assert [kinds(table.say(seat, "agree")) for seat in (B, D)] == [["ClaimAccepted"]] * 2
    assert kinds(table.say(C, "agree")) == ["ClaimAccepted", "MoonShot", "DealScored"]
    assert (table.state.points, table.state.deal) == ((0, 26, 26, 26), 2)
    assert table.state.claimed is None


def test_he54_what_the_cards_did_not_decide_is_said_to_be_so() -> None:
    table = Table()
    table.lay("♦4 ♣5")
    table.say(A, "claim")
    told = [kinds(table.say(seat, "agree")) for seat in (B, C, D)][-1]
    assert told == ["ClaimAccepted", "RevokesUndecided", "MoonShot", "DealScored"]
    for played, hint in (("♦4", "hearts.hint.undecided"), ("♣5", None)):
        table = Table()
        table.lay(played)
        table.see(ob.AbandonRequested(at=table.at))
        shown = RULES.view(table.state).hint
        assert (shown and shown.key) == hint


def test_he55_somebody_plays_on() -> None:
    table = Table()
    table.lay("♣K ♣5")
    table.say(A, "claim")
    assert rule_broken(table.say(A, "agree")) == "turn.not_now"
    assert kinds(table.say(C, "play_on")) == ["ClaimRefused"]
    assert (table.phase, table.asked()) == (HeartsPhase.PLAY, [D])
    assert "claim" not in {action.verb for action in RULES.legal_actions(revoking().state)}
