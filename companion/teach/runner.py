"""Runs a lesson: shows instructions, waits for actions, judges answers.

A part says something, then waits for an action, asks a question, or continues at a press. Doing a part over
is an undo to where it began. Observations reach the rules only while an action is awaited.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import groupby
from operator import is_
from typing import Any

from msgspec import structs

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Chair, Micros, Seat
from companion.core.clock import earliest
from companion.core.switch import Edge
from companion.core.view import STEP_CHANGE_GRACE, VALUE_ONLY_PREFIX, Board, Guidance, Sentence
from companion.referee.loop import Announcement, RefereedGame
from companion.teach.lesson import Lesson, LessonPart, LessonStep, matches_pattern, resolve_seat
from companion.teach.notation import NotationLine, parse_line, play_in_past, to_observations


class ScriptedPlayers:
    """Simulated players in a lesson; each acts a moment after its next action has become legal."""

    def __init__(self, game: RefereedGame) -> None:
        self._game = game
        self._deeds: list[NotationLine] = []
        self._lawful: Micros | None = None
        """Since when the next action is legal."""
        self._allowed: tuple[Any, frozenset[Action]] | None = None
        """A state and its legal actions, cached."""

    def set_script(self, deeds: Iterable[NotationLine]) -> None:
        """Replace the remaining actions with these."""
        self._deeds, self._lawful = list(deeds), None

    @property
    def has_pending(self) -> bool:
        """Whether any actions are left."""
        return bool(self._deeds)

    def is_ready(self) -> bool:
        """Whether the next action was legal when last checked."""
        return self._lawful is not None

    def next_due(self) -> Micros | None:
        """When the next action is due; None while it is not legal."""
        return self._lawful + self._deeds[0].after if self._deeds and self._lawful is not None else None

    def is_possible(self, what: NotationLine) -> bool:
        """Whether the rules allow an action now."""
        rules, state = self._game.referee.rules, self._game.referee.state
        if what.kind != "act":
            return True
        if self._allowed is None or self._allowed[0] is not state:
            self._allowed = state, rules.legal_actions(state)
        return what.action in self._allowed[1]

    def is_replaced_by(self, ruling: Announcement) -> bool:
        """Whether somebody did something else by hand in place of the next action."""
        rules, deed = self._game.referee.rules, self._deeds[0].action if self._deeds else None
        if (
            deed is None
            or not isinstance(ruling.entry.cause, WITHHELD_OBSERVATIONS)
            or deed not in rules.legal_actions(ruling.before)
            or deed in rules.legal_actions(ruling.state)
        ):
            return False
        meant = rules.decide(ruling.before, ob.ActionDeclared(at=ruling.entry.cause.at, action=deed))
        then = reduce(rules.evolve, meant, ruling.before)
        told, expected = (
            [rules.sentence(state, event) for event in events if not rules.is_silent(event)]
            for state, events in ((ruling.state, ruling.news), (then, meant))
        )
        return told != expected

    def perform(self, what: NotationLine, now: Micros) -> None:
        """Report the observations of an action."""
        referee = self._game.referee
        for seen in to_observations(referee.rules, referee.state, what, now):
            self._game.post(seen, now)

    def perform_next(self, now: Micros) -> None:
        """Take the next action, if it is due."""
        what = self._deeds[0]
        if not self.is_possible(what):
            if self._lawful is not None:
                self._drop_next()  # a player did it by hand
            return
        if self._lawful is None:
            self._lawful = now
        if now < self._lawful + what.after:
            return
        self._drop_next()
        self.perform(what, now)

    def _drop_next(self) -> None:
        self._deeds.pop(0)
        self._lawful = None


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
    place, chair, _ = page[0]
    whose = (("chair", pupil if chair is None else chair),)
    if len(page) > 1:
        return Sentence("lesson.lay.ring")
    if place == "bot":
        return Sentence("lesson.lay.bot" if chair is None else "lesson.lay.their_bot", whose)
    if place == "deck":
        return Sentence("lesson.lay.deck")
    if place:
        return Sentence("lesson.lay.set", whose) if chair is not None else Sentence("lesson.lay.place")
    return Sentence("lesson.lay.own" if chair == pupil else "lesson.lay.hand", whose)


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


WITHHELD_OBSERVATIONS = (
    ob.TableSeen,
    ob.ButtonPressed,
    ob.ButtonReleased,
    ob.ButtonHeld,
    ob.ActionDeclared,
    ob.HandShown,
)
"""Observations withheld from the rules while the lesson only speaks."""
WELL, STRAY = "lesson.well", "lesson.stray"
DONE = "lesson.done"
PATIENCE: Micros = 3 * SECOND // 2
"""How long after the last action a ruling may still come."""


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same object, or equal where comparing is cheap."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(is_, one, other))
    return one is other or (isinstance(one, str | int) and one == other)


class LessonRunner:
    """The progress of a lesson."""

    def __init__(
        self,
        lesson: Lesson,
        game: RefereedGame,
        *,
        pupils: Sequence[Seat],
        say: Callable[[Sequence[Sentence]], None],
        now: Callable[[], Micros],
        chance: Callable[[int], int] = secrets.randbelow,
        begins: Callable[[], None] = lambda: None,
        ends: Callable[[], None] = lambda: None,
        lays: bool = True,
    ) -> None:
        """`pupils` are taught in turn, one step each.

        `begins` is called when the table changes: at a step, when it is put back, and at the first round;
        `ends` when it was gone through to its end.
        `lays`: there are cards that somebody lays out and puts back, rather than a drawn table.
