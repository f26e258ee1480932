"""What is proved about hands that nobody has seen, from the cards that were played.

A play that excludes cards says that its hand has none of them; a later card of that hand may conflict with
it. Whether the unseen cards can be dealt at all is decided exactly: by Hall's theorem they can if and only if
no group of hands has fewer cards left than there are cards that can lie nowhere else. docs/rules.md, 12.4.
"""

from collections.abc import Iterator, Set
from typing import NamedTuple

from companion.games.kit.cards import CardSet, cards_in
from companion.games.kit.tricks import Holder, Play, TrickRules, led_card


class Deal(NamedTuple):
    """What was told in a deal, and what is settled of it; plays are named by their number, from 0."""

    plays: tuple[Play, ...]
    revokes: Set[int] = frozenset()
    """Plays that were proved to be unlawful: they exclude nothing."""
    confirmed: Set[int] = frozenset()
    """Plays whose card was looked at again."""


class Misread(NamedTuple):
    """A play whose card was another one, of this kind."""

    number: int
    kind: CardSet


class Conflict(NamedTuple):
    """A card that earlier plays of the same hand exclude."""

    number: int
    earlier: tuple[int, ...]


class Finding(NamedTuple):
    """What follows from a deal that cannot be."""

    conflict: Conflict | None
    """None: some hand has what it cannot have, and nobody knows which."""
    check: tuple[int, ...] = ()
    """The plays that have to be confirmed before anything is proved; none: the earlier plays were revokes."""
    known_by: int = 0
    """Without a conflict: the trick by which there is one, at the latest."""


class Hands(NamedTuple):
    """The unseen cards, and who may have them."""

    unseen: CardSet
    holders: tuple[Holder, ...]
    """A hand for each seat, what is aside, and one of a single card for a play that was misread."""


def read_hands(rules: TrickRules, deal: Deal, misread: Misread | None = None) -> Hands | None:
    """The hands after these plays; None: a play conflicts with an earlier one."""
    excluded, left, size = [0] * rules.players, [rules.hand_size] * rules.players, rules.trick_size
    unseen, seen, led = rules.deck, 0, None
    single: tuple[Holder, ...] = ()
    for number, (seat, card) in enumerate(deal.plays):
        if misread is not None and number == misread.number:
            single = (Holder(1, misread.kind & rules.may_tell(seat) & ~excluded[seat]),)
            card = next(cards_in(misread.kind))  # noqa: PLW2901 - any of that kind
        else:
            if excluded[seat] >> card & 1:
                return None
            unseen &= ~(1 << card)
        if number % size == 0:
            led = None
        if number not in deal.revokes:
            excluded[seat] |= rules.excludes(number, led, seen, card)
        led = card if led is None else led
        seen |= 1 << card
        left[seat] -= 1
    hands = (Holder(left[seat], rules.may_tell(seat) & ~excluded[seat]) for seat in range(rules.players))
    return Hands(unseen, (*hands, *rules.aside, *single))


def _surpluses(hands: Hands) -> Iterator[tuple[int, int]]:
    """For each group of hands: by how many cards that can lie only in it exceed what it has left."""
    holders = hands.holders
    everybody = (1 << len(holders)) - 1
    others, sizes = [0] * (everybody + 1), [0] * (everybody + 1)
    for group in range(1, everybody + 1):
        rest, holder = group & (group - 1), holders[(group & -group).bit_length() - 1]
        others[group] = others[rest] | holder.may_have
        sizes[group] = sizes[rest] + holder.size
    for group in range(everybody + 1):
        only = hands.unseen & ~others[everybody ^ group]
        yield only.bit_count() - sizes[group], group


def can_be_dealt(hands: Hands) -> bool:
    """Whether the unseen cards can lie in these hands."""
    return all(surplus <= 0 for surplus, _ in _surpluses(hands))


def is_lawful(rules: TrickRules, deal: Deal, misread: Misread | None = None) -> bool:
    """Whether some distribution of the unseen cards makes all of these plays lawful."""
    hands = read_hands(rules, deal, misread)
    return hands is not None and can_be_dealt(hands)


def may_hold(rules: TrickRules, deal: Deal) -> tuple[CardSet, ...]:
    """The cards that each seat may still have; of a deal that cannot be, none."""
    hands = read_hands(rules, deal)
    if hands is None:
        return (0,) * rules.players
    return tuple(
        sum(1 << card for card in cards_in(hands.unseen & holder.may_have) if _may_get(hands, seat, card))
        for seat, holder in enumerate(hands.holders[: rules.players])
    )


def _may_get(hands: Hands, seat: int, card: int) -> bool:
    """Whether the others can be dealt once this card lies in this hand."""
    holder = hands.holders[seat]
    if not holder.size:
        return False
    less = (*hands.holders[:seat], holder._replace(size=holder.size - 1), *hands.holders[seat + 1 :])
    return can_be_dealt(Hands(hands.unseen & ~(1 << card), less))


def find_conflict(rules: TrickRules, deal: Deal) -> Conflict | None:
    """The earliest play that conflicts, with all that it conflicts with."""
    excluded = list(_exclusions(rules, deal))
    for number, (seat, card) in enumerate(deal.plays):
        earlier = tuple(
            before
            for before in range(number)
            if deal.plays[before].seat == seat and excluded[before] >> card & 1 and before not in deal.revokes
        )
        if earlier:
            return Conflict(number, earlier)
    return None


def _exclusions(rules: TrickRules, deal: Deal) -> Iterator[CardSet]:
    """What each play excludes."""
    seen = 0
    for number, (_, card) in enumerate(deal.plays):
        yield rules.excludes(number, led_card(rules, deal.plays, number), seen, card)
        seen |= 1 << card


def is_undecided(rules: TrickRules, deal: Deal) -> bool:
    """Whether the unseen cards may lie so that a play was unlawful that was not proved to be."""
    held = may_hold(rules, Deal(deal.plays, frozenset(range(len(deal.plays)))))
    excluded = zip(deal.plays, _exclusions(rules, deal), strict=True)
    return any(
        cards & held[play.seat] for number, (play, cards) in enumerate(excluded) if number not in deal.revokes
    )


def grounds(rules: TrickRules, deal: Deal, conflict: Conflict) -> tuple[int, ...]:
    """The plays on which a conflict rests: were none of them another card, it would be there, too."""
    last = deal.plays[conflict.number].card
    found = {conflict.number}
    for number in conflict.earlier:
        found |= {number, number - number % rules.trick_size}
        led = led_card(rules, deal.plays, number)
        if not rules.excludes(number, led, rules.deck, deal.plays[number].card) >> last & 1:
            found |= set(range(number))  # with other cards before it, it would not exclude the last one
    return tuple(sorted(found))


def examine(rules: TrickRules, deal: Deal) -> Finding | None:
    """What is wrong with a deal; None: it may be lawful.

    Of the cards on which a conflict rests those are checked first of which a single one, misread, explains
    everything: the explanations with the fewest faults.
    """
    hands = read_hands(rules, deal)
    if hands is not None:
        known_by = _known_by(rules, hands)
        return None if known_by is None else Finding(None, known_by=known_by)
    conflict = find_conflict(rules, deal)
    assert conflict is not None
    doubtful = [number for number in grounds(rules, deal, conflict) if number not in deal.confirmed]
    alone = tuple(
        number
        for number in doubtful
        if any(is_lawful(rules, deal, Misread(number, kind)) for kind in rules.kinds)
    )
    return Finding(conflict, alone or tuple(doubtful))


def _known_by(rules: TrickRules, hands: Hands) -> int | None:
    """The trick by which some hand has to play a card that it cannot have; None: no hand has to have one."""
    playing = enumerate(hands.holders[: rules.players])
    has_cards = sum(1 << seat for seat, holder in playing if holder.size and seat != rules.sits_out)
    tricks = [
        rules.hand_size + 1 + -surplus // (has_cards & ~group).bit_count()
        for surplus, group in _surpluses(hands)
        if surplus > 0
    ]
    return min(tricks, default=None)
