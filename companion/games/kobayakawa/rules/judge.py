"""Rulings on Kobayakawa's verbs, one function each, with the table of who may use them when.

Verbs and values: `start`; `dealt`; `kobayakawa` 7; `draw`; `discard` 7; `done`; `replace`; `neither`;
`fight`; `pass`; `show` 7.

A number that two cards have was misread, or a card was swapped. Nobody is accused: the reading is doubted,
and what the table says of the same card once more counts, against what was known before (OI1).
"""

from collections.abc import Mapping

from companion.core.actions import Action, Micros, Seat, seats_clockwise
from companion.core.events import Event, Events, apply_events
from companion.core.verbs import VerbRule, define_verb, infraction_ruling, judge_verb
from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.model import KobayakawaPhase, KobayakawaState

# The deal ---------------------------------------------------------------------------------------------------


def judge_start(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The youngest player begins."""
    return (model.StarterChosen(action.seat),)


def judge_deal(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """Everybody has a card; the open one was seen meanwhile, or is asked for."""
    seen = state.last_seen_number(model.KOBAYAKAWA_REGION)
    if seen > model.UNREAD:
        return begin_round(state, seen, watched=True)
    return (model.KobayakawaAsked(action.seat),)


def begin_round(state: KobayakawaState, number: int, *, watched: bool) -> Events:
    """A round begins with this Kobayakawa."""
    order, deciding = state.dealt_in, bool(state.deciding)
    return (
        model.KobayakawaRoundBegan(
            order[0], state.round + 1, number, order, state.next_round_is_last, watched, deciding
        ),
    )


def judge_open_card(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The number of the Kobayakawa, said instead of read."""
    if not _is_card_number(state, action.value):
        return infraction_ruling("number.unknown", action.seat)
    number = int(action.value or 0)
    match state.phase:
        case KobayakawaPhase.DEALING | KobayakawaPhase.REVEALING:
            return begin_round(state, number, watched=False)
        case KobayakawaPhase.SHOWDOWN:
            return reread_kobayakawa(state, number, by_hand=True)
    return replace_kobayakawa(state, number, by_hand=True)


# Draw or replace --------------------------------------------------------------------------------------------


def judge_draw(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """A card is drawn; if the open one is there already, that is all."""
    seen = state.last_seen_number(f"discard:{state.field_of_seat(action.seat)}")
    events: Events = (model.KobayakawaCardDrawn(action.seat),)
    if seen <= model.UNREAD:
        return events
    return (*events, *discard_card(apply_events(state, events), seen, by_hand=False))


def judge_discard(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The number of an open card, said instead of read: the one just laid, or one that nobody could read."""
    if not _is_card_number(state, action.value):
        return infraction_ruling("number.unknown", action.seat)
    number = int(action.value or 0)
    if state.phase in model.DRAW_PHASES and action.seat == state.actor:
        return discard_card(state, number, by_hand=True)
    if not can_name_discard(state, action.seat):
        return infraction_ruling("turn.not_now", action.seat)
    return read_discard_late(state, action.seat, number, by_hand=True)


def can_name_discard(state: KobayakawaState, seat: Seat) -> bool:
    """Whether an open card of this player is there whose number nobody knows."""
    return state.phase in model.ROUND_PHASES and state.hands[seat].discard == model.UNREAD


def read_discard_late(state: KobayakawaState, seat: Seat, number: int, *, by_hand: bool) -> Events:
    """The number of an open card becomes known after its turn."""
    events, believed = _check_number(state, model.discard_target(seat), number, seat=seat, by_hand=by_hand)
    return (*events, model.DiscardRead(seat, number)) if believed else events


def discard_card(state: KobayakawaState, number: int, *, by_hand: bool) -> Events:
    """One of the two cards lies open; the camera's doubtful number is left unread.

    Whoever says a number that is doubted has drawn all the same (O-T40).
    """
    seat = state.actor
    assert seat is not None
    events: Events = () if state.phase is KobayakawaPhase.DISCARDING else (model.KobayakawaCardDrawn(seat),)
    doubts, believed = _check_number(state, model.discard_target(seat), number, seat=seat, by_hand=by_hand)
    events += doubts
    if not believed:
        if by_hand:
            return events
        number = model.UNREAD
    return (
        *events,
        *_end_draw_turn(apply_events(state, events), model.CardDiscarded(seat, number, state.turn + 1)),
    )


def judge_done(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """One of the two cards lies open, and nobody needs its number."""
    return _end_draw_turn(state, model.CardDiscarded(action.seat, model.UNREAD, state.turn + 1))


def judge_replace(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The deck's top card comes onto the Kobayakawa; if it is there already, that is all.

    Nobody looks at it before: with the drawn card in the hand it is too late.
    """
    if state.phase is KobayakawaPhase.DISCARDING:
        return infraction_ruling("draw.looked", action.seat)
    seen = state.last_seen_number(model.KOBAYAKAWA_REGION)
    events: Events = (model.ReplaceAnnounced(action.seat),)
    if seen <= model.UNREAD or seen in state.opened:
        return events
    return (*events, *replace_kobayakawa(apply_events(state, events), seen, by_hand=False))


def replace_kobayakawa(state: KobayakawaState, number: int, *, by_hand: bool) -> Events:
    """A new Kobayakawa; a doubtful one is asked for."""
    seat = state.actor
    assert seat is not None
    target = model.kobayakawa_target(len(state.opened))
    doubts, believed = _check_number(state, target, number, seat=seat, by_hand=by_hand)
    if not believed:
        asks = state.phase is not KobayakawaPhase.REPLACING
        return (*((model.ReplaceAnnounced(seat),) if asks else ()), *doubts)
    events = (*doubts, *resolve_misplacement(state, model.KOBAYAKAWA_REGION))
    return (
        *events,
        *_end_draw_turn(apply_events(state, events), model.KobayakawaReplaced(seat, number, state.turn + 1)),
    )


def resolve_misplacement(state: KobayakawaState, name: str) -> Events:
    """A place is as it should be again, if it was not."""
    return (model.KobayakawaMisplacementResolved(name),) if name in state.misplaced else ()


def reread_kobayakawa(state: KobayakawaState, number: int, *, by_hand: bool) -> Events:
    """The number of a Kobayakawa that had come into doubt."""
    target = model.kobayakawa_target(len(state.opened) - 1)
    doubts, believed = _check_number(state, target, number, seat=None, by_hand=by_hand)
    if not believed:
        return doubts
    events: Events = (*doubts, model.KobayakawaRead(number))
    return (*events, *_settle_showdown(apply_events(state, events)))


def judge_neither(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """OA1: the player in turn does neither."""
    if not state.options.draw_optional:
        return infraction_ruling("draw.must", action.seat)
    return _end_draw_turn(state, model.DrawSkipped(action.seat, state.turn + 1))


def _end_draw_turn(state: KobayakawaState, event: Event) -> Events:
    """A turn of drawing is over; after the last the bets begin, or all show where nothing is staked."""
    events: Events = (event,)
    then = apply_events(state, events)
    if then.turn < len(then.order):
        return events
    if then.watched and not then.desk.blind:
        events += tuple(
            model.DiscardMissing(seat) for seat in then.order if then.hands[seat].discard == model.UNREAD
        )
    if then.deciding:
        return (*events, *_begin_showdown(then))
    events += (model.BettingBegan(then.order[0]),)
    return (*events, *_ask_next_bet(apply_events(state, events)))


# Bets and showdown ------------------------------------------------------------------------------------------


def judge_fight(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """Fight: the stake is paid."""
    paid = model.fight_cost(state.kamons[action.seat], state.centre)
    events: Events = (model.PlayerFought(action.seat, paid, state.turn + 1),)
    return (*events, *_ask_next_bet(apply_events(state, events)))


def judge_pass(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """Pass: nothing is paid, nothing is shown."""
    events: Events = (model.PlayerPassed(action.seat, state.turn + 1),)
    return (*events, *_ask_next_bet(apply_events(state, events)))


def judge_show(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """A fighter's number, said instead of read."""
    if not _is_card_number(state, action.value):
        return infraction_ruling("number.unknown", action.seat)
    if action.seat not in state.unseen_fighters:
        return infraction_ruling("turn.not_now", action.seat)
    return show_card(state, action.seat, int(action.value or 0), by_hand=True)


# The end of a round -----------------------------------------------------------------------------------------


def _ask_next_bet(state: KobayakawaState) -> Events:
    """The next player is asked; the last hears if all others passed. After the last bet the round ends."""
    if state.turn >= len(state.order):
        return _end_betting(state)
    seat, last = state.order[state.turn], state.turn == len(state.order) - 1
    if not last or state.fighters:
        return ()
    if state.options.nobody_fights == "last_player":
        return _win_round(state, seat, "last")
    return (model.AllPassed(seat, state.turn),) if state.turn else ()


def _end_betting(state: KobayakawaState) -> Events:
    fighters = state.fighters
    if not fighters:
        return _settle_unfought_round(state)
    if len(fighters) == 1:
        return _win_round(state, fighters[0], "alone")
    return _begin_showdown(state)


def _begin_showdown(state: KobayakawaState) -> Events:
    """Several fight: they show their cards."""
    events: Events = (model.ShowdownBegan(state.fighters),)
    for seat in state.fighters:  # a card that lies open already need not be shown again
        now = apply_events(state, events)
        lying = now.last_seen_number(f"hand:{now.field_of_seat(seat)}")
        if lying > model.UNREAD and seat in now.unseen_fighters:
            events += show_card(now, seat, lying, by_hand=False)
    return events


def _settle_unfought_round(state: KobayakawaState) -> Events:
    """OA2, OA3: nobody fights."""
    how: model.NoFightRule = "repeat"
    if state.options.nobody_fights == "box":
        how = "box"
    elif state.options.nobody_fights == "carried" and not state.last:
        how = "carried"
    count = 0 if how == "repeat" else model.centre_bonus(state.centre)
    again = state.order[0]
    if state.options.start_after_no_fight == "next":
        again = state.order[1 % len(state.order)]
    events: Events = (model.NobodyFought(how, count, again),)
    return (*events, *_check_game_end(apply_events(state, events), state, None))


def show_card(state: KobayakawaState, seat: Seat, number: int, *, by_hand: bool) -> Events:
    """A fighter's card is seen; the last one settles the round."""
    doubts, believed = _check_number(state, model.hand_target(seat), number, seat=seat, by_hand=by_hand)
    if not believed:
        return doubts
    events: Events = (*doubts, model.FighterCardShown(seat, number))
    return (*events, *_settle_showdown(apply_events(state, events)))


def _settle_showdown(state: KobayakawaState) -> Events:
    """The showdown is ruled once every number is known."""
    if state.unseen_fighters or state.kobayakawa == model.UNREAD:
        return ()
    fighters = {seat: state.hands[seat].shown for seat in state.fighters}
    totals = model.fighter_totals(fighters, state.kobayakawa)
    winner = model.showdown_winner(fighters, state.kobayakawa, state.order)
    tied = list(totals.values()).count(totals[winner]) > 1
    return _win_round(state, winner, "tie" if tied else "showdown", totals)


def _win_round(
    state: KobayakawaState, seat: Seat, how: model.RoundWinReason, totals: dict[Seat, int] | None = None
) -> Events:
    """The winner takes all stakes, the centre's part and what was carried over."""
    reached = totals or {}
    bonus = model.centre_bonus(state.centre)
    count = state.stakes + bonus + state.carried
    order = tuple((fighter, reached[fighter]) for fighter in state.order if fighter in reached)
    events: Events = (model.RoundWon(seat, how, count, bonus, reached.get(seat, 0), order),)
    then = apply_events(state, events)
    events += tuple(model.PlayerOut(loser) for loser in state.order if not then.kamons[loser])
    return (*events, *_check_game_end(apply_events(state, events), state, seat))


def _check_game_end(then: KobayakawaState, before: KobayakawaState, winner: Seat | None) -> Events:
    """The game ends with the last round or the one that decides it, or when one alone has kamons (OA5)."""
    if before.deciding and winner is not None:
        return (model.KobayakawaGameWon((winner,), "deciding_round"),)
    if before.last and (winner is not None or then.centre == 0):
        seats = _richest_seats(then, before, winner)
        if len(seats) > 1 and then.options.final_tie == "deciding_round":
            order = tuple(seat for seat in seats_clockwise(then.starter, then.players) if seat in seats)
            return (model.DecidingRoundDue(order),)
        return (model.KobayakawaGameWon(seats, "last_round"),)
    if len(then.seats_with_kamons) == 1 and then.options.last_survivor_wins:
        return (model.KobayakawaGameWon(then.seats_with_kamons, "last_survivor"),)
    return ()


def _richest_seats(then: KobayakawaState, before: KobayakawaState, winner: Seat | None) -> tuple[Seat, ...]:
    """Who has most kamons, and OA6 where several have."""
    most = max(then.kamons)
    seats = tuple(seat for seat in range(then.players) if then.kamons[seat] == most)
    match then.options.final_tie:
        case "last_round" if winner in seats and winner is not None:
            return (winner,)
        case "turn_order":
            return (next(seat for seat in before.order if seat in seats),)
    return seats


# No number for two cards (OI1) ------------------------------------------------------------------------------


def targets_with_number(state: KobayakawaState, number: int) -> tuple[str, ...]:
    """The cards of this round that are known to have a number: never more than one."""
    return (
        *(model.kobayakawa_target(index) for index, old in enumerate(state.opened) if old == number),
        *(model.discard_target(seat) for seat, one in enumerate(state.hands) if one.discard == number),
        *(model.hand_target(seat) for seat, one in enumerate(state.hands) if one.shown == number),
    )


def _check_number(
    state: KobayakawaState, target: str, number: int, *, seat: Seat | None, by_hand: bool
) -> tuple[Events, bool]:
    """What follows when a card is said to have a number, and whether it is believed."""
    others = [name for name in targets_with_number(state, number) if name != target]
    if not others:
        return (), True
    if (target, number) not in state.doubted:
        return (model.NumberDoubted(number, target, seat),), False
    if not by_hand:
        return (), False
    return tuple(model.NumberForgotten(name, number) for name in others), True


def _is_card_number(state: KobayakawaState, value: object) -> bool:
    """Whether a value is the number of a card."""
    return isinstance(value, int) and not isinstance(value, bool) and model.UNREAD < value <= state.cards


# Who may do what, and when ----------------------------------------------------------------------------------


def _actor(state: KobayakawaState) -> Seat | None:
    return state.actor


def number_speaker(state: KobayakawaState) -> Seat | None:
    """Who says the number of the Kobayakawa."""
    return state.actor if state.phase in model.DRAW_PHASES else state.starter


VERBS: Mapping[str, VerbRule[KobayakawaState]] = {
    "start": define_verb(judge_start, KobayakawaPhase.STARTING),
    "dealt": define_verb(judge_deal, KobayakawaPhase.DEALING, who=lambda state: state.starter),
    "kobayakawa": define_verb(
        judge_open_card,
        KobayakawaPhase.DEALING,
        KobayakawaPhase.REVEALING,
        KobayakawaPhase.DRAWING,
        KobayakawaPhase.REPLACING,
        KobayakawaPhase.SHOWDOWN,
        who=number_speaker,
    ),
    "draw": define_verb(judge_draw, KobayakawaPhase.DRAWING, KobayakawaPhase.REPLACING, who=_actor),
    "discard": define_verb(judge_discard, *sorted(model.ROUND_PHASES)),
    "done": define_verb(judge_done, KobayakawaPhase.DISCARDING, who=_actor),
    "replace": define_verb(judge_replace, KobayakawaPhase.DRAWING, KobayakawaPhase.DISCARDING, who=_actor),
    "neither": define_verb(judge_neither, KobayakawaPhase.DRAWING, who=_actor),
    "fight": define_verb(judge_fight, KobayakawaPhase.BETTING, who=_actor),
    "pass": define_verb(judge_pass, KobayakawaPhase.BETTING, who=_actor),
    "show": define_verb(judge_show, KobayakawaPhase.SHOWDOWN),
}


def judge(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The ruling on an action, whether it is legal or not."""
    known = state.phase is KobayakawaPhase.SHOWDOWN and state.kobayakawa != model.UNREAD
    if known and action.verb == "kobayakawa" and action.seat in range(state.players):
        return infraction_ruling("turn.not_now", action.seat)
    return judge_verb(VERBS, state, action, at)
