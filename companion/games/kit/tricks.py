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

    @property
    def hand_size(self) -> int:
        return self.deck.bit_count() // self.players


def lawful_cards(rules: TrickRules, plays: Sequence[Play], hand: CardSet) -> Iterator[Card]:
    """What may be played of a hand after `plays`."""
    led = led_card(rules, plays, len(plays))
    seen = sum(1 << play.card for play in plays)
    for card in cards_in(hand):
        if not hand & rules.excludes(len(plays), led, seen, card):
            yield card


def led_card(rules: TrickRules, plays: Sequence[Play], number: int) -> Card | None:
    """The card that was led to the trick of a play; None: the play leads."""
    first = number - number % rules.players
    return None if first == number else plays[first].card


def trick_taker(trick: Sequence[Play], trumps: CardSet = 0) -> Seat:
    """Who has played the highest trump, or where there is none the highest card of the suit led."""
    taking = [play for play in trick if trumps >> play.card & 1]
    led = suit_set(trick[0].card)
    return max(taking or (play for play in trick if led >> play.card & 1), key=lambda play: play.card).seat


def takers(rules: TrickRules, plays: Sequence[Play]) -> tuple[Seat, ...]:
    """Who took each whole trick: whoever led to the next one; of the last one, as its cards say."""
    starts = range(0, len(plays) - rules.players + 1, rules.players)
    return tuple(
        plays[start + rules.players].seat
        if start + rules.players < len(plays)
        else trick_taker(plays[start : start + rules.players], rules.trumps)
        for start in starts
    )


def next_seat(rules: TrickRules, plays: Sequence[Play]) -> Seat:
    """Whose turn it is after at least one play."""
    if len(plays) % rules.players:
        return seat_after(plays[-1].seat, rules.players)
    return trick_taker(plays[-rules.players :], rules.trumps)
