"""A few rounds that OpenSpiel played: `make oracle` plays a million plies beside it."""

from __future__ import annotations

from pathlib import Path

from tests.programs import oracle

SAMPLE = Path(__file__).with_name("openspiel.jsonl")


def test_the_sample_agrees_in_every_lawful_bid_and_every_loser() -> None:
    played = list(oracle.read_sample(SAMPLE))
    assert {(one.order, len(one.dice[0])) for one in played} == {
        (order, dice) for order in oracle.ORDERS for dice in range(1, 6)
    }
    assert {one.loser for one in played} == {0, 1}
    assert [found for one in played if (found := oracle.difference(one)) is not None] == []


def test_a_difference_would_be_told() -> None:
    played = next(one for one in oracle.read_sample(SAMPLE) if one.order == "count" and len(one.plies) > 2)
    other = played._replace(loser=1 - played.loser)
    assert f"seat {played.loser} has lost a die in ours" in str(oracle.difference(other))
    turned = played._replace(order="face")
    assert "is lawful in one only" in str(oracle.difference(turned))
    fewer = played._replace(plies=(played.plies[0]._replace(lawful=played.plies[0].lawful[1:]),))
    assert "ply 0" in str(oracle.difference(fewer))
