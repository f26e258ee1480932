"""Decides what a card that the camera read means in dnup: accepted, refused, or asked about.

A set is laid card by card, so nothing counts before the table has been quiet for a moment, or the player in
turn says so. Then everything that differs from the rulings is one action of that player, or a mistake. What a
ruling has taken away may lie on until somebody has cleared it.

A card that is not read for certain is no card: `x/6` and `x/9` differ in one stroke, so where either could be
meant a reading must be surer still. The table is asked instead.
"""

from collections.abc import Iterator, Mapping, Sequence

from companion.core import events as shared
from companion.core.actions import SECOND, Micros, Seat
from companion.core.events import Event, Events, apply_events
from companion.core.observations import RegionReading, SeenCard
from companion.core.verbs import infraction_ruling
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import model, turn_flow
from companion.games.dnup.rules.cards import PRINTED_DECK, STAR_CARD, card_values, is_card_name
from companion.games.dnup.rules.model import DnupPhase, DnupState, area_in_region
from companion.games.dnup.rules.turn_flow import HandInference, infer_hand_after

AreaChanges = Mapping[int, tuple[str, ...]]
"""Area → what is there otherwise than by the rulings."""
CARD_PREFIX, BACK_PREFIX = "pair:", "back:"
SCAN_REGION = "scan"
"""The row in which the deck is shown."""
MIN_CONFIDENCE, MIN_TWIN_CONFIDENCE = 0.9, 0.985
"""Least confidence of a reading; and where the same card with a 9 for its 6 (or the reverse) exists."""


def read_cards(state: DnupState, faces: Sequence[SeenCard]) -> tuple[str, ...] | None:
    """The cards that lie there as their owner sees them; None where one is not certain."""
    lying = []
    for face in faces:
        if face.card.startswith(BACK_PREFIX):
            continue
        name = face.card.removeprefix(CARD_PREFIX)
        one = card.card_as_read(name, face.turn) if face.card.startswith(CARD_PREFIX) else ""
        if not one or not is_certain(state, face):
            return None
        lying.append(one)
    return tuple(lying)


def is_certain(state: DnupState, face: SeenCard) -> bool:
    """Whether a reading is sure enough; while the deck is shown nobody knows which twins it has."""
    name = face.card.removeprefix(CARD_PREFIX)
    six = {6, 9} & set(card_values(name)) if state.phase is DnupPhase.SCANNING else has_twin(state, name)
    return face.confidence >= (MIN_TWIN_CONFIDENCE if six else MIN_CONFIDENCE)


def has_twin(state: DnupState, name: str) -> bool:
    """Whether a card with a 6 has a like with a 9 in its place, or the reverse."""
    if not {6, 9} & set(card_values(name)):
        return False
    swap = {6: 9, 9: 6}
    low, high = sorted(swap.get(value, value) for value in card_values(name))
    pairs = {card_values(other) for other in state.deck or PRINTED_DECK}
    return (low, high) in pairs or (low, high) == card_values(name)


def judge_regions(state: DnupState, regions: tuple[RegionReading, ...], at: Micros) -> Events:
    """Every region of the reading, in turn."""
    events: Events = ()
    for region in regions:
        now = apply_events(state, events)
        if region.name == SCAN_REGION:
            events += _judge_scan_row(now, region.faces)
        elif (area := area_in_region(state, region.name)) is not None:
            events += _judge_area(now, area, read_cards(now, region.faces), at)
    return events


def _judge_scan_row(state: DnupState, faces: Sequence[SeenCard]) -> Events:
    """Cards of the deck, shown a row at a time."""
    if state.phase is not DnupPhase.SCANNING or not faces:
        return ()
    names = [face.card.removeprefix(CARD_PREFIX) for face in faces]
    if any(
        not face.card.startswith(CARD_PREFIX) or not is_card_name(name) or not is_certain(state, face)
        for face, name in zip(faces, names, strict=True)
    ):
        return () if state.doubt else (model.ScanUnread(),)
    return (model.CardsShown(tuple(names), len(state.shown) + len(names)),)


def _judge_area(state: DnupState, area: int, lying: tuple[str, ...] | None, at: Micros) -> Events:
    if lying is None:
        before = state.areas[area]
        said = any(not card.card_name(one) for one in before.cards)
        asked = state.is_turn_running and not (before.unread or before.old or said)
        return (model.AreaUnread(state.owner(area), area),) if asked else ()
    events: Events = (model.AreaRead(area, lying),)
    if state.phase is DnupPhase.DEALING:
        return (*events, *_judge_shown_star(state, area, lying))
    if not state.is_turn_running:
        return events
    then = apply_events(state, events)
    here = then.areas[area].cards
    if lying and card.may_be_same_cards(lying, here):
        if not card.set_value(lying):
            return events  # no set: what lay here before is not known, so there is nothing to compare
        known = sorted(here) == sorted(lying)
        return events if known else (*events, model.CardsFilled(area, lying))
    if not changed_areas(then):
        return (*events, model.TableQuiet()) if then.due is not None else events
    fresh = fresh_cards(then)
    if area == then.area and fresh and card.set_value(fresh):
        events = (*events, model.SetSeen(then.seat, len(fresh), card.set_value(fresh)))
    return (*events, model.QuietAwaited(at + state.options.settle_s * SECOND))


def _judge_shown_star(state: DnupState, area: int, lying: tuple[str, ...]) -> Events:
    """The star card, shown in front of its holder: as good as the button."""
    fresh = card.remove_cards(lying, state.areas[area].old)
    if [card.card_name(one) for one in fresh] != [STAR_CARD]:
        return ()
    return begin_round(state, state.owner(area))


def begin_round(state: DnupState, seat: Seat) -> Events:
    """All is dealt; the holder of the star card begins, of two players with the second area only."""
    area = 2 * seat + 1 if state.is_two_player else seat
    return (
        model.DnupRoundBegan(seat, area, state.round + 1, state.cards_each),
        model.TurnBegan(seat, area, state.number(area)),
    )


def changed_areas(state: DnupState) -> AreaChanges:
    """What lies otherwise than by the rulings, but for what is still to be cleared."""
    found = {}
    for at, area in enumerate(state.areas):
        if area.seen is None or card.may_be_same_cards(area.seen, area.cards):
            continue
        if (area.old or area.awaited) and card.contains_cards(area.seen, (*area.old, *area.cards)):
            continue
        found[at] = area.seen
    return found


def unread_places(state: DnupState, now: DnupState | None = None) -> Iterator[Event]:
    """What is not ruled on yet may have been taken up again; in a correction whatever was read counts."""
    if now is None:
        for at in changed_areas(state):
            yield model.AreaUnseen(at)
        if state.due is not None or state.doubt:
            yield model.TableQuiet()


def areas_to_clear(state: DnupState) -> tuple[int, ...]:
    """Areas where something lies that was ruled away."""
    return tuple(
        at
        for at, area in enumerate(state.areas)
        if area.seen and area.old and not card.may_be_same_cards(area.seen, area.cards)
    )


def fresh_cards(state: DnupState) -> tuple[str, ...]:
    """What lies newly in the area of this turn."""
    here = state.areas[state.area]
    return card.remove_cards(here.seen or (), here.old)


# What it means ----------------------------------------------------------------------------------------------


def judge_quiet_table(state: DnupState, at: Micros, *, insist: bool = False) -> Events:
    """The table is quiet: everything that differs is one action of the player in turn, or a mistake.

    `insist`: it was doubted before and is said once more.
    """
    diffs = changed_areas(state)
    if not diffs:
        return (model.TableQuiet(),)
    ruled = _judge_changes(state, diffs, insist=insist)
    if _is_refused(ruled):
        doubted = any(isinstance(event, shared.Infraction) and event.rule in DOUBT_RULES for event in ruled)
        return (*ruled, model.TableQuiet(doubted))
    then = apply_events(state, ruled)
    if then.is_turn_running and changed_areas(then):  # the next player was quick
        return (*ruled, model.QuietAwaited(at + state.options.settle_s * SECOND))
    return ruled


DOUBT_RULES = frozenset({"card.turned", "card.elsewhere", "card.not_held", "deck.too_many", "deck.foreign"})
"""Contradictions to what was known (DI1 to DI3): the table may insist."""


def rule_against_table(state: DnupState) -> str:
    """The rule against what lies otherwise than by the rulings; empty where there is none."""
    ruled = _judge_changes(state, changed_areas(state), insist=False)
    return next((event.rule for event in ruled if isinstance(event, shared.Infraction)), "")


def _judge_changes(state: DnupState, diffs: AreaChanges, *, insist: bool) -> Events:
    """The one action that explains everything that differs; the next player may have begun already."""
    if state.area in diffs:
        return _require_single_change(state, _judge_own_area(state, insist=insist), state.area)
    others = sorted(diffs, key=lambda area: _change_order(state, area, diffs))
    if len(others) == 1:
        return _judge_other_area(state, others[0], diffs[others[0]], insist=insist)
    for area in others:
        ruled = _require_single_change(
            state, _judge_other_area(state, area, diffs[area], insist=insist), area
        )
        if not _is_refused(ruled):
            return ruled
    return infraction_ruling("turn.one_action", state.seat)


def _change_order(state: DnupState, area: int, diffs: AreaChanges) -> tuple[bool, bool]:
    """Added cards explain more than missing ones, and the next player's area may change by itself."""
    return len(diffs[area]) <= len(state.areas[area].cards), area == turn_flow.next_area(state)


def _require_single_change(state: DnupState, ruled: Events, area: int) -> Events:
    """The ruling, if it leaves nothing that differs but in the next player's area."""
    if _is_refused(ruled):
        return ruled
    then, free = apply_events(state, ruled), {turn_flow.next_area(state)} - {area}
    if then.is_turn_running and not set(changed_areas(then)) <= free:
        return infraction_ruling("turn.one_action", state.seat)
    return ruled


def _is_refused(ruled: Events) -> bool:
    return any(isinstance(event, shared.Infraction) for event in ruled)


def _judge_own_area(state: DnupState, *, insist: bool) -> Events:
    """Cards in the player's own area: a play."""
    here, fresh = state.areas[state.area], fresh_cards(state)
    if len(fresh) < len(here.seen or ()):
        return infraction_ruling("discard.first", state.seat)
    value = card.set_value(fresh)
    if not value:
        return infraction_ruling("set.mixed", state.seat)
    if rule := turn_flow.rule_against_play(state, len(fresh), value):
        what = state.hands[state.seat].size if rule == "hand.count" else len(fresh)
        return infraction_ruling(rule, state.seat, what)
    doubts, state, left = know_hand_after(state, fresh, insist=insist)
    return doubts if left is None else (*doubts, *turn_flow.play_set(state, fresh, left))


def _judge_other_area(state: DnupState, area: int, lying: tuple[str, ...], *, insist: bool) -> Events:
    """Something changed in another area: a card was added, or the set was taken."""
    there = state.areas[area].cards
    if not there:
        return infraction_ruling("play.not_your_turn", state.owner(area))
    if rule := turn_flow.rule_against_target(state, area):
        return infraction_ruling(rule, state.seat)
    if not lying:
        return turn_flow.take_set(state, area)
    if len(lying) < len(there) and card.contains_cards(lying, there):
        return infraction_ruling("take.whole_set", state.seat)
    more = card.remove_cards(lying, there)
    if len(more) != len(lying) - len(there):
        return infraction_ruling("set.changed")
    if len(more) > 1:
        return infraction_ruling("add.one_card", state.seat)
    if card.active_value(more[0]) != state.value(area):
        return infraction_ruling("add.other_value", state.seat, state.value(area))
    if rule := turn_flow.rule_against_add(state, area):
        return infraction_ruling(rule, state.seat)
    doubts, state, left = know_hand_after(state, more, insist=insist)
    return doubts if left is None else (*doubts, *turn_flow.add_card(state, area, more[0], left))


def know_hand_after(
    state: DnupState, cards: tuple[str, ...], *, insist: bool
) -> tuple[Events, DnupState, HandInference | None]:
    """What is known of the hand without these cards; or, without it, the doubt that comes first."""
    left = infer_hand_after(state, state.seat, cards)
    if left.rule == "hand.cannot" or (left.rule in DOUBT_RULES and insist):
        events: Events = (model.HandDoubted(state.seat),)
        return events, apply_events(state, events), HandInference(())
    if left.rule:
        return infraction_ruling(left.rule, state.seat, left.what), state, None
    return (), state, left
