"""Kobayakawa's bets coming to an end: who is asked next, the showdown, the payout, the end of the game."""

from collections.abc import Iterable
from functools import reduce

from companion.core.actions import Seat
from companion.core.events import Event, Events
from companion.core.seats import clockwise
from companion.games.kobayakawa.rules import events as ev
from companion.games.kobayakawa.rules import numbers, showdown
from companion.games.kobayakawa.rules.evolve import evolve
from companion.games.kobayakawa.rules.state import UNREAD, KobayakawaState


def _folded(state: KobayakawaState, events: Iterable[Event]) -> KobayakawaState:
    return reduce(evolve, events, state)  # type: ignore[arg-type]  # only this game's events are made here


def next_bet(state: KobayakawaState) -> Events:
    """The next player is asked; the last hears if all others passed. After the last bet the round ends."""
    if state.turn >= len(state.order):
        return _bets_over(state)
    seat, last = state.order[state.turn], state.turn == len(state.order) - 1
    if not last or state.fighters:
        return ()
    if state.options.nobody_fights == "last_player":
        return _won(state, seat, "last")
    return (ev.AllPassed(seat, state.turn),) if state.turn else ()


def _bets_over(state: KobayakawaState) -> Events:
    fighters = state.fighters
    if not fighters:
        return _unfought(state)
    if len(fighters) == 1:
        return _won(state, fighters[0], "alone")
    return shown_down(state)


def shown_down(state: KobayakawaState) -> Events:
    """Several fight: they show their cards."""
    events: Events = (ev.ShowdownBegan(state.fighters),)
    for seat in state.fighters:  # a card that lies open already need not be shown again
        now = _folded(state, events)
        lying = now.lies(f"hand:{now.zone(seat)}")
        if lying > UNREAD and seat in now.unseen:
            events += showed(now, seat, lying, by_hand=False)
    return events


def _unfought(state: KobayakawaState) -> Events:
    """OA2, OA3: nobody fights."""
    how: ev.Unfought = "repeat"
    if state.options.nobody_fights == "box":
        how = "box"
    elif state.options.nobody_fights == "carried" and not state.last:
        how = "carried"
    count = 0 if how == "repeat" else showdown.bonus(state.centre)
    again = state.order[0]
    if state.options.start_after_no_fight == "next":
        again = state.order[1 % len(state.order)]
    events: Events = (ev.NobodyFought(how, count, again),)
    return (*events, *_game_over(_folded(state, events), state, None))


def showed(state: KobayakawaState, seat: Seat, number: int, *, by_hand: bool) -> Events:
    """A fighter's card is seen; the last one settles the round."""
    doubts, believed = numbers.claimed(state, numbers.hand(seat), number, seat=seat, by_hand=by_hand)
    if not believed:
        return doubts
    events: Events = (*doubts, ev.CardShown(seat, number))
    return (*events, *settled(_folded(state, events)))


def settled(state: KobayakawaState) -> Events:
    """The showdown is ruled once every number is known."""
    if state.unseen or state.kobayakawa == UNREAD:
        return ()
    fighters = {seat: state.hands[seat].shown for seat in state.fighters}
    totals = showdown.totals(fighters, state.kobayakawa)
    winner = showdown.winner(fighters, state.kobayakawa, state.order)
    tied = list(totals.values()).count(totals[winner]) > 1
    return _won(state, winner, "tie" if tied else "showdown", totals)


def _won(state: KobayakawaState, seat: Seat, how: ev.How, totals: dict[Seat, int] | None = None) -> Events:
    """The winner takes all stakes, the centre's part and what was carried over."""
    reached = totals or {}
    bonus = showdown.bonus(state.centre)
    count = state.stakes + bonus + state.carried
    order = tuple((fighter, reached[fighter]) for fighter in state.order if fighter in reached)
    events: Events = (ev.RoundWon(seat, how, count, bonus, reached.get(seat, 0), order),)
    then = _folded(state, events)
    events += tuple(ev.PlayerOut(loser) for loser in state.order if not then.kamons[loser])
    return (*events, *_game_over(_folded(state, events), state, seat))


def _game_over(then: KobayakawaState, before: KobayakawaState, winner: Seat | None) -> Events:
    """The game ends with the last round or the one that decides it, or when one alone has kamons (OA5)."""
    if before.deciding and winner is not None:
        return (ev.GameWon((winner,), "deciding_round"),)
    if before.last and (winner is not None or then.centre == 0):
        seats = _richest(then, before, winner)
        if len(seats) > 1 and then.options.final_tie == "deciding_round":
            order = tuple(seat for seat in clockwise(then.starter, then.players) if seat in seats)
            return (ev.DecidingRoundDue(order),)
        return (ev.GameWon(seats, "last_round"),)
    if len(then.alive) == 1 and then.options.last_survivor_wins:
        return (ev.GameWon(then.alive, "last_survivor"),)
    return ()


def _richest(then: KobayakawaState, before: KobayakawaState, winner: Seat | None) -> tuple[Seat, ...]:
    """Who has most kamons, and OA6 where several have."""
    most = max(then.kamons)
    seats = tuple(seat for seat in range(then.players) if then.kamons[seat] == most)
    match then.options.final_tie:
        case "last_round" if winner in seats and winner is not None:
            return (winner,)
        case "turn_order":
            return (next(seat for seat in before.order if seat in seats),)
    return seats
