"""What each verb of Liar's Dice rules, and what follows once all dice are counted."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from companion.core.actions import Action
from companion.core.events import Events, apply_events
from companion.core.verbs import infraction_ruling
from companion.games.liars_dice.rules import model
from companion.games.liars_dice.rules.model import LiarsDicePhase, LiarsDiceState


def _bid(_: LiarsDiceState, said: Action) -> Events:
    return (model.BidMade(said.seat, *map(int, said.parts)),)


def _tell(state: LiarsDiceState, said: Action) -> Events:
    told = (model.DiceTold(said.seat, int(said.value or 0)),)
    after = apply_events(state, told)
    return told if after.waiting else (*told, *judge_bid(after))


VERBS: Mapping[str, Callable[[LiarsDiceState, Action], Events]] = MappingProxyType(
    {
        "begin": lambda _, said: (model.BiddingBegan(said.seat),),
        "bid": _bid,
        "doubt": lambda _, said: (model.BidDoubted(said.seat),),
        "exact": lambda _, said: (model.ExactlyCalled(said.seat),),
        "tell": _tell,
    }
)
"""What is lawful rules this."""


def judge_bid(state: LiarsDiceState) -> Events:
    """All have told: who was wrong, who begins, and who is out or has won."""
    assert state.bid is not None
    found, options = sum(state.told[seat] for seat in state.holders), state.options
    wanted, caller, bidder = state.bid[0], state.seat, state.bidder
    if state.calls_exactly:
        how, who, right = ("exact", caller, caller) if found == wanted else ("not_exact", caller, bidder)
    else:
        how, who, right = ("stands", caller, bidder) if found >= wanted else ("too_high", bidder, caller)
    dice = min(options.dice, state.dice[who] + 1) if how == "exact" else state.dice[who] - 1
    starts = right if options.starter == "winner" else who
    if starts == who and not dice:
        starts = model.next_holder(state, who)
    plain = options.plain_round and how != "exact" and dice == 1
    ruled: Events = (model.BidJudged(who, found, how, dice, starts, plain),)  # type: ignore[arg-type]
    if not dice:
        ruled += (model.DiceGone(who),)
    left = apply_events(state, ruled).holders
    return (*ruled, model.LiarsDiceWon(left[0])) if len(left) == 1 else ruled


def refuse(state: LiarsDiceState, said: Action) -> Events:
    """What cannot be said: not a word of this game, a bid too low, by another, or not now."""
    if said.verb not in VERBS or not 0 <= said.seat < state.players:
        return infraction_ruling("turn.unknown")
    if state.phase is not LiarsDicePhase.BID or said.verb in {"begin", "tell"}:
        return infraction_ruling("turn.not_now", said.seat)
    if said.seat != state.seat:
        return infraction_ruling("turn.not_yours", said.seat)
    return infraction_ruling("bid.higher" if said.verb == "bid" else "turn.not_now", said.seat)
