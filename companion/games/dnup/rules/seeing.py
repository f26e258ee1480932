"""dnup's rulings on what the camera reads: the play areas, and the row in which the deck is shown.

A set is laid card by card, so nothing counts before the table has been quiet for a moment, or the player in
turn says so. Then everything that differs from the rulings is one action of that player, or a mistake. What a
ruling has taken away may lie on until somebody has cleared it.

A card that is not read for certain is no card: `x/6` and `x/9` differ in one stroke, so where either could be
meant a reading must be surer still. The table is asked instead.
"""

from collections.abc import Mapping, Sequence

from companion.core import events as shared
from companion.core.actions import SECOND, Micros, Seat
from companion.core.events import Events
from companion.core.observations import Face, Region
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as ev
from companion.games.dnup.rules import laws, turns
from companion.games.dnup.rules.evolve import folded
from companion.games.dnup.rules.knowing import Leaving, leaving
from companion.games.dnup.rules.manifest import MANIFEST, STAR, is_name, values
from companion.games.dnup.rules.state import DnupState, Phase, area_of

Diffs = Mapping[int, tuple[str, ...]]
"""Area → what is there otherwise than by the rulings."""
KIND, BACK = "pair:", "back:"
SCAN = "scan"
"""The row in which the deck is shown."""
SURE, SURE_TWIN = 0.9, 0.985
"""Least confidence of a reading; and where the same card with a 9 for its 6 (or the reverse) exists."""


def read(state: DnupState, faces: Sequence[Face]) -> tuple[str, ...] | None:
    """The cards that lie there as their owner sees them; None where one is not certain."""
    lying = []
    for face in faces:
        if face.card.startswith(BACK):
            continue
        name = face.card.removeprefix(KIND)
        one = card.lying(name, face.turn) if face.card.startswith(KIND) else ""
        if not one or not certain(state, face):
            return None
        lying.append(one)
    return tuple(lying)


def certain(state: DnupState, face: Face) -> bool:
    """Whether a reading is sure enough; while the deck is shown nobody knows which twins it has."""
    name = face.card.removeprefix(KIND)
    six = {6, 9} & set(values(name)) if state.phase is Phase.SCANNING else has_twin(state, name)
    return face.confidence >= (SURE_TWIN if six else SURE)


def has_twin(state: DnupState, name: str) -> bool:
    """Whether a card with a 6 has a like with a 9 in its place, or the reverse."""
    if not {6, 9} & set(values(name)):
        return False
    swap = {6: 9, 9: 6}
    low, high = sorted(swap.get(value, value) for value in values(name))
    pairs = {values(other) for other in state.deck or MANIFEST}
    return (low, high) in pairs or (low, high) == values(name)


def seen(state: DnupState, regions: Sequence[Region], at: Micros) -> Events:
    """Every region of the reading, in turn."""
    events: Events = ()
    for region in regions:
        now = folded(state, events)
        if region.name == SCAN:
            events += _scanned(now, region.faces)
        elif (area := area_of(state, region.name)) is not None:
            events += _area(now, area, read(now, region.faces), at)
    return events


def _scanned(state: DnupState, faces: Sequence[Face]) -> Events:
    """Cards of the deck, shown a row at a time."""
    if state.phase is not Phase.SCANNING or not faces:
        return ()
    names = [face.card.removeprefix(KIND) for face in faces]
    if any(
        not face.card.startswith(KIND) or not is_name(name) or not certain(state, face)
        for face, name in zip(faces, names, strict=True)
    ):
        return () if state.doubt else (ev.ScanUnread(),)
    return (ev.CardsShown(tuple(names), len(state.shown) + len(names)),)


def _area(state: DnupState, area: int, lying: tuple[str, ...] | None, at: Micros) -> Events:
    if lying is None:
        before = state.areas[area]
        said = any(not card.name(one) for one in before.cards)
        asked = state.turn_phase and not (before.unread or before.old or said)
        return (ev.AreaUnread(state.owner(area), area),) if asked else ()
    events: Events = (ev.AreaRead(area, lying),)
    if state.phase is Phase.DEALING:
        return (*events, *_star_shown(state, area, lying))
    if not state.turn_phase:
        return events
    then = folded(state, events)
    here = then.areas[area].cards
    if lying and card.same(lying, here):
        if not card.value_of(lying):
            return events  # no set: what lay here before is not known, so there is nothing to compare
        return (
            events
            if here == lying or sorted(here) == sorted(lying)
            else (*events, ev.CardsFilled(area, lying))
        )
    if not differing(then):
        return (*events, ev.TableQuiet()) if then.due is not None else events
    fresh = fresh_cards(then)
    if area == then.area and fresh and card.value_of(fresh):
        events = (*events, ev.SetSeen(then.seat, len(fresh), card.value_of(fresh)))
    return (*events, ev.QuietAwaited(at + state.options.settle_s * SECOND))


def _star_shown(state: DnupState, area: int, lying: tuple[str, ...]) -> Events:
    """The star card, shown in front of its holder: as good as the button."""
    fresh = card.without(lying, state.areas[area].old)
    if [card.name(one) for one in fresh] != [STAR]:
        return ()
    return began(state, state.owner(area))


def began(state: DnupState, seat: Seat) -> Events:
    """All is dealt; the holder of the star card begins, of two players with the second area only."""
    area = 2 * seat + 1 if state.pair else seat
    return (
        ev.RoundBegan(seat, area, state.round + 1, state.each),
        ev.TurnBegan(seat, area, state.number(area)),
    )


def differing(state: DnupState) -> Diffs:
    """What lies otherwise than by the rulings, but for what is still to be cleared."""
    found = {}
    for at, area in enumerate(state.areas):
        if area.seen is None or card.same(area.seen, area.cards):
            continue
        if (area.old or area.awaited) and card.within(area.seen, (*area.old, *area.cards)):
            continue
        found[at] = area.seen
    return found


def to_clear(state: DnupState) -> tuple[int, ...]:
    """Areas where something lies that was ruled away."""
    return tuple(
        at
        for at, area in enumerate(state.areas)
        if area.seen and area.old and not card.same(area.seen, area.cards)
    )


def fresh_cards(state: DnupState) -> tuple[str, ...]:
    """What lies newly in the area of this turn."""
    here = state.areas[state.area]
    return card.without(here.seen or (), here.old)


# What it means ----------------------------------------------------------------------------------------------


def settled(state: DnupState, at: Micros, *, insist: bool = False) -> Events:
    """The table is quiet: everything that differs is one action of the player in turn, or a mistake.

    `insist`: it was doubted before and is said once more.
    """
    diffs = differing(state)
    if not diffs:
        return (ev.TableQuiet(),)
    ruled = _action(state, diffs, insist=insist)
    if _refused(ruled):
        doubted = any(isinstance(event, shared.Infraction) and event.rule in DOUBTS for event in ruled)
        return (*ruled, ev.TableQuiet(doubted))
    then = folded(state, ruled)
    if then.turn_phase and differing(then):  # the next player was quick
        return (*ruled, ev.QuietAwaited(at + state.options.settle_s * SECOND))
    return ruled


DOUBTS = frozenset({"card.turned", "card.elsewhere", "card.not_held", "deck.too_many", "deck.foreign"})
"""Contradictions to what was known (DI1 to DI3): the table may insist."""


def refused_by(state: DnupState) -> str:
    """The rule against what lies otherwise than by the rulings; empty where there is none."""
    ruled = _action(state, differing(state), insist=False)
    return next((event.rule for event in ruled if isinstance(event, shared.Infraction)), "")


def _action(state: DnupState, diffs: Diffs, *, insist: bool) -> Events:
    """The one action that explains everything that differs; the next player may have begun already."""
    if state.area in diffs:
        return _alone(state, _laid(state, insist=insist), state.area)
    others = sorted(diffs, key=lambda area: _order(state, area, diffs))
    if len(others) == 1:
        return _touched(state, others[0], diffs[others[0]], insist=insist)
    for area in others:
        ruled = _alone(state, _touched(state, area, diffs[area], insist=insist), area)
        if not _refused(ruled):
            return ruled
    return _no("turn.one_action", state.seat)


def _order(state: DnupState, area: int, diffs: Diffs) -> tuple[bool, bool]:
    """Added cards explain more than missing ones, and the next player's area may change by itself."""
    return len(diffs[area]) <= len(state.areas[area].cards), area == turns.following(state)


def _alone(state: DnupState, ruled: Events, area: int) -> Events:
    """The ruling, if it leaves nothing that differs but in the next player's area."""
    if _refused(ruled):
        return ruled
    then, free = folded(state, ruled), {turns.following(state)} - {area}
    if then.turn_phase and not set(differing(then)) <= free:
        return _no("turn.one_action", state.seat)
    return ruled


def _refused(ruled: Events) -> bool:
    return any(isinstance(event, shared.Infraction) for event in ruled)


def _laid(state: DnupState, *, insist: bool) -> Events:
    """Cards in the player's own area: a play."""
    here, fresh = state.areas[state.area], fresh_cards(state)
    if len(fresh) < len(here.seen or ()):
        return _no("discard.first", state.seat)
    value = card.value_of(fresh)
    if not value:
        return _no("set.mixed", state.seat)
    if rule := laws.play_rule(state, len(fresh), value):
        what = state.hands[state.seat].size if rule == "hand.count" else len(fresh)
        return _no(rule, state.seat, what)
    doubts, state, left = known_after(state, fresh, insist=insist)
    return doubts if left is None else (*doubts, *turns.played(state, fresh, left))


def _touched(state: DnupState, area: int, lying: tuple[str, ...], *, insist: bool) -> Events:
    """Something changed in another area: a card was added, or the set was taken."""
    there = state.areas[area].cards
    if not there:
        return _no("play.not_your_turn", state.owner(area))
    if rule := laws.target_rule(state, area):
        return _no(rule, state.seat)
    if not lying:
        return turns.taken(state, area)
    if len(lying) < len(there) and card.within(lying, there):
        return _no("take.whole_set", state.seat)
    more = card.without(lying, there)
    if len(more) != len(lying) - len(there):
        return _no("set.changed")
    if len(more) > 1:
        return _no("add.one_card", state.seat)
    if card.up(more[0]) != state.value(area):
        return _no("add.other_value", state.seat, state.value(area))
    if rule := laws.add_rule(state, area):
        return _no(rule, state.seat)
    doubts, state, left = known_after(state, more, insist=insist)
    return doubts if left is None else (*doubts, *turns.added(state, area, more[0], left))


def known_after(
    state: DnupState, cards: tuple[str, ...], *, insist: bool
) -> tuple[Events, DnupState, Leaving | None]:
    """What is known of the hand without these cards; or, without it, the doubt that comes first."""
    left = leaving(state, state.seat, cards)
    if left.rule == "hand.cannot" or (left.rule in DOUBTS and insist):
        events: Events = (ev.HandDoubted(state.seat),)
        return events, folded(state, events), Leaving(())
    if left.rule:
        return _no(left.rule, state.seat, left.what), state, None
    return (), state, left


def _no(rule: str, seat: Seat | None = None, what: str | int | None = None) -> Events:
    return (shared.Infraction(rule, seat, what),)
