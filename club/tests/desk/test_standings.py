"""Standings: what a result pays, and how ties are broken."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from companion_club.desk.event import PlayedPod, PlayedRound, StandingsLine, compute_standings


@st.composite
def rounds(draw: st.DrawFn) -> list[PlayedRound]:
    """An evening of up to five rounds among twelve people, with byes, shared wins and games not over."""
    evening = []
    for _ in range(draw(st.integers(0, 5))):
        people = draw(st.permutations(range(12)))
        at, pods = 0, []
        for size in draw(st.lists(st.integers(3, 6), max_size=3)):
            if at + size <= len(people):
                seated = tuple(people[at : at + size])
                winners = draw(
                    st.none() | st.sets(st.sampled_from(seated)).map(lambda some: tuple(sorted(some)))
                )
                pods.append(PlayedPod(seated, winners))
                at += size
        evening.append(PlayedRound(tuple(pods), tuple(people[at : at + draw(st.integers(0, 2))])))
    return evening


def by_player(lines: tuple[StandingsLine, ...]) -> dict[int, StandingsLine]:
    return {line.player: line for line in lines}


@given(rounds())
def test_a_pod_gives_as_many_points_as_it_has_people(evening: list[PlayedRound]) -> None:
    over = [pod for one in evening for pod in one.pods if pod.winners is not None]
    byes = sum(len(one.byes) for one in evening)
    lines = compute_standings(range(12), evening)
    assert sum(line.points for line in lines) == sum(len(pod.players) for pod in over) + byes
    assert sum(line.wins for line in lines) == sum(bool(pod.winners) for pod in over)
    assert sum(line.played for line in lines) == sum(len(pod.players) for pod in over)


@given(rounds(), st.randoms(use_true_random=False))
def test_neither_the_order_of_rounds_nor_of_pods_nor_of_people_matters(
    evening: list[PlayedRound], chance: object
) -> None:
    mixed = [PlayedRound(tuple(reversed(one.pods)), tuple(reversed(one.byes))) for one in reversed(evening)]
    assert compute_standings(reversed(range(12)), mixed) == compute_standings(range(12), evening)


@given(rounds())
def test_ranks_follow_the_stated_order_and_equals_share_one(evening: list[PlayedRound]) -> None:
    lines = compute_standings(range(12), evening)
    keys = [(-line.points, -line.wins, -line.strength, line.byes) for line in lines]
    assert keys == sorted(keys)
    assert [line.rank for line in lines] == [1 + sum(other < key for other in keys) for key in keys]


@given(rounds(), st.permutations(range(12)))
def test_what_people_are_called_decides_nothing(evening: list[PlayedRound], other: list[int]) -> None:
    renamed = [
        PlayedRound(
            tuple(
                PlayedPod(
                    tuple(other[one] for one in pod.players),
                    None if pod.winners is None else tuple(other[one] for one in pod.winners),
                )
                for pod in one.pods
            ),
            tuple(other[one] for one in one.byes),
        )
        for one in evening
    ]
    before, after = (
        by_player(compute_standings(range(12), evening)),
        by_player(compute_standings(range(12), renamed)),
    )
    assert all(after[other[one]]._replace(player=one) == line for one, line in before.items())


@given(rounds())
def test_who_wins_a_game_that_was_open_does_not_fall(evening: list[PlayedRound]) -> None:
    before = by_player(compute_standings(range(12), evening))
    for at, one in enumerate(evening):
        for number, pod in enumerate(one.pods):
            if pod.winners is None:
                won = pod._replace(winners=pod.players[:1])
                pods = (*one.pods[:number], won, *one.pods[number + 1 :])
                after = by_player(
                    compute_standings(range(12), [*evening[:at], one._replace(pods=pods), *evening[at + 1 :]])
                )
                winner = pod.players[0]
                assert after[winner].rank <= before[winner].rank
                return


def test_a_win_pays_by_the_size_of_its_pod_and_a_bye_one_point() -> None:
    evening = [PlayedRound((PlayedPod((1, 2, 3), (1,)), PlayedPod((4, 5, 6, 7, 8), (4, 5))), (9,))]
    points = {line.player: line.points for line in compute_standings(range(1, 10), evening)}
    assert (points[1], points[4], points[5], points[9]) == (3, Fraction(5, 2), Fraction(5, 2), 1)
    assert points[2] == points[6] == 0


def test_a_pod_that_nobody_won_gives_each_one_point() -> None:
    assert [
        line.points for line in compute_standings((1, 2, 3), [PlayedRound((PlayedPod((1, 2, 3), ()),))])
    ] == [1, 1, 1]


def test_of_equal_points_more_wins_are_ahead() -> None:
    two_shared = PlayedRound((PlayedPod((1, 3, 4, 5), (1,)), PlayedPod((2, 6, 7, 8), (2, 6))))
    second = PlayedRound((PlayedPod((1, 6, 7), ()), PlayedPod((2, 3, 4), (2,)), PlayedPod((5, 8), None)))
    lines = by_player(compute_standings(range(1, 9), [two_shared, second]))
    assert lines[1].points == lines[2].points == 5
    assert lines[2].rank < lines[1].rank


def test_then_who_met_stronger_people() -> None:
    evening = [
        PlayedRound((PlayedPod((1, 2, 3), (1,)), PlayedPod((4, 5, 6), (4,)))),
        PlayedRound((PlayedPod((2, 5, 7), (2,)), PlayedPod((3, 6, 8), ()))),
    ]
    lines = by_player(compute_standings(range(1, 9), evening))
    assert lines[1].points == lines[4].points == 3
    assert lines[1].strength == Fraction(3 + 1, 2 * 2)
    assert lines[4].strength == Fraction(0 + 1, 2 * 2)
    assert (lines[1].rank, lines[4].rank) == (1, 3)


def test_a_round_that_is_missed_gives_nothing_and_is_no_bye() -> None:
    lines = by_player(compute_standings((1, 2, 3, 4), [PlayedRound((PlayedPod((1, 2, 3), (1,)),))]))
    assert (lines[4].points, lines[4].byes, lines[4].played) == (0, 0, 0)


def test_somebody_who_dropped_out_still_counts_for_those_who_met_them() -> None:
    lines = by_player(compute_standings((2, 3), [PlayedRound((PlayedPod((1, 2, 3), (1,)),))]))
    assert set(lines) == {2, 3}
    assert lines[2].strength == Fraction(3 + 0, 2)
