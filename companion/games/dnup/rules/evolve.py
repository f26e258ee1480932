"""Applies dnup's events to its state, without judging anything.

No judgement here, so that a replay never re-judges.
"""

from collections.abc import Iterable, Mapping
from typing import Any, assert_never

from msgspec.structs import replace

from companion.core import events as shared
from companion.core.actions import Seat
from companion.core.events import Event
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as ev
from companion.games.dnup.rules.deck_composition import STAR_CARD
from companion.games.dnup.rules.events import DnupEvent
from companion.games.dnup.rules.state import DnupPhase, DnupState, KnownHand, PlayArea

PHASE_BY_VERB: Mapping[str, DnupPhase] = {
    "play": DnupPhase.SIZING,
    "add": DnupPhase.ADDING,
    "take": DnupPhase.TAKING,
}


def apply_events(state: DnupState, events: Iterable[Event]) -> DnupState:
    """The state once `events` were ruled."""
    for event in events:
        state = evolve(state, event)  # type: ignore[arg-type]  # only this game's events are made here
    return state


def evolve(state: DnupState, event: DnupEvent | shared.GameRuling) -> DnupState:  # noqa: C901, PLR0915
    """The state after `event`."""
    match event:
        # Set-up
        case ev.CardsShown():
            return replace(state, shown=(*state.shown, *event.names), doubt=False)
        case ev.ScanUnread():
            return replace(state, doubt=True)
        case ev.ScanRestarted():
            return replace(state, shown=(), doubt=False)
        case ev.DeckScanned():
            return replace(state, phase=DnupPhase.SORTING, deck=event.names, shown=())
        case ev.DeckListed():
            return replace(state, phase=DnupPhase.SORTING, shown=())
        case ev.DeckSorted():
            return replace(state, phase=DnupPhase.DEALING)
        case ev.DnupRoundBegan():
            return _begin_round(state, event)
        case ev.CardsRedealt():
            return replace(state, phase=DnupPhase.DEALING, round=state.round - 1, stalled=False, due=None)
        # A turn
        case ev.TurnBegan():
            areas = tuple(replace(area, unread=False) if area.unread else area for area in state.areas)
            state = replace(
                state, phase=DnupPhase.ACTING, seat=event.seat, area=event.area, areas=areas, size=0
            )
            return replace(state, turns=state.turns + 1, idle=state.idle + 1, due=None, doubt=False)
        case ev.SetDiscarded() | ev.SetBeaten():
            names = tuple(filter(None, map(card.card_name, state.areas[event.area].cards)))
            state = _with_area(state, event.area, _empty_area(state.areas[event.area]))
            return replace(state, discarded=state.discarded + event.count, gone=(*state.gone, *names))
        case ev.AreaRead():
            here = state.areas[event.area]
            same = card.may_be_same_cards(event.cards, here.cards)
            old, awaited = (() if same else here.old), here.awaited and not same
            read = PlayArea(here.cards, event.cards, old, awaited)
            return _with_area(state, event.area, read)
        case ev.AreaUnread():
            here = replace(state.areas[event.area], seen=None, awaited=False, unread=True)
            return _with_area(state, event.area, here)
        case ev.SetSeen() | ev.StarElsewhere():
            return state
        case ev.QuietAwaited():
            return replace(state, due=event.due, doubt=False)
        case ev.TableQuiet():
            return replace(state, due=None, doubt=event.doubt)
        case ev.CardsFilled():
            return _with_area(state, event.area, replace(state.areas[event.area], cards=event.cards))
        case ev.SetForgotten():
            return _forget_area(state, event.area)
        case ev.VerbChosen():
            return replace(state, phase=PHASE_BY_VERB[event.verb])
        case ev.SizeSaid():
            return replace(state, phase=DnupPhase.VALUING, size=event.count)
        case ev.SpokenActionDropped():
            return replace(state, phase=DnupPhase.ACTING, size=0)
        case ev.SetPlayed():
            here = state.areas[event.area]
            state = _with_area(state, event.area, _lay_cards(here, event.cards))
            state = _with_hand(state, event.seat, -event.count, event.known)
            return _note_star_seen(_note_card_played(state), event.seat, event.cards)
        case ev.CardAdded():
            here = state.areas[event.area]
            state = _with_area(state, event.area, _lay_cards(here, (*here.cards, event.card)))
            state = _with_hand(state, event.seat, -1, event.known)
            return _note_star_seen(_note_card_played(state), event.seat, (event.card,))
        case ev.SetTaken() | ev.SetReturned():
            lying = state.areas[event.area].cards
            coming = tuple([card.rotate_card(one) for one in lying if one != card.COVERED_CARD])
            known = (*state.hands[event.seat].known, *coming)
            state = _with_area(state, event.area, _empty_area(state.areas[event.area]))
            return _with_hand(state, event.seat, event.count, known)
        case ev.HandRotated():
            known = tuple(map(card.rotate_card, state.hands[event.seat].known))
            spins = tuple(spun + (seat == event.seat) for seat, spun in enumerate(state.spins))
            state = replace(state, spins=spins)
            return _with_hand(state, event.seat, 0, known)
        case ev.HandDoubted():
            hands = tuple(KnownHand(hand.size) for hand in state.hands)
            return replace(state, hands=hands, gone=(), star=None)
        case ev.StallNoticed():
            return replace(state, stalled=True)
        # Ends
        case ev.WentOut():
            points = list(state.points)
            points[event.seat] += event.points
            return replace(state, points=tuple(points), out=(*state.out, event.seat))
        case ev.DnupRoundEnded():
            return replace(state, phase=DnupPhase.DEALING, due=None, doubt=False, stalled=False)
        case ev.DnupGameWon():
            return replace(state, phase=DnupPhase.OVER, winners=event.seats, due=None)
        # The desk
        case shared.Repaired():
            return apply_repair(state, event.table)
        case shared.GameAbandoned():
            return replace(state, phase=DnupPhase.OVER, due=None)
        case shared.Infraction() | shared.Repair() | shared.WindowVoided():
            return state
    assert_never(event)


def apply_repair(state: DnupState, table: tuple[tuple[str, str | int], ...]) -> DnupState:
    """The state as the table says it is: `turn`, `hand:2`, `size:3`, `value:3`, `points:1`; else ValueError.

    What is known of a hand whose size changes is forgotten; the pile holds what lies nowhere else.
    """
    wanted: dict[str, Any] = dict(table)
    hands, areas, points = list(state.hands), list(state.areas), list(state.points)
    sizes = {at: len(area.cards) for at, area in enumerate(areas)}
    values = {at: state.value(at) for at in sizes}
    for key, value in wanted.items():
        kind, _, place = key.partition(":")
        number = int(place) if place else -1
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ValueError(key)
        match kind:
            case "turn" if value < state.players and value not in state.out:
                first = state.area if value == state.seat else _first_area(state, value)
                state = replace(state, seat=value, area=first)
            case "hand" if number in range(len(hands)):
                if hands[number].size != value:
                    hands[number] = KnownHand(value)
            case "points" if number in range(len(points)):
                points[number] = value
            case "size" if number in sizes:
                sizes[number] = value
            case "value" if number in values:
                values[number] = value
            case _:
                raise ValueError(key)
    for at, area in enumerate(areas):
        if sizes[at] == len(area.cards) and values[at] == state.value(at):
            continue
        if sizes[at] and not values[at]:
            raise ValueError("a set has a value")
        areas[at] = _lay_cards(replace(area, old=()), (card.half_known_card(values[at]),) * sizes[at])
    held, lying = sum(hand.size for hand in hands), sum(sizes.values())
    state = replace(state, hands=tuple(hands), areas=tuple(areas), points=tuple(points), due=None)
    state = replace(state, phase=DnupPhase.ACTING, size=0, doubt=False, gone=(), star=None)
    return replace(state, discarded=len(state.cards_in_use) - held - lying)


def _first_area(state: DnupState, seat: Seat) -> int:
    return 2 * seat if state.is_two_player else seat


def _begin_round(state: DnupState, event: ev.DnupRoundBegan) -> DnupState:
    """New hands, and a bare table: what lay there was dealt."""
    areas = (PlayArea(),) * len(state.areas)
    hands = (KnownHand(event.each),) * state.players
    state = replace(state, round=event.round, seat=event.seat, area=event.area, hands=hands, areas=areas)
    state = replace(state, stalled=False, doubt=False, due=None)
    return replace(state, discarded=0, gone=(), out=(), star=event.seat, spins=(0,) * state.players, idle=-1)


def _with_area(state: DnupState, at: int, area: PlayArea) -> DnupState:
    return replace(state, areas=(*state.areas[:at], area, *state.areas[at + 1 :]))


def _with_hand(state: DnupState, seat: Seat, more: int, known: tuple[str, ...]) -> DnupState:
    hand = KnownHand(state.hands[seat].size + more, tuple(sorted(known)))
    return replace(state, hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]))


def _empty_area(area: PlayArea) -> PlayArea:
    """Nothing is there by the rulings; what was seen there may take a moment to go."""
    if area.seen == ():
        return PlayArea((), ())
    return PlayArea((), area.seen, (*area.cards, *card.remove_cards(area.seen or (), area.cards)))


def _lay_cards(area: PlayArea, cards: tuple[str, ...]) -> PlayArea:
    """These cards lie there by the rulings."""
    settled = area.seen is not None and card.may_be_same_cards(area.seen, cards)
    awaited = not settled and not area.unread
    return PlayArea(cards, area.seen, () if settled else area.old, awaited, area.unread)


def _forget_area(state: DnupState, at: int) -> DnupState:
    """How many cards lie there is known, and nothing of them; what was being laid there is read again."""
    cards = state.areas[at].cards
    state = _with_area(state, at, PlayArea((card.COVERED_CARD,) * len(cards)))
    return replace(state, due=None, doubt=False) if cards or at == state.area else state


def _note_card_played(state: DnupState) -> DnupState:
    return replace(state, idle=-1, stalled=False, phase=DnupPhase.ACTING, size=0)


def _note_star_seen(state: DnupState, seat: Seat, cards: tuple[str, ...]) -> DnupState:
    """The star card is where it was said to be until it is seen, or until it may have left unseen."""
    names = set(map(card.card_name, cards))
    return replace(state, star=None) if STAR_CARD in names or (seat == state.star and "" in names) else state
