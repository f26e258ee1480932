"""What each verb of Roses and Thorns rules, what the camera's readings mean, and how a round ends."""

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Literal

from companion.core.actions import Action, Micros, Seat, nearest_seat
from companion.core.events import Events, apply_events
from companion.core.observations import UNKNOWN, RegionReading
from companion.core.verbs import VerbRule, announce, define_verb, infraction_ruling
from companion.games.roses.rules import model
from companion.games.roses.rules.model import RosesPhase, RosesState


def _raise(state: RosesState, said: Action, _: Micros) -> Events:
    """Where only one number is left it is bid at once."""
    only = state.bid + 1 == sum(state.laid)
    return (model.NumberBid(said.seat, state.bid + 1),) if only else (model.BidBegun(said.seat),)


def _bid(_: RosesState, said: Action, at: Micros) -> Events:
    return (model.NumberBid(said.seat, int(said.value or 0)),)


def _turn(_: RosesState, said: Action, at: Micros) -> Events:
    return (model.BedNamed(int(said.value or 0)),)


def _show(state: RosesState, said: Action, _: Micros) -> Events:
    place = str(said.parts[0]) if said.has_two_steps else ""
    owner = state.owner_of(place) if place else state.named
    assert owner is not None
    return turn_card(state, owner, str(said.parts[-1]), place)


_in_turn = attrgetter("seat")
VERBS: Mapping[str, VerbRule[RosesState]] = {
    "begin": define_verb(announce(model.StarterNamed), RosesPhase.START),
    "lay": define_verb(announce(model.CardLaid), RosesPhase.LAY),
    "add": define_verb(announce(model.CardLaid), RosesPhase.BID, who=_in_turn),
    "raise": define_verb(_raise, RosesPhase.BID, who=_in_turn),
    "pass": define_verb(announce(model.BidPassed), RosesPhase.BID, who=_in_turn),
    "bid": define_verb(_bid, RosesPhase.NUMBER, who=_in_turn, barred="bid.higher"),
    "turn": define_verb(_turn, RosesPhase.TURN, who=_in_turn),
    "show": define_verb(_show, RosesPhase.TURN, who=_in_turn),
}


def judge_regions(state: RosesState, regions: tuple[RegionReading, ...], at: Micros) -> Events:
    """Every place that was read, one after the other."""
    events: Events = ()
    for region in regions:
        events += _judge_place(apply_events(state, events), region)
    return events


def _judge_place(state: RosesState, region: RegionReading) -> Events:
    face = region.faces[-1].card.removeprefix("flower:") if region.faces else ""
    owner, place = state.owner_of(region.name), region.name
    if place in state.stale:
        return () if face in {*model.FACES, UNKNOWN} else (model.PlaceCleared(place),)
    if state.phase is not RosesPhase.TURN or owner is None or face not in model.FACES:
        return ()
    return turn_card(state, owner, face, place)


def seen_places(state: RosesState, now: RosesState) -> Iterator[model.PlaceCleared | model.PlaceKnown]:
    """What the camera saw of a place stays so where rulings are taken back: that no card is left there, or
    that a rose lies there which is still open. In another round the table is laid back and read.
    """
    if state.round != now.round:
        return
    known = {*now.stale, *(card.place for card in now.opened)}
    yield from (model.PlaceCleared(place) for place in state.stale if place not in known)
    for before, card in zip(state.opened, now.opened, strict=False):
        if card.place and before == model.OpenCard(card.owner, "rose"):
            yield model.PlaceKnown(card.owner, card.place)


def turn_card(state: RosesState, owner: Seat, face: str, place: str) -> Events:
    """A card of this bed is open, in this place if somebody knows where."""
    if place and any(card.place == place for card in state.opened):
        return ()
    if place and face == "rose" and model.OpenCard(owner, face) in state.opened:
        return (model.PlaceKnown(owner, place),)
    if not state.face_down(owner):
        return ()
    if owner not in state.turnable:
        return infraction_ruling("turn.own_first", state.bidder)
    turned = (model.CardTurned(owner, face, place),)
    return (*turned, *_end_round(apply_events(state, turned)))


def _end_round(state: RosesState) -> Events:
    """Who has won the round or lost a card, and whether that decides the game."""
    bidder, last, next_first = state.bidder, state.opened[-1], state.options.starter == "next"
    won = last.face == "rose"
    if won and state.left:
        return ()
    cards = state.cards[bidder] - (not won)
    among = [seat for seat in state.holders if cards or seat != bidder]
    begins = state.starter if next_first else bidder
    if next_first or begins not in among:
        begins = nearest_seat(begins, among, state.players)
    how: Literal["won", "own_thorn", "thorn"] = "own_thorn" if last.owner == bidder else "thorn"
    ruled: Events = (
        model.RoundEnded(bidder, "won" if won else how, state.chair_of(last.owner), begins),
        *(() if cards else (model.PlayerEliminated(bidder),)),
    )
    if won and state.points[bidder] + 1 == state.options.wins:
        return (*ruled, model.RosesWon(bidder, "points"))
    return (*ruled, model.RosesWon(among[0], "last")) if len(among) == 1 else ruled
