"""What a lesson has people lay: as places, as pages of the screen, and as the camera sees it."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from companion.core import observations as ob
from companion.core.actions import Chair, Seat
from companion.core.view import VALUE_ONLY_PREFIX, Board, Sentence
from companion.referee.loop import RefereedGame
from companion.teach.lesson import resolve_seat

PlaceCards = Mapping[str, tuple[str, ...]]
"""Place → cards."""


def to_notation(region: ob.RegionReading, board: Board) -> tuple[str, ...]:
    """A reading in a lesson's notation, with `@180` for a card that is upside down."""
    turned = (
        face.card.partition(":")[0] in board.oriented_cards and 90 < face.turn % 360 < 270
        for face in region.faces
    )
    return tuple(
        f"{face.card}@180" if over else face.card for face, over in zip(region.faces, turned, strict=True)
    )


def cards_match(place: str, cards: Sequence[str], wanted: Sequence[str], board: Board) -> bool:
    """Whether the cards match: all of them where they are side by side, else the top one."""
    if place.partition(":")[0] in board.fully_tracked_places:
        return sorted(cards) == sorted(wanted)
    return tuple(cards[-1:]) == tuple(wanted[-1:])


def layout_by_region(layout: PlaceCards, pupil: Seat, players: int) -> dict[str, tuple[str, ...]]:
    """A lay-out by region, as the camera names them."""
    return {str(resolve_seat(where, pupil, players)): cards for where, cards in layout.items()}


def layout_rows(
    layout: PlaceCards, pupil: Seat, game: RefereedGame
) -> tuple[tuple[str, Chair | None, tuple[str, ...]], ...]:
    """A lay-out as shown: hands by chair, players' places by place and chair, all others by place."""
    state = game.referee.state
    players = game.referee.setup.players
    whose = {place.region: place for place in game.view.places}
    shown: list[tuple[str, Chair | None, tuple[str, ...]]] = []
    for where, cards in layout.items():
        seat = resolve_seat(where, pupil, players)
        place = whose.get(str(seat))
        if isinstance(seat, int) and seat < players:
            shown.append(("", state.chair_of(seat), cards))
        elif isinstance(seat, int):
            mine = state.chair_of(seat) if where.startswith("@") else None
            shown.append(("bot", mine, cards))
        elif place is not None and place.chair is not None:
            kind = place.region.partition(":")[0]
            shown.append((f"{kind}:{place.number}" if place.number else kind, place.chair, cards))
        else:
            shown.append((str(seat), None, cards))
    return tuple(shown)


LayoutRow = tuple[str, Chair | None, tuple[str, ...]]
"""One row of `Guidance.lay`: place, player or None, cards."""


def layout_pages(shown: Sequence[LayoutRow]) -> tuple[tuple[LayoutRow, ...], ...]:
    """What is laid out at once: a hand, a deck or a place; the cards of a ring together."""
    return tuple(
        tuple(page)
        for _, page in groupby(
            shown, lambda row: row[0].partition(":")[0] if len(row[2]) == 1 and row[1] is None else row
        )
    )


def laying_sentence(page: Sequence[LayoutRow], pupil: Chair) -> Sentence:
    """What to do with the cards of one page."""
    place, chair, cards = page[0]
    one = ".one" if len(cards) == 1 else ""
    whose = (("chair", pupil if chair is None else chair),)
    if len(page) > 1:
        return Sentence("lesson.lay.ring")
    if place == "bot":
        return Sentence("lesson.lay.bot" if chair is None else "lesson.lay.their_bot", whose)
    if place == "deck":
        return Sentence(f"lesson.lay.deck{one}")
    if place:
        return Sentence("lesson.lay.set", whose) if chair is not None else Sentence(f"lesson.lay.place{one}")
    return Sentence(f"lesson.lay.{'own' if chair == pupil else 'hand'}{one}", whose)


class LessonReadings:
    """The camera's readings during a lesson."""

    def __init__(self, game: RefereedGame) -> None:
        self._game = game
        self._newest: dict[str, ob.RegionReading] = {}
        self._unjudged: dict[str, ob.RegionReading] = {}

    def add_reading(self, seen: ob.TableSeen, *, judged: bool) -> None:
        """Take a reading; `judged`: it also went to the rules."""
        self._newest |= {region.name: region for region in seen.regions}
        if not judged:
            self._unjudged |= {region.name: region for region in seen.regions}

    def latest_regions(self) -> tuple[ob.RegionReading, ...]:
        """The last reading of every region."""
        return tuple(self._newest.values())

    def forget_unjudged(self) -> None:
        """Drop readings that were not judged, because the table is being put back."""
        self._unjudged.clear()

    def find_misplaced(self, layout: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], bool]:
        """The regions in which the camera sees other cards, and whether it has seen all of them right."""
        open_now = {
            place.region: (place.card, *place.on_top)
            for place in self._game.view.places
            if place.card and not place.card.startswith(VALUE_ONLY_PREFIX)
        }
        wanted, board = {**layout, **open_now}, self._game.referee.rules.board
        known = {
            name: to_notation(region, board)
            for name, region in self._newest.items()
            if name in wanted and not any(face.card.startswith("back:") for face in region.faces)
        }
        wrong = tuple(
            name for name, cards in known.items() if not cards_match(name, cards, wanted[name], board)
        )
        return wrong, bool(known) and not wrong

    def take_withheld(self) -> tuple[ob.RegionReading, ...]:
        """Readings that were withheld from the rules and are news to them; returned once."""
        regions, self._unjudged = tuple(self._unjudged.values()), {}
        board = self._game.referee.rules.board
        view = {place.region: (place.card, *place.on_top) for place in self._game.view.places}
        return tuple(
            region
            for region in regions
            if region.name not in view
            or not cards_match(region.name, to_notation(region, board), view[region.name], board)
        )
