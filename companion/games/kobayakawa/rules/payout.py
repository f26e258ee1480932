"""End of Kobayakawa's betting: showdown, payout and the end of the game."""

from collections.abc import Iterable
from functools import reduce

from companion.core.actions import Seat, seats_clockwise
from companion.core.events import Event, Events
from companion.games.kobayakawa.rules import events as ev
from companion.games.kobayakawa.rules import number_checks, showdown
from companion.games.kobayakawa.rules.evolve import evolve
from companion.games.kobayakawa.rules.state import UNREAD, KobayakawaState


def _apply_events(state: KobayakawaState, events: Iterable[Event]) -> KobayakawaState:
    return reduce(evolve, events, state)  # type: ignore[arg-type]  # only this game's events are made here


def ask_next_bet(state: KobayakawaState) -> Events:
    """The next player is asked; the last hears if all others passed. After the last bet the round ends."""
    if state.turn >= len(state.order):
        return _end_betting(state)
    seat, last = state.order[state.turn], state.turn == len(state.order) - 1
    if not last or state.fighters:
        return ()
    if state.options.nobody_fights == "last_player":
        return _win_round(state, seat, "last")
    return (ev.AllPassed(seat, state.turn),) if state.turn else ()


def _end_betting(state: KobayakawaState) -> Events:
    fighters = state.fighters
    if not fighters:
        return _settle_unfought_round(state)
    if len(fighters) == 1:
        return _win_round(state, fighters[0], "alone")
    return begin_showdown(state)


def begin_showdown(state: KobayakawaState) -> Events:
    """Several fight: they show their cards."""
    events: Events = (ev.ShowdownBegan(state.fighters),)
    for seat in state.fighters:  # a card that lies open already need not be shown again
        now = _apply_events(state, events)
        lying = now.last_seen_number(f"hand:{now.field_of_seat(seat)}")
        if lying > UNREAD and seat in now.unseen_fighters:
            events += show_card(now, seat, lying, by_hand=False)
    return events


def _settle_unfought_round(state: KobayakawaState) -> Events:
    """OA2, OA3: nobody fights."""
    how: ev.NoFightRule = "repeat"
    if state.options.nobody_fights == "box":
        how = "box"
    elif state.options.nobody_fights == "carried" and not state.last:
        how = "carried"
    count = 0 if how == "repeat" else showdown.centre_bonus(state.centre)
    again = state.order[0]
    if state.options.start_after_no_fight == "next":
        again = state.order[1 % len(state.order)]
    events: Events = (ev.NobodyFought(how, count, again),)
    return (*events, *_check_game_end(_apply_events(state, events), state, None))


def show_card(state: KobayakawaState, seat: Seat, number: int, *, by_hand: bool) -> Events:
    """A fighter's card is seen; the last one settles the round."""
    doubts, believed = number_checks.check_number(
        state, number_checks.hand_target(seat), number, seat=seat, by_hand=by_hand
    )
    if not believed:
        return doubts
    events: Events = (*doubts, ev.FighterCardShown(seat, number))
    return (*events, *settle_showdown(_apply_events(state, events)))


def settle_showdown(state: KobayakawaState) -> Events:
    """The showdown is ruled once every number is known."""
    if state.unseen_fighters or state.kobayakawa == UNREAD:
        return ()
    fighters = {seat: state.hands[seat].shown for seat in state.fighters}
    totals = showdown.fighter_totals(fighters, state.kobayakawa)
    winner = showdown.showdown_winner(fighters, state.kobayakawa, state.order)
    tied = list(totals.values()).count(totals[winner]) > 1
    return _win_round(state, winner, "tie" if tied else "showdown", totals)


def _win_round(
    state: KobayakawaState, seat: Seat, how: ev.RoundWinReason, totals: dict[Seat, int] | None = None
) -> Events:
    """The winner takes all stakes, the centre's part and what was carried over."""
    reached = totals or {}
    bonus = showdown.centre_bonus(state.centre)
    count = state.stakes + bonus + state.carried
    order = tuple((fighter, reached[fighter]) for fighter in state.order if fighter in reached)
    events: Events = (ev.RoundWon(seat, how, count, bonus, reached.get(seat, 0), order),)
    then = _apply_events(state, events)
    events += tuple(ev.PlayerOut(loser) for loser in state.order if not then.kamons[loser])
    return (*events, *_check_game_end(_apply_events(state, events), state, seat))


def _check_game_end(then: KobayakawaState, before: KobayakawaState, winner: Seat | None) -> Events:
    """The game ends with the last round or the one that decides it, or when one alone has kamons (OA5)."""
    if before.deciding and winner is not None:
        return (ev.KobayakawaGameWon((winner,), "deciding_round"),)
    if before.last and (winner is not None or then.centre == 0):
        seats = _richest_seats(then, before, winner)
        if len(seats) > 1 and then.options.final_tie == "deciding_round":
            order = tuple(seat for seat in seats_clockwise(then.starter, then.players) if seat in seats)
            return (ev.DecidingRoundDue(order),)
        return (ev.KobayakawaGameWon(seats, "last_round"),)
    if len(then.seats_with_kamons) == 1 and then.options.last_survivor_wins:
        return (ev.KobayakawaGameWon(then.seats_with_kamons, "last_survivor"),)
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
