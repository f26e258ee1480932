"""What is proved in a deal, found out the long way: by every distribution of the unseen cards.

A small game of tricks is judged here by hands, as people do, and not by what a play excludes: who can follow
suit has to, no heart is led before one was discarded unless nothing else is left, and in the first trick no
heart is discarded as long as there is something else. In a small Euchre who can follow has to, and no more;
the jack of diamonds is a heart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

from companion.games.euchre.rules.model import trick_rules
from companion.games.kit.cards import SUIT_SETS, VALUES, Card, CardSet, card_set, cards_in, suit_set
from companion.games.kit.proof import Deal
from companion.games.kit.tricks import Holder, Play, TrickRules, trick_taker

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

    @property
    def trick_size(self) -> int:
        return self.players

    @property
    def sizes(self) -> list[int]:
        """Of the hands."""
        return [self.deck.bit_count() // self.players] * self.players

    def deal(self, chance: Random) -> list[set[Card]]:
        cards = list(cards_in(self.deck))
        chance.shuffle(cards)
        return [set(cards[seat :: self.players]) for seat in range(self.players)]

    def may_lie(self, dealt: Sequence[set[Card]]) -> bool:
        """Whether the cards may lie so, for all that was seen before the first one was played."""
        return True

    def may_play(self, hand: set[Card], plays: Sequence[Play]) -> set[Card]:
        """What may be played of a hand after `plays`."""
        trick = plays[len(plays) - len(plays) % self.players :]
        hearts = {card for card in hand if card // 13 == 3}
        if not trick:
            is_broken = any(play.card // 13 == 3 for play in plays)
            return hand if is_broken or hearts == hand else hand - hearts
        same = {card for card in hand if card // 13 == trick[0].card // 13}
        if same:
            return same
        return hand - hearts if len(plays) < self.players and hearts != hand else hand


UP = "hearts|10"
"""The card that was turned up."""


class SmallEuchre(NamedTuple):
    """Three cards each and a kitty of one; hearts are trump, and seat 3 deals."""

    picked_up: bool
    sits_out: int | None = None
    players: int = 4

    @property
    def deck(self) -> CardSet:
        return self.rules.deck

    @property
    def rules(self) -> TrickRules:
        """Those of Euchre, with fewer cards."""
        real = trick_rules("hearts", UP, 3 if self.picked_up else None, self.sits_out)
        fewer = {"clubs|9", "clubs|10", "clubs|J", "spades|9", "spades|10", "spades|J", "diamonds|9"}
        deck = real.deck & ~card_set(*fewer, "diamonds|Q", "hearts|9", "hearts|Q")
        aside = (Holder(1, real.aside[0].may_have), *real.aside[1:])
        kinds = tuple(kind & deck for kind in real.kinds if kind & deck)
        return real._replace(deck=deck, aside=aside, kinds=kinds)

    @property
    def trick_size(self) -> int:
        return 3 if self.sits_out is not None else 4

    @property
    def sizes(self) -> list[int]:
        """Of the hands, the kitty and the discard."""
        return [3, 3, 3, 3, 1, *[1] * self.picked_up]

    def deal(self, chance: Random) -> list[set[Card]]:
        cards = list(cards_in(self.deck & ~card_set(UP)))
        chance.shuffle(cards)
        hands = [set(cards[3 * seat : 3 * seat + 3]) for seat in range(self.players)]
        if self.picked_up:
            hands[3].add(VALUES.index(UP))
            hands[3].remove(chance.choice(sorted(hands[3])))
        return hands

    def may_lie(self, dealt: Sequence[set[Card]]) -> bool:
        up = VALUES.index(UP)
        return not any(up in cards for place, cards in enumerate(dealt) if place not in {3, 5})

    def may_play(self, hand: set[Card], plays: Sequence[Play]) -> set[Card]:
        trick = plays[len(plays) - len(plays) % self.trick_size :]
        same = {card for card in hand if trick and self._suit(card) == self._suit(trick[0].card)}
        return same or hand

    def _suit(self, card: Card) -> str:
        return "hearts" if VALUES[card] == "diamonds|J" else VALUES[card].partition("|")[0]


AnySmall = SmallGame | SmallEuchre
GAMES: tuple[AnySmall, ...] = (
    SmallGame(3, (0, 1, 3), 3),
    SmallGame(3, (0, 3), 6),
    SmallGame(4, (0, 1, 3), 4),
    SmallGame(4, (0, 1, 2, 3), 3),
    SmallGame(2, (0, 1, 3), 4),
    SmallEuchre(picked_up=True),
    SmallEuchre(picked_up=False),
    SmallEuchre(picked_up=True, sits_out=0),
)


def distributions(cards: tuple[Card, ...], sizes: Sequence[int]) -> Iterator[list[set[Card]]]:
    """Every way to deal these cards."""
    if not sizes:
        yield []
        return
    for mine in combinations(cards, sizes[0]):
        rest = tuple(card for card in cards if card not in mine)
        for others in distributions(rest, sizes[1:]):
            yield [set(mine), *others]


def unlawful_plays(game: AnySmall, plays: Sequence[Play], dealt: Sequence[set[Card]]) -> set[int]:
    """The plays that break a rule, if the unseen cards lie so."""
    hands = [set(hand) for hand in dealt]
    broken = set()
    for number in reversed(range(len(plays))):
        seat, card = plays[number]
        hands[seat].add(card)
        if card not in game.may_play(hands[seat], plays[:number]):
            broken.add(number)
    return broken


def unseen_cards(game: AnySmall, plays: Sequence[Play]) -> tuple[Card, ...]:
    return tuple(cards_in(game.deck & ~sum(1 << play.card for play in plays)))


def left_in_hands(game: AnySmall, plays: Sequence[Play]) -> list[int]:
    return [size - sum(play.seat == seat for play in plays) for seat, size in enumerate(game.sizes)]


def ways_to_deal(game: AnySmall, plays: Sequence[Play]) -> Iterator[list[set[Card]]]:
    """Every way in which the unseen cards may lie, the hands first."""
    return filter(game.may_lie, distributions(unseen_cards(game, plays), left_in_hands(game, plays)))


def lawful_deals(game: AnySmall, deal: Deal) -> Iterator[list[set[Card]]]:
    """Every distribution in which only plays that were proved are unlawful."""
    for dealt in ways_to_deal(game, deal.plays):
        if not unlawful_plays(game, deal.plays, dealt) - deal.revokes:
            yield dealt


def play_game(game: AnySmall, chance: Random, breaks: float) -> tuple[list[Play], set[int]]:
    """A deal that is played to its end, and which plays were unlawful; so many are any card."""
    hands = game.deal(chance)
    turns = [seat for seat in range(game.players) if seat != game.rules.sits_out]
    plays: list[Play] = []
    broken, seat = set(), chance.choice(turns)
    while any(hands[seat] for seat in turns):
        lawful = game.may_play(hands[seat], plays)
        card = chance.choice(sorted(hands[seat] if chance.random() < breaks else lawful))
        if card not in lawful:
            broken.add(len(plays))
        hands[seat].remove(card)
        plays.append(Play(seat, card))
        over = len(plays) % len(turns) == 0
        after = turns[(turns.index(seat) + 1) % len(turns)]
        seat = trick_taker(game.rules, plays[-len(turns) :]) if over else after
    return plays, broken
