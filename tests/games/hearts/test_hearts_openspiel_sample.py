"""A few deals that OpenSpiel played: `make oracle` plays a million plies beside it."""

from __future__ import annotations

from pathlib import Path

from tests.programs import oracle_hearts as oracle
from tests.programs.oracle_tricks import read_sample

SAMPLE = Path(__file__).with_name("openspiel.jsonl")


def test_the_sample_agrees_in_every_lawful_card_and_all_points() -> None:
    played = list(read_sample(SAMPLE))
    assert [found for one in played if (found := oracle.difference(one)) is not None] == []
    assert any(sorted(one.points) == [0, 26, 26, 26] for one in played)
    assert len({len(ply.lawful) for one in played for ply in one.plies}) > 8


def test_a_difference_would_be_told() -> None:
    played = next(read_sample(SAMPLE))
    other = played._replace(points=played.points[::-1])
    assert "points in ours" in str(oracle.difference(other))
    first, second, *rest = played.plies
    fewer = played._replace(plies=(first, second._replace(lawful=second.lawful[1:]), *rest))
    assert "is lawful in one only" in str(oracle.difference(fewer))
    turned = played._replace(plies=(first, second._replace(seat=first.seat), *rest))
    assert "plays in ours" in str(oracle.difference(turned))


def test_what_ours_says_against_lawful_play_would_be_told() -> None:
    """A hand that has a club and discards."""
    played = next(read_sample(SAMPLE))
    changed = list(played.plies)
    held = {ply.done for ply in played.plies if ply.seat == changed[1].seat}
    off = next(name for name in sorted(held) if not name.startswith("clubs"))
    later = next(at for at, ply in enumerate(changed) if ply.done == off)
    changed[1], changed[later] = changed[1]._replace(done=off), changed[later]._replace(done=changed[1].done)
    assert oracle.difference(played._replace(plies=tuple(changed))) is not None
