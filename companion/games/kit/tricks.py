"""Games of tricks: whose turn it is, who takes a trick, and what may be played.

A game of tricks says in one function what a play excludes (`TrickRules.excludes`): which cards the hand that
it comes from cannot have, if it is lawful. What may be played and what was proved follow from that alone.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from companion.core.actions import Seat, seat_after
from companion.games.kit.cards import Card, CardSet, cards_in, suit_set


class Play(NamedTuple):
    """A card that somebody has played."""

    seat: Seat
    card: Card


class Holder(NamedTuple):
    """A hand that has some of the unseen cards."""

    size: int
    may_have: CardSet


class TrickRules(NamedTuple):
    """What the proof has to know of a game."""

    excludes: Callable[[int, Card | None, CardSet, Card], CardSet]
    """(number of the play in its deal, card led or None, cards played before, card) → the cards that the hand
    cannot have, if the play is lawful.
    """
    kinds: tuple[CardSet, ...]
    """The deck, cut into sets within which no card excludes other cards, or is excluded otherwise by them."""
    deck: CardSet
    players: int = 4
    trumps: CardSet = 0
    bowers: tuple[Card, ...] = ()
    """Trumps above all others, the lowest first; the last one shows the suit that they all belong to."""
    sits_out: Seat | None = None
    """Whose hand is not played."""
    barred: tuple[CardSet, ...] = ()
    """By seat, what everybody knows that it cannot have; empty: nothing."""
    aside: tuple[Holder, ...] = ()
    """What was dealt to nobody or was put away."""

    @property
    def hand_size(self) -> int:
        return (self.deck.bit_count() - sum(hand.size for hand in self.aside)) // self.players

    @property
    def trick_size(self) -> int:
        return self.players - (self.sits_out is not None)

    def may_tell(self, seat: Seat) -> CardSet:
        """The cards of which a seat may say that it plays them."""
        return self.deck & ~(self.barred[seat] if self.barred else 0)

    def suit(self, card: Card) -> CardSet:
        """All cards of its suit; a bower is a trump."""
        return self.trumps if self.trumps >> card & 1 else suit_set(card) & ~self.trumps

    def shown_suit(self, card: Card) -> Card:
        """A card that shows its suit."""
        return self.bowers[-1] if self.bowers and self.trumps >> card & 1 else card

    def height(self, card: Card) -> tuple[bool, int, Card]:
        """What a higher card of the trick has more of."""
        bower = self.bowers.index(card) + 1 if card in self.bowers else 0
        return bool(self.trumps >> card & 1), bower, card

    def seat_after(self, seat: Seat) -> Seat:
        """Who plays next."""
        seat = seat_after(seat, self.players)
        return seat if seat != self.sits_out else seat_after(seat, self.players)


def lawful_cards(rules: TrickRules, plays: Sequence[Play], hand: CardSet) -> Iterator[Card]:
    """What may be played of a hand after `plays`."""
    led = led_card(rules, plays, len(plays))
    seen = sum(1 << play.card for play in plays)
    for card in cards_in(hand):
        if not hand & rules.excludes(len(plays), led, seen, card):
            yield card


def led_card(rules: TrickRules, plays: Sequence[Play], number: int) -> Card | None:
    """The card that was led to the trick of a play; None: the play leads."""
    first = number - number % rules.trick_size
    return None if first == number else plays[first].card


def trick_taker(rules: TrickRules, trick: Sequence[Play]) -> Seat:
    """Who has played the highest trump, or where there is none the highest card of the suit led."""
    able = rules.trumps | rules.suit(trick[0].card)
    return max(
        (play for play in trick if able >> play.card & 1), key=lambda play: rules.height(play.card)
    ).seat


def takers(rules: TrickRules, plays: Sequence[Play]) -> tuple[Seat, ...]:
    """Who took each whole trick: whoever led to the next one; of the last one, as its cards say."""
    size = rules.trick_size
    return tuple(
        plays[start + size].seat
        if start + size < len(plays)
        else trick_taker(rules, plays[start : start + size])
        for start in range(0, len(plays) - size + 1, size)
    )


def next_seat(rules: TrickRules, plays: Sequence[Play]) -> Seat:
    """Whose turn it is after at least one play."""
    if len(plays) % rules.trick_size:
        return rules.seat_after(plays[-1].seat)
    return trick_taker(rules, plays[-rules.trick_size :])
