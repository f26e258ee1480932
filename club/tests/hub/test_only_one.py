"""Which of two hubs gives way, as the broker lets them hear each other."""

from __future__ import annotations

import pytest

from companion_club.hub.leader_election import LeaderElection
from companion_club.messages import HubRun


class Retained:
    """What the broker keeps under the club's topic of its hub."""

    def __init__(self) -> None:
        self.kept: HubRun | None = None

    def connect(self, hub: LeaderElection, *, cut: bool = False) -> HubRun | None:
        """A hub connects, which throws the other one out; the hub to which it gives way.

        `cut`: it is thrown out again before it could say anything.
        """
        hub.on_connect()
        if cut:
            return None
        kept, self.kept = self.kept, hub.own_announcement()
        if kept is not None:
            hub.on_announcement(kept)
        assert hub.on_announcement(self.kept)
        return hub.find_leader()


def contest(broker: Retained, *hubs: LeaderElection) -> LeaderElection:
    """They throw each other out in turn; the one that gives way, and the other does not."""
    for _ in range(10):
        for at, hub in enumerate(hubs):
            if broker.connect(hub) is not None:
                assert [broker.connect(hubs[1 - at]) for _ in range(5)] == [None] * 5
                return hub
    raise AssertionError("neither gives way")


@pytest.fixture
def pair() -> tuple[LeaderElection, LeaderElection]:
    return LeaderElection("a", "server", "monday"), LeaderElection("b", "laptop", "tuesday")


def test_the_later_gives_way(pair: tuple[LeaderElection, LeaderElection]) -> None:
    old, new = pair
    broker = Retained()
    broker.connect(old)
    assert contest(broker, new, old) is new


def test_of_two_that_start_at_once_the_one_that_was_heard_stays(
    pair: tuple[LeaderElection, LeaderElection],
) -> None:
    one, other = pair
    broker = Retained()
    broker.connect(one, cut=True)
    assert contest(broker, other, one) is one


def test_one_that_came_while_the_first_was_away_stays(pair: tuple[LeaderElection, LeaderElection]) -> None:
    away, new = pair
    broker = Retained()
    broker.connect(away)
    broker.kept = None  # the broker said that it went
    broker.connect(new)
    assert contest(broker, away, new) is away


def test_what_a_killed_hub_left_behind_stops_nobody(pair: tuple[LeaderElection, LeaderElection]) -> None:
    killed, new = pair
    broker = Retained()
    for _ in range(5):
        broker.connect(killed)
    assert [broker.connect(new) for _ in range(5)] == [None] * 5


def test_a_network_that_breaks_again_and_again_is_no_other_hub(
    pair: tuple[LeaderElection, LeaderElection],
) -> None:
    broker = Retained()
    assert [broker.connect(pair[0], cut=at % 2 == 0) for at in range(20)] == [None] * 20
