"""A few deals that OpenSpiel played: `make oracle` plays a million plies beside it."""

from __future__ import annotations

from pathlib import Path

from tests.programs import oracle_euchre as oracle
from tests.programs.oracle_tricks import read_sample

SAMPLE = Path(__file__).with_name("openspiel.jsonl")


def test_the_sample_agrees_in_every_bid_every_lawful_card_and_all_points() -> None:
    played = list(read_sample(SAMPLE))
    assert [found for one in played if (found := oracle.difference(one)) is not None] == []
    assert min(len(one.plies) for one in played) >= oracle.PLIES
    for word in ("play_alone", "with_partner", "hearts"):
        assert any(ply.done == word for one in played for ply in one.plies)


def test_a_difference_would_be_told() -> None:
    played = next(read_sample(SAMPLE))
    other = played._replace(points=(played.points[0] + 1, played.points[1] + 1))
    assert "points in ours" in str(oracle.difference(other))
    for number in (1, len(played.plies) - 1):  # a bid, a card
        plies = list(played.plies)
        plies[number] = plies[number]._replace(lawful=plies[number].lawful[1:])
        assert "is lawful in one only" in str(oracle.difference(played._replace(plies=tuple(plies))))
    first, second, *rest = played.plies
    turned = played._replace(plies=(first, second._replace(seat=first.seat), *rest))
    assert "it is the turn of seat" in str(oracle.difference(turned))
