"""What a card that the camera read means in a game of tricks: whose turn it was is known.

Each player has a place for a card before them, `seat_card:SEAT`. A card that lies there and was not told in
this deal is played when its player's turn comes, be it read before or after the others of its trick. What was
told stays until it is swept away: the next lead may come before.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec.structs import replace

from companion.core.actions import Action, Seat
from companion.core.events import Events, Infraction, SeatEvent, SilentEvent, apply_events, events_of
from companion.core.observations import RegionReading, SeenCard
from companion.games.kit.cards import CARDS, FACES, VALUES
from companion.games.kit.trick_table import TrickState
from companion.games.kit.tricks import Play

REGION = "seat_card:"
"""Before the number of a seat: the place where it lays its cards."""
UNREAD = "?"
"""A card that could not be read, or two at once."""
T = TypeVar("T", bound=TrickState)


class PlaceSeen(SilentEvent, frozen=True):
    """What lies before a seat now: a card, none (empty), or one that nobody could read (`?`)."""

    seat: Seat
    card: str

    def apply(self, state: T) -> T:
        lying = (*state.lying[: self.seat], self.card, *state.lying[self.seat + 1 :])
        return replace(state, lying=lying)


class CardUnread(SeatEvent, frozen=True):
    """The one in turn has laid a card that the camera could not read."""


class TrickSwept(SeatEvent, frozen=True):
    """The cards of a trick were taken away before everybody's was read: this one's is missing."""


TrickCameraEvent = events_of(__name__)


def judge_places(state: T, regions: tuple[RegionReading, ...], play: Callable[[T, Action], Events]) -> Events:
    """The ruling on what lies before the players; `play` rules on a card as if its player had told it."""
    ruled: Events = ()
    after = state
    for region in regions:
        number = region.name.removeprefix(REGION)
        if region.name.startswith(REGION) and number.isdecimal() and int(number) < state.players:
            seen = _look_at(after, int(number), region.faces)
            ruled, after = ruled + seen, apply_events(after, seen)
    ruled += play_on(after, play)
    is_missing = len(after.plays) % state.rules.trick_size and not any(after.lying) and any(state.lying)
    return (*ruled, TrickSwept(after.seat)) if is_missing and not after.checks else ruled


def seen_places(state: TrickState, now: TrickState) -> Iterable[PlaceSeen]:
    """Taking rulings back moves no card: each place is as the camera saw it last. A card whose play is taken
    back goes into the hand, so its place is read again, also where it lay before its turn. So is that of one
    that was turned up. Where a correction ends the deal, what lies there is of the one before.
    """
    for seat, (before, card) in enumerate(zip(state.lying, now.lying, strict=True)):
        here = _lies_now(state, now, seat, card)
        if here != before:
            yield PlaceSeen(seat, here)


def _lies_now(state: TrickState, now: TrickState, seat: Seat, card: str) -> str:
    """What a place is to `state` that is `card` to `now`."""
    before, name = state.lying[seat], card.lstrip(UNREAD)
    if state.deal > now.deal:
        return before if before[1:] in CARDS and card in {"", UNREAD, before} else card and UNREAD * 2
    if name not in CARDS or card == before == UNREAD + name:
        return card
    if card == name or _is_told(now, name):
        is_taken_back = _counts(now, seat, name) and not _counts(state, seat, name)
        return before and UNREAD if is_taken_back else card
    if state.deal == now.deal and (state.upcard or name != now.upcard):
        return UNREAD * 2
    return card if _is_told(state, name) else UNREAD


def _counts(state: TrickState, seat: Seat, card: str) -> bool:
    """Whether a seat has played a card, or has told it although another play had."""
    return _has_played(state, seat, card) or (card in state.twice and seat == state.seat)


def unread_places(state: TrickState, now: TrickState | None = None) -> Iterable[PlaceSeen]:
    """What was laid early may have been taken up again, or was by `now`; once a deal is over all was told."""
    if now is not None and now.deal != state.deal:
        return
    kept = () if now is None or now.desk.paused else now.lying  # in a pause nobody looks
    for seat, card in enumerate(state.lying):
        if card in CARDS and card not in kept and not _has_played(now or state, seat, card):
            yield PlaceSeen(seat, UNREAD)


def pictured_cards(state: TrickState) -> Iterable[tuple[str, str]]:
    """Each card of this deal where it was laid: it may have to be checked."""
    return ((f"{REGION}{seat}", FACES[card]) for seat, card in state.plays)


def play_on(state: T, play: Callable[[T, Action], Events]) -> Events:
    """Whoever is in turn and whose card lies there already has played it; then the next one.

    A card that somebody else has told is told, too, once: one of the two is another card.
    """
    ruled: Events = ()
    while state.is_playing and (card := state.lying[seat := state.seat]) in CARDS:
        if card in state.twice or _has_played(state, seat, card):
            break
        more = play(state, Action(seat, "play", card))
        ruled, state = (*ruled, *more), apply_events(state, more)
    return ruled


def _look_at(state: TrickState, seat: Seat, faces: tuple[SeenCard, ...]) -> Events:
    """What is new at a place, and what is said of it."""
    known = state.rules.may_tell(seat)
    read = [FACES.index(face.card) if face.card in FACES else None for face in faces]
    named = [VALUES[card] if card is not None and known >> card & 1 else UNREAD for card in read]
    fresh = [card for card in named if card != UNREAD and not _is_told(state, card)]
    top = named[-1] if named else ""
    if len(fresh) > 1:
        top = UNREAD
    if top == state.lying[seat] or (top and state.lying[seat] == UNREAD + top):
        return ()
    if top and state.lying[seat] == UNREAD * 2 and not _is_told(state, top):
        return (PlaceSeen(seat, UNREAD + top),)
    seen: Events = (PlaceSeen(seat, top),)
    if len(fresh) > 1:
        return (*seen, Infraction("card.two", seat))
    if top == UNREAD:
        is_asked = state.is_playing and seat == state.seat
        return (*seen, CardUnread(seat)) if is_asked else seen
    return (*seen, Infraction("card.changed", seat)) if _is_changed(state, seat, top) else seen


def _is_changed(state: TrickState, seat: Seat, card: str) -> bool:
    """Whether a seat has another card there than the one it has played to the trick that is not whole yet."""
    size = state.rules.trick_size
    trick = state.plays[len(state.plays) - len(state.plays) % size :]
    return bool(card) and not _is_told(state, card) and any(play.seat == seat for play in trick)


def _has_played(state: TrickState, seat: Seat, card: str) -> bool:
    return Play(seat, CARDS[card]) in state.plays


def _is_told(state: TrickState, card: str) -> bool:
    """Whether a card was told in this deal."""
    return any(_has_played(state, seat, card) for seat in range(state.players))
