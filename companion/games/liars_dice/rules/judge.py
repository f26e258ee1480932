"""What each verb of Liar's Dice rules, and what follows once all dice are counted."""

from collections.abc import Mapping
from operator import attrgetter

from companion.core.actions import Action, Micros
from companion.core.events import Events, apply_events
from companion.core.verbs import VerbRule, announce, define_verb
from companion.games.liars_dice.rules import model
from companion.games.liars_dice.rules.model import LiarsDicePhase, LiarsDiceState


def _bid(_: LiarsDiceState, said: Action, at: Micros) -> Events:
    return (model.BidMade(said.seat, *map(int, said.parts)),)


def _tell(state: LiarsDiceState, said: Action, _: Micros) -> Events:
    told = (model.DiceTold(said.seat, int(said.value or 0)),)
    after = apply_events(state, told)
    return told if after.waiting else (*told, *judge_bid(after))


_in_turn = attrgetter("seat")
VERBS: Mapping[str, VerbRule[LiarsDiceState]] = {
    "begin": define_verb(announce(model.BiddingBegan), LiarsDicePhase.START),
    "bid": define_verb(_bid, LiarsDicePhase.BID, who=_in_turn, barred="bid.higher"),
    "doubt": define_verb(announce(model.BidDoubted), LiarsDicePhase.BID, who=_in_turn),
    "exact": define_verb(announce(model.ExactlyCalled), LiarsDicePhase.BID, who=_in_turn),
    "tell": define_verb(_tell, LiarsDicePhase.COUNT),
}


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
