"""Who is asked what, phase by phase.

A choice is built once and then found again: the same few hundred are asked in every game.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache

from companion.core.actions import Action, Chair, Prompt, Seat
from companion.games.kinapa.rules import bots, judge
from companion.games.kinapa.rules.exchange import askable, lots, nameable
from companion.games.kinapa.rules.ring import placeable, turnable, uncertain, where_asked
from companion.games.kinapa.rules.state import KinapaState, Phase, after

Prompts = tuple[Prompt, ...]


def cat(state: KinapaState) -> Prompts:
    """Who holds cat 1? With a BOT anybody may say for the table that no hand does."""
    verbs = ("claim_cat", "nobody") if bots.nobody_offered(state) else ("claim_cat",)
    return tuple(_prompt(chair, seat, *verbs) for seat, chair in enumerate(state.setup.chairs))


def number(state: KinapaState) -> Prompts:
    """The Emperor announces one."""
    asked = _among(state, "announce", announceable(state))
    return _longer(asked, "tick_per_turn") if judge.tick_offered(state) else asked


def announceable(state: KinapaState) -> tuple[int, ...]:
    """The numbers that may be announced (KA4)."""
    return _alive(state.highest, frozenset() if state.options.allow_dead_number else state.dead)


@lru_cache(maxsize=1024)
def _alive(highest: int, dead: frozenset[int]) -> tuple[int, ...]:
    return tuple(number for number in range(1, highest + 1) if number not in dead)


def aid(state: KinapaState) -> Prompts:
    """The player who lays the next aid."""
    seat = bots.setter(state, state.turn.aids[0])
    return (_prompt(state.setup.chairs[seat], seat, "aid_up", "aid_down"),)


def hands(state: KinapaState) -> Prompts:
    """Everybody else may raise or lower a hand, unless a Fox is there or the button has to be held."""
    foxed = tuple([seat.foxes > 0 for seat in state.seats])
    held = state.options.hand == "hold"
    return _hands(state.setup.chairs, state.emperor, state.turn.raised, foxed, held)


@lru_cache(maxsize=4096)
def _hands(
    chairs: tuple[Chair, ...],
    emperor: Seat,
    up: tuple[Seat, ...],
    foxed: tuple[bool, ...],
    held: bool,  # noqa: FBT001 (a key of the cache)
) -> Prompts:
    return tuple(
        _prompt(chairs[seat], seat, "lower" if seat in up else "raise")
        for seat in after(emperor, len(chairs))
        if not foxed[seat] and not (held and seat in up)
    )


def counting(state: KinapaState) -> Prompts:
    """Hands; without a count the Emperor closes the window."""
    return hands(state) if state.options.count_seconds else (*hands(state), *_emperor(state, "close"))


def pair(state: KinapaState) -> Prompts:
    """Does the Emperor show the pair? One that lies (allow_dead_number) cannot be shown."""
    if state.turn.number in state.dead:
        return _emperor(state, "no_pair")
    return _emperor(state, "no_pair", "show_pair")


def partner(state: KinapaState) -> Prompts:
    """From whom the Emperor draws."""
    asked = _among(state, "draw_from", state.lowered)
    duty = state.options.draw_is_duty or state.turn.pair_shown
    return asked if duty else _longer(asked, "no_exchange")


def drawn(state: KinapaState) -> Prompts:
    """The Emperor drew a card, and says which one where the house allows it."""
    cards = nameable(state)
    return _among(state, "drawn", cards, first="drawn") if cards else _emperor(state, "drawn")


def answers(state: KinapaState) -> Prompts:
    """The player who owes an answer to the demand."""
    return tuple([_prompt(_answering(state, seat), seat, "has", "has_not") for seat in askable(state)])


def audited(state: KinapaState) -> Prompts:
    """Is the number in this hand?"""
    seat = state.turn.audit[0]
    return (_prompt(_answering(state, seat), seat, "not_found", "found"),)


def _answering(state: KinapaState, seat: Seat) -> Chair:
    """The chair of the player who answers for a deck."""
    return state.setup.chairs[bots.keeper(state, seat)]


def placing(state: KinapaState) -> Prompts:
    """Where the object lies, if nobody saw that; then what is done with it."""
    if where_asked(state):
        return _among(state, "lies_at", uncertain(state))
    return _among(state, "place", placeable(state), first="hide")


PROMPTS: Mapping[Phase, Callable[[KinapaState], Prompts]] = {
    Phase.STARTING: cat,
    Phase.ANNOUNCING: number,
    Phase.AIDING: aid,
    Phase.ANNOUNCED: hands,
    Phase.RECOUNTING: lambda state: _emperor(state, "recount"),
    Phase.COUNTING: counting,
    Phase.PAIRING: pair,
    Phase.CHOOSING: partner,
    Phase.DRAWING: lambda state: () if lots(state) else drawn(state),
    Phase.ASKING: answers,
    Phase.SEARCHING: answers,
    Phase.PICKING: lambda state: _among(state, "pick", state.turn.holders),
    Phase.HANDING: lambda state: _emperor(state, "receive", "refuse"),
    Phase.RETURNING: lambda state: _emperor(state, "return"),
    Phase.AUDITING: audited,
    Phase.TURNING: lambda state: _among(state, "turn", turnable(state)),
    Phase.PLACING: placing,
    Phase.SUCCEEDING: lambda state: _among(state, "crown", state.turn.candidates),
    Phase.SWITCHING: lambda state: _among(state, "switch", state.turn.candidates),
    Phase.OVER: lambda _: (),
}


def _emperor(state: KinapaState, *verbs: str) -> Prompts:
    """The Emperor is asked something that is said in a word."""
    return (_prompt(state.setup.chairs[state.emperor], state.emperor, *verbs),)


def _among(state: KinapaState, verb: str, values: tuple[str | int, ...], *, first: str = "") -> Prompts:
    """The Emperor chooses among values; `first` comes before them."""
    return (_choice(state.setup.chairs[state.emperor], state.emperor, verb, values, first),)


def _longer(asked: Prompts, verb: str) -> Prompts:
    """The same, and one more choice."""
    (prompt,) = asked
    return (Prompt(prompt.chair, (*prompt.actions, Action(prompt.actions[0].seat, verb))),)


@lru_cache(maxsize=1024)
def _prompt(chair: Chair, seat: Seat, *verbs: str) -> Prompt:
    return Prompt(chair, tuple([Action(seat, verb) for verb in verbs]))


@lru_cache(maxsize=4096)
def _choice(chair: Chair, seat: Seat, verb: str, values: tuple[str | int, ...], first: str) -> Prompt:
    before = (Action(seat, first),) if first else ()
    return Prompt(chair, (*before, *[Action(seat, verb, value) for value in values]))
