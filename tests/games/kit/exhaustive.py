"""What is proved in a deal, found out the long way: by every distribution of the unseen cards.

A small game of tricks is judged here by hands, as people do, and not by what a play excludes: who can follow
suit has to, no heart is led before one was discarded unless nothing else is left, and in the first trick no
heart is discarded as long as there is something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

from companion.games.kit.cards import SUIT_SETS, Card, CardSet, cards_in, suit_set
from companion.games.kit.proof import Deal
from companion.games.kit.tricks import Play, TrickRules, trick_taker

HEARTS = SUIT_SETS[3]


class SmallGame(NamedTuple):
    """Cards of some suits, so many each, for so many players."""

    players: int
    suits: tuple[int, ...]
    ranks: int

    @property
    def deck(self) -> CardSet:
        return sum(1 << suit * 13 + rank for suit in self.suits for rank in range(self.ranks))

    @property
    def rules(self) -> TrickRules:
        kinds = tuple(SUIT_SETS[suit] & self.deck for suit in self.suits)
        return TrickRules(self._excludes, kinds, self.deck, self.players)

    def _excludes(self, number: int, led: Card | None, seen: CardSet, card: Card) -> CardSet:
        is_heart = bool(HEARTS >> card & 1)
        if led is None:
            return self.deck & ~HEARTS if is_heart and not seen & HEARTS else 0
        if suit_set(led) >> card & 1:
            return 0
        return self.deck & (~HEARTS | suit_set(led)) if is_heart and number < self.players else suit_set(led)


GAMES = (
    SmallGame(3, (0, 1, 3), 3),
    SmallGame(3, (0, 3), 6),
    SmallGame(4, (0, 1, 3), 4),
    SmallGame(4, (0, 1, 2, 3), 3),
    SmallGame(2, (0, 1, 3), 4),
)


def may_play(hand: set[Card], plays: Sequence[Play], players: int) -> set[Card]:
    """What may be played of a hand after `plays`."""
    trick = plays[len(plays) - len(plays) % players :]
    hearts = {card for card in hand if card // 13 == 3}
    if not trick:
        is_broken = any(play.card // 13 == 3 for play in plays)
        return hand if is_broken or hearts == hand else hand - hearts
    same = {card for card in hand if card // 13 == trick[0].card // 13}
    if same:
        return same
    return hand - hearts if len(plays) < players and hearts != hand else hand


def distributions(cards: tuple[Card, ...], sizes: Sequence[int]) -> Iterator[list[set[Card]]]:
    """Every way to deal these cards."""
    if not sizes:
        yield []
        return
    for mine in combinations(cards, sizes[0]):
        rest = tuple(card for card in cards if card not in mine)
        for others in distributions(rest, sizes[1:]):
            yield [set(mine), *others]


def unlawful_plays(game: SmallGame, plays: Sequence[Play], dealt: Sequence[set[Card]]) -> set[int]:
    """The plays that break a rule, if the unseen cards lie so."""
    hands = [set(hand) for hand in dealt]
    broken = set()
    for number in reversed(range(len(plays))):
        seat, card = plays[number]
        hands[seat].add(card)
        if card not in may_play(hands[seat], plays[:number], game.players):
            broken.add(number)
    return broken


def unseen_cards(game: SmallGame, plays: Sequence[Play]) -> tuple[Card, ...]:
    return tuple(cards_in(game.deck & ~sum(1 << play.card for play in plays)))


def left_in_hands(game: SmallGame, plays: Sequence[Play]) -> list[int]:
    size = game.deck.bit_count() // game.players
    return [size - sum(play.seat == seat for play in plays) for seat in range(game.players)]


def lawful_deals(game: SmallGame, deal: Deal) -> Iterator[list[set[Card]]]:
    """Every distribution in which only plays that were proved are unlawful."""
    sizes = left_in_hands(game, deal.plays)
    for dealt in distributions(unseen_cards(game, deal.plays), sizes):
        if not unlawful_plays(game, deal.plays, dealt) - deal.revokes:
            yield dealt


def play_game(game: SmallGame, chance: Random, breaks: float) -> tuple[list[Play], set[int]]:
    """A deal that is played to its end, and which plays were unlawful; so many are any card."""
    cards = list(cards_in(game.deck))
    chance.shuffle(cards)
    hands = [set(cards[seat :: game.players]) for seat in range(game.players)]
    plays: list[Play] = []
    broken, seat = set(), chance.randrange(game.players)
    while any(hands):
        lawful = may_play(hands[seat], plays, game.players)
        card = chance.choice(sorted(hands[seat] if chance.random() < breaks else lawful))
        if card not in lawful:
            broken.add(len(plays))
        hands[seat].remove(card)
        plays.append(Play(seat, card))
        over = len(plays) % game.players == 0
        seat = trick_taker(game.rules, plays[-game.players :]) if over else (seat + 1) % game.players
    return plays, broken
