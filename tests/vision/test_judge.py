"""How a judgement is worded for a person at a terminal."""

from dataclasses import replace

from companion.vision.acceptance import MatchJudgement, RejectionReason, unread_cards_text

WHOLE = MatchJudgement("skip", "snap", flaw=0.13, most=0.3, apart=1.0, lead=0.8, likeness=0.97, doubt=0.4)
PART = replace(WHOLE, apart=0.66, lead=1.0)


def test_by_how_much_a_card_differs_and_how_far_it_is_told_from_the_next_are_two_measures() -> None:
    differs, apart, verdict = str(WHOLE).split("; ")
    assert differs == "skip differs by 0.130 (at most 0.300)"
    assert apart == "told apart from snap: 0.80 (at least 0.10)"
    assert verdict == "likeness 0.97: taken"


def test_of_a_part_both_cards_are_measured_alike() -> None:
    """Nothing is subtracted, and a lead that was not measured is not told."""
    assert str(PART) == "skip differs by 0.130 (at most 0.300), snap by 0.660; likeness 0.97: taken"


def test_that_no_other_card_comes_near_is_told_of_a_card_that_fits_only() -> None:
    alone = replace(WHOLE, rival="", lead=1.0)
    assert "no other card near" in str(alone)
    far = replace(alone, flaw=0.7, refused=RejectionReason.NOT_IN_DECK)
    assert str(far) == "skip differs by 0.700 (at most 0.300); likeness 0.97: refused, it differs too much"


def test_what_is_like_no_card_is_given_no_figures() -> None:
    nothing = replace(WHOLE, rival="", flaw=1.0, likeness=0.3, refused=RejectionReason.NOT_IN_DECK)
    assert str(nothing) == "refused: like no card of the deck"


def test_cards_that_were_not_read_are_counted() -> None:
    assert unread_cards_text(1, complete=True) == "1 card I can't read"
    assert unread_cards_text(2, complete=True) == "2 cards I can't read"
    assert unread_cards_text(1, complete=False) == "1 card I can't read, or that is not in this deck"
    assert unread_cards_text(2, complete=False) == "2 cards I can't read, or that are not in this deck"
