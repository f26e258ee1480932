"""Shares that were counted, and how sure they are."""

import pytest

from tests.intervals import exact, wilson


@pytest.mark.parametrize(
    ("good", "of", "low", "high"),
    [  # tables of the binomial distribution
        (0, 20, 0.0, 0.1684),
        (20, 20, 0.8316, 1.0),
        (10, 20, 0.2720, 0.7280),
        (5, 100, 0.0164, 0.1128),
        (1, 1, 0.025, 1.0),
    ],
)
def test_the_exact_interval_of_a_share(good: int, of: int, low: float, high: float) -> None:
    """As the tables have it."""
    assert exact(good, of) == pytest.approx((low, high), abs=1e-4)


def test_nothing_that_was_counted_says_nothing() -> None:
    """A share of nothing may be any."""
    assert exact(0, 0) == wilson(0, 0) == (0.0, 1.0)


def test_no_share_is_told_surer_than_it_is() -> None:
    """Over thousands the two agree; of few, the exact interval is the wider one."""
    assert exact(900, 3000) == pytest.approx(wilson(900, 3000), abs=1e-3)
    low, high = exact(0, 66)
    assert (low, high) == (0.0, pytest.approx(0.0544, abs=1e-4))
