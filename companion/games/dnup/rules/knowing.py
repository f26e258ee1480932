"""What leaves a hand, and whether that hand can have held it (DI1 to DI4).

Only whole hands are rotated, so a card that was seen once keeps its way up relative to its owner's rotations:
it is known until it is discarded. What was only said leaves room for doubt, and doubt never accuses.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from companion.core.actions import Seat
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.manifest import HIGHEST, copies
from companion.games.dnup.rules.state import DnupState


class Leaving(NamedTuple):
    """Cards on their way out of a hand."""

    known: tuple[str, ...]
    """What is known of the rest."""
    rule: str = ""
    """The key of what contradicts it; empty: nothing does."""
    what: str = ""
    """The card it is about, or how many the hand has."""


def leaving(state: DnupState, seat: Seat, played: Sequence[str]) -> Leaving:
    """What stays known of the hand of `seat` once these cards lie on the table."""
    hand = state.hands[seat]
    if len(played) > hand.size:
        return Leaving((), "hand.count", str(hand.size))
    read = [one for one in played if card.name(one)]
    known, rule, what = _read_left(state, seat, read)
    spare = hand.size - len(read) - len(known)
    unread = [one for one in played if not card.name(one)]
    if not unread or rule:
        return Leaving(known, rule, what)
    return _unread_left(known, unread, max(0, spare))


def _read_left(state: DnupState, seat: Seat, read: Sequence[str]) -> Leaving:
    known, new = list(state.hands[seat].known), Counter[str]()
    spare = state.hands[seat].size - len(known)
    rule = what = ""
    for one in read:
        vague = next((other for other in known if not card.name(other) and card.alike(one, other)), None)
        if one in known:
            known.remove(one)
        elif vague is not None:
            known.remove(vague)
        else:
            if not rule and (rule := _contradiction(state, seat, one, known, spare, new[card.name(one)])):
                what = one
            new[card.name(one)] += 1
            spare -= 1
    left = state.hands[seat].size - len(read)
    return Leaving(tuple(known) if len(known) <= left else (), rule, what)


def _contradiction(  # noqa: PLR0917
    state: DnupState, seat: Seat, one: str, known: Sequence[str], spare: int, again: int
) -> str:
    """Why this hand cannot have held a card that was read; empty if it can."""
    name = card.name(one)
    there = state.in_use.count(name)
    if not there:
        return "deck.foreign"
    lying = sum(card.name(other) == name for area in state.areas for other in area.cards)
    held = sum(
        card.name(other) == name
        for other_seat, hand in enumerate(state.hands)
        for other in (known if other_seat == seat else hand.known)
    )
    free = there - lying - held - state.gone.count(name) - again
    if spare > 0 and free > 0:
        return ""
    if card.turned(one) in known:
        return "card.turned"
    if lying + again >= there:
        return "deck.too_many"
    return "card.elsewhere" if free <= 0 else "card.not_held"


def _unread_left(known: tuple[str, ...], unread: Sequence[str], spare: int) -> Leaving:
    """Cards of which only the value was said: whichever could be meant are no longer known for certain."""
    value = card.up(unread[0])
    certain = [one for one in known if card.up(one) == value]
    vague = [one for one in known if not card.up(one) and card.up(card.turned(one)) != value]
    if len(certain) + len(vague) + spare < len(unread):
        return Leaving((), "hand.cannot", str(value))
    return Leaving(tuple(one for one in known if one not in {*certain, *vague}))


def most(state: DnupState, value: int) -> int:
    """No set of this value has more cards: this many have it on one of their sides."""
    return copies(state.in_use)[value] if 1 <= value <= HIGHEST else 0
