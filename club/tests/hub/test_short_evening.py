"""A thin sample of `make club`: a network that is cut, a hub that is killed, a broker that goes."""

from __future__ import annotations

import pytest

from club.tests.programs.__main__ import Plan, evening
from tests.outside_programs import needs

pytestmark = [pytest.mark.slow, needs("mosquitto", "postgresql")]


def test_nothing_is_lost_or_doubled_while_everything_breaks() -> None:
    plan = Plan(cuts=2, kills=1, brokers=1, databases=1, quiet=2, burst=1)
    games, cuts, lost, doubled = evening("recorded", 3, plan, seed=1)
    assert (cuts, lost, doubled) == (2, 0, 0)
    assert games > 10
