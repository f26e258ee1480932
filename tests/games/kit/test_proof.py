"""What is proved of hands, beside every distribution of the unseen cards: small deals of small games."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from companion.games.kit.cards import cards_in
from companion.games.kit.proof import (
    Deal,
    can_be_dealt,
    examine,
    find_conflict,
    grounds,
    is_lawful,
    is_undecided,
    may_hold,
    read_hands,
)
from companion.games.kit.tricks import Play, lawful_cards
from tests.games.kit.exhaustive import (
    GAMES,
    AnySmall,
    lawful_deals,
    play_game,
    unlawful_plays,
    unseen_cards,
    ways_to_deal,
)
from tests.thorough import RARE, examples

MOST_UNSEEN = 8
"""Every distribution of so many cards is tried, 2,520 in four hands; of one card less if some lie aside."""


def positions(game: AnySmall, many: int, breaks: float = 0.25) -> Iterator[tuple[Deal, set[int]]]:
    """So many positions of games with unlawful plays, and which of them were."""
    chance = Random(f"{game} {breaks}")
    aside = len(game.sizes) > game.players
    while many > 0:
        plays, broken = play_game(game, chance, breaks)
        for length in range(game.deck.bit_count() - MOST_UNSEEN + aside, len(plays) + 1):
            if length > 0 and many > 0:
                many -= 1
                yield Deal(tuple(plays[:length])), {number for number in broken if number < length}


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_deal_is_lawful_if_and_only_if_some_distribution_is(game: AnySmall) -> None:
    seen = {True: 0, False: 0}
    for deal, _ in positions(game, examples(7_000)):
        lawful = any(True for _ in lawful_deals(game, deal))
        assert is_lawful(game.rules, deal) == lawful, deal
        assert (examine(game.rules, deal) is None) == lawful, deal
        seen[lawful] += 1
    assert min(seen.values()) > 40


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_player_may_hold_what_some_lawful_distribution_gives(game: AnySmall) -> None:
    for deal, _ in positions(game, examples(800, RARE), breaks=0.05):
        held = [set[int]() for _ in range(game.players)]
        for dealt in lawful_deals(game, deal):
            for seat, mine in enumerate(dealt[: game.players]):
                held[seat] |= mine
        assert [set(cards_in(cards)) for cards in may_hold(game.rules, deal)] == held, deal


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_it_is_undecided_if_and_only_if_a_play_is_unlawful_in_some_distribution(game: AnySmall) -> None:
    seen = {True: 0, False: 0}
    for deal, _ in positions(game, examples(800, RARE), breaks=0.1):
        while (conflict := find_conflict(game.rules, deal)) is not None:
            deal = deal._replace(revokes=deal.revokes | set(conflict.earlier))  # noqa: PLW2901
        undecided = any(
            unlawful_plays(game, deal.plays, dealt) - deal.revokes for dealt in ways_to_deal(game, deal.plays)
        )
        assert is_undecided(game.rules, deal) == undecided, deal
        seen[undecided] += 1
    assert min(seen.values()) > 5


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_what_may_be_played_is_what_excludes_nothing_of_the_hand(game: AnySmall) -> None:
    chance = Random(str(game))
    for _ in range(200):
        plays, _ = play_game(game, chance, 0.1)
        for number, play in enumerate(plays):
            hand = {later.card for later in plays[number:] if later.seat == play.seat}
            found = set(lawful_cards(game.rules, plays[:number], sum(1 << card for card in hand)))
            assert found == game.may_play(hand, plays[:number])


def first_finding(game: AnySmall, plays: tuple[Play, ...]) -> int | None:
    """After how many plays something is wrong."""
    found = (length for length in range(1, len(plays) + 1) if examine(game.rules, Deal(plays[:length])))
    return next(found, None)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_unlawful_play_is_proved_by_the_end_and_no_other(game: AnySmall) -> None:
    chance = Random(str(game))
    proved = 0
    for _ in range(300):
        plays, broken = play_game(game, chance, 0.2)
        everything = frozenset(range(len(plays)))
        revokes = frozenset[int]()
        for length in range(1, len(plays) + 1):
            deal = Deal(tuple(plays[:length]), revokes, everything)
            while (finding := examine(game.rules, deal)) is not None and finding.conflict is not None:
                assert not finding.check
                revokes |= set(finding.conflict.earlier)
                deal = deal._replace(revokes=revokes)
            assert revokes <= broken
        assert revokes == broken
        proved += len(broken)
    assert proved > 30


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_without_a_conflict_there_is_one_by_the_trick_that_is_told(game: AnySmall) -> None:
    chance = Random(str(game))
    told = 0
    for _ in range(400):
        plays, _ = play_game(game, chance, 0.2)
        at = first_finding(game, tuple(plays))
        finding = at and examine(game.rules, Deal(tuple(plays[:at])))
        if finding and finding.conflict is None:
            told += 1
            by = Deal(tuple(plays[: finding.known_by * game.trick_size]))
            assert find_conflict(game.rules, by) is not None, plays
    assert told > 2 or game.rules.sits_out is not None


def explanations(game: AnySmall, deal: Deal) -> list[tuple[set[int], set[int]]]:
    """The ways to explain a deal with the fewest faults: which plays were unlawful, and which misread.

    A play is misread if its card was another one, which nobody told; its own is unseen then.
    """
    doubtful = [number for number in range(len(deal.plays)) if number not in deal.confirmed]
    for faults in range(len(deal.plays)):
        found = []
        for misread_many in range(faults + 1):
            for misread in combinations(doubtful, misread_many):
                for plays in other_readings(game, deal.plays, misread):
                    for dealt in ways_to_deal(game, plays):
                        broken = unlawful_plays(game, plays, dealt) - deal.revokes
                        if len(broken) == faults - misread_many:
                            found.append((broken, set(misread)))
        if found:
            return found
    raise AssertionError(deal)


def other_readings(
    game: AnySmall, plays: tuple[Play, ...], misread: tuple[int, ...]
) -> Iterator[tuple[Play, ...]]:
    if not misread:
        yield plays
        return
    number = misread[0]
    for card in unseen_cards(game, plays):
        other = (*plays[:number], Play(plays[number].seat, card), *plays[number + 1 :])
        yield from other_readings(game, other, misread[1:])


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES[:1], ids=str)
def test_what_is_checked_first_are_the_cards_of_the_explanations_with_the_fewest_faults(
    game: AnySmall,
) -> None:
    """One misread card that explains all; if there is none, every card on which the conflict rests."""
    single = several = 0
    for deal, _ in positions(game, examples(400, RARE), breaks=0.3):
        finding = examine(game.rules, deal)
        if finding is None or finding.conflict is None or len(unseen_cards(game, deal.plays)) > 4:
            continue
        fewest = explanations(game, deal)
        alone = {number for _, misread in fewest for number in misread if len(misread) == 1}
        if len(fewest[0][0]) + len(fewest[0][1]) == 1 and alone:
            assert set(finding.check) == alone, deal
            single += 1
        else:
            assert set(finding.check) == set(grounds(game.rules, deal, finding.conflict)), deal
            several += 1
    assert single > 5
    assert several > 0


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES[:1], ids=str)
def test_what_is_proved_is_in_every_explanation_with_the_fewest_faults(game: AnySmall) -> None:
    proved = 0
    for deal, _ in positions(game, examples(250, RARE), breaks=0.3):
        if len(unseen_cards(game, deal.plays)) > 3:
            continue
        while (finding := examine(game.rules, deal)) is not None and finding.check:
            deal = deal._replace(confirmed=deal.confirmed | set(finding.check))  # noqa: PLW2901
        if finding is None or finding.conflict is None:
            continue
        for broken, _ in explanations(game, deal):
            assert set(finding.conflict.earlier) <= broken, deal
        proved += 1
    assert proved > 5


def test_cards_that_can_lie_nowhere_else_need_room() -> None:
    hands = read_hands(GAMES[0].rules, Deal(()))
    assert hands is not None
    assert can_be_dealt(hands)
    crowded = hands._replace(holders=tuple(holder._replace(may_have=1) for holder in hands.holders))
    assert not can_be_dealt(crowded)
