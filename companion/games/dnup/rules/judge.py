"""dnup's rulings on what people say: one small function per verb, and the table that says who may when.

Verbs and values: `card` "3-8" (shown while scanning); `scanned`; `again`; `listed`; `prepared`; `star`;
`play` or `play` "2x8"; `size` 2; `value` 8; `add` or `add` 3 (the third area); `take` or `take` 3; `rotate`;
`done`; `redeal`.
"""

from collections.abc import Mapping

from companion.core import events as shared
from companion.core.actions import SECOND, Action, Micros, Seat
from companion.core.events import Events
from companion.core.verbs import Verb, judged, no, verb
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as ev
from companion.games.dnup.rules import laws, seeing, turns
from companion.games.dnup.rules.evolve import folded
from companion.games.dnup.rules.manifest import MANIFEST, is_name, unfit
from companion.games.dnup.rules.state import SAYING, DnupState, Phase

# Set-up -----------------------------------------------------------------------------------------------------


def card_shown(state: DnupState, action: Action, at: Micros) -> Events:
    """A card of the deck, said while it is scanned."""
    if not isinstance(action.value, str) or not is_name(action.value):
        return no("scan.which", action.seat)
    return (ev.CardsShown((action.value,), len(state.shown) + 1),)


def scanned(state: DnupState, action: Action, at: Micros) -> Events:
    """The whole deck was shown: from now on it is what was counted."""
    if len(state.shown) != len(MANIFEST):
        return no("scan.count", action.seat, len(state.shown))
    if fault := unfit(state.shown):
        return no("scan.star" if fault == "star" else "scan.uneven", action.seat)
    return (ev.DeckScanned(tuple(sorted(state.shown)), len(state.shown)),)


def again(state: DnupState, action: Action, at: Micros) -> Events:
    """The scan begins again; or something else was meant."""
    if state.phase is Phase.SCANNING:
        return (ev.ScanBegunAgain(),)
    return (ev.SayingDropped(),)


def listed(state: DnupState, action: Action, at: Micros) -> Events:
    """No scan after all."""
    return (ev.DeckListed(),)


def prepared(state: DnupState, action: Action, at: Micros) -> Events:
    """The cards that are not used lie in the box."""
    return (ev.DeckSorted(len(state.in_use)),)


def star(state: DnupState, action: Action, at: Micros) -> Events:
    """Who holds the star card begins."""
    return seeing.began(state, action.seat)


# A turn -----------------------------------------------------------------------------------------------------


def play(state: DnupState, action: Action, at: Micros) -> Events:
    """A set is played; without a value it is said step by step."""
    if action.value is None:
        if state.phase is not Phase.ACTING or not laws.sizes(state):
            return no("turn.not_now", action.seat)
        return (ev.VerbChosen("play"),)
    found = _size_and_value(action.value)
    if found is None:
        return no("play.which", action.seat)
    size, value = found
    return _said(state, size, value)


def _said(state: DnupState, size: int, value: int) -> Events:
    """A set that was said; if just that was read, with both sides of its cards."""
    if rule := laws.play_rule(state, size, value):
        what = state.hands[state.seat].size if rule == "hand.count" else size
        return no(rule, state.seat, what)
    fresh = seeing.fresh_cards(state)
    lies = len(fresh) == size and card.value_of(fresh) == value
    doubts, then, left = seeing.known_after(state, fresh if lies else (card.said(value),) * size, insist=True)
    if left is None:
        return doubts
    return (*doubts, *turns.played(then, fresh if lies else (card.said(value),) * size, left))


def sized(state: DnupState, action: Action, at: Micros) -> Events:
    """This many cards are played."""
    size = _number(action.value)
    if size not in laws.sizes(state):
        return no("turn.not_now", action.seat)
    return (ev.SizeSaid(size),)


def valued(state: DnupState, action: Action, at: Micros) -> Events:
    """Of this value."""
    return _said(state, state.size, _number(action.value))


def add(state: DnupState, action: Action, at: Micros) -> Events:
    """One card goes onto a set; without a value the set is asked for."""
    if action.value is None:
        if state.phase is not Phase.ACTING or not laws.addable(state):
            return no("turn.not_now", action.seat)
        return (ev.VerbChosen("add"),)
    area = _number(action.value) - 1
    if rule := laws.add_rule(state, area):
        return no(rule, action.seat)
    lying = state.areas[area].seen
    more = card.without(lying or (), state.areas[area].cards)
    one = (
        more[0] if len(more) == 1 and card.up(more[0]) == state.value(area) else card.said(state.value(area))
    )
    doubts, then, left = seeing.known_after(state, (one,), insist=True)
    return doubts if left is None else (*doubts, *turns.added(then, area, one, left))


def take(state: DnupState, action: Action, at: Micros) -> Events:
    """A set is taken; without a value it is asked which."""
    if action.value is None:
        if state.phase is not Phase.ACTING or not laws.takable(state):
            return no("turn.not_now", action.seat)
        return (ev.VerbChosen("take"),)
    area = _number(action.value) - 1
    if rule := laws.target_rule(state, area):
        return no(rule, action.seat)
    return turns.taken(state, area)


def rotate(state: DnupState, action: Action, at: Micros) -> Events:
    """All cards of the hand are rotated."""
    return turns.rotated(state)


def done(state: DnupState, action: Action, at: Micros) -> Events:
    """What is there is what was meant."""
    if not can_be_done(state):
        return no("turn.not_now", action.seat)
    return seeing.settled(state, at, insist=state.doubt)


def can_be_done(state: DnupState) -> bool:
    """Whether the player in turn may say that it lies."""
    return state.due is not None or state.doubt


def redeal(state: DnupState, action: Action, at: Micros) -> Events:
    """Nobody gets on, and everybody agrees."""
    if not state.stalled:
        return no("turn.not_now", action.seat)
    return (ev.Redealt(),)


def _size_and_value(value: str | int) -> tuple[int, int] | None:
    """ "2x8" → (2, 8): how many, of which value."""
    size, _, rest = str(value).partition("x")
    if not (size.isdecimal() and rest.isdecimal() and len(size + rest) < 5):
        return None
    return int(size), int(rest)


def _number(value: str | int | None) -> int:
    """The number that was said; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _in_turn(state: DnupState) -> Seat:
    return state.seat if state.turn_phase else 0


VERBS: Mapping[str, Verb[DnupState]] = {
    "card": verb(card_shown, Phase.SCANNING, who=_in_turn),
    "scanned": verb(scanned, Phase.SCANNING, who=_in_turn),
    "again": verb(again, Phase.SCANNING, *(SAYING - {Phase.ACTING}), who=_in_turn),
    "listed": verb(listed, Phase.SCANNING, who=_in_turn),
    "prepared": verb(prepared, Phase.SORTING, who=_in_turn),
    "star": verb(star, Phase.DEALING),
    "play": verb(play, *SAYING, who=_in_turn),
    "size": verb(sized, Phase.SIZING, who=_in_turn),
    "value": verb(valued, Phase.VALUING, who=_in_turn),
    "add": verb(add, *SAYING, who=_in_turn),
    "take": verb(take, *SAYING, who=_in_turn),
    "rotate": verb(rotate, *SAYING, who=_in_turn),
    "done": verb(done, *SAYING, who=_in_turn),
    "redeal": verb(redeal, *SAYING, who=_in_turn),
}


def judge(state: DnupState, action: Action, at: Micros) -> Events:
    """The ruling on any action of any seat."""
    ruled = judged(VERBS, state, action, at)
    unseen = all(area.seen is None for area in state.areas)
    if unseen or any(isinstance(event, ev.QuietAwaited | shared.Infraction) for event in ruled):
        return ruled
    then = folded(state, ruled)
    if then.turn_phase and then.turns > state.turns and seeing.differing(then):
        return (*ruled, ev.QuietAwaited(at + state.options.settle_s * SECOND))  # the next player was quick
    return ruled
