"""What everybody sees of In Order: numbers left on the plates; in the middle what was laid, and lives."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.actions import Action
from companion.core.rules import Rules
from companion.core.view import Board, Cell, LampSignal, RepairField, Sentence, Token, View, ViewMode
from companion.games.in_order.rules import model
from companion.games.in_order.rules.model import InOrderPhase, InOrderState
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.kit.rows import row_view

BEFORE = 3
"""So many numbers below the highest are shown."""


def _headline(state: InOrderState) -> Sentence:
    level = (("level", state.level),)
    match state.phase:
        case InOrderPhase.PLAY if state.line:
            return Sentence("in_order.phase.number", (("chair", state.chair_of(state.line[0].seat)),))
        case InOrderPhase.PLAY if state.owed:
            return Sentence("in_order.phase.owed", (("number", state.heap),))
        case InOrderPhase.AWAY:
            return Sentence("in_order.phase.away", (("number", state.top),))
        case InOrderPhase.OVER if state.desk.abandoned:
            return Sentence("in_order.phase.over")
        case InOrderPhase.OVER:
            return Sentence(f"in_order.phase.{'won' if state.lives else 'lost'}", level)
    return Sentence(f"in_order.phase.{state.phase}", level)


def _hint(state: InOrderState) -> Sentence | None:
    match state.phase:
        case InOrderPhase.OVER:
            return None
        case InOrderPhase.READY:
            return Sentence("in_order.hint.ready", (("count", state.level),))
        case InOrderPhase.PLAY if state.line:
            return Sentence("in_order.hint.number")
    return Sentence(f"in_order.hint.{state.phase}")


def _lamp(state: InOrderState, seat: int) -> LampSignal:
    """Lit: has pressed, or is ready. Slow: asked, or may press. Fast: has won."""
    if state.phase is InOrderPhase.OVER:
        return LampSignal.FAST if state.lives and not state.desk.abandoned else LampSignal.DARK
    if state.line and seat == state.line[0].seat:
        return LampSignal.FAST
    waits = seat in state.waiting
    return LampSignal.SLOW if waits else LampSignal.LIT if state.hands[seat] else LampSignal.DARK


def _rows(state: InOrderState) -> Iterator[tuple[Cell, ...]]:
    """The level, the highest number large, those below it, and how many lives and shows are left."""
    below = sorted(number for number in state.laid if number != state.top)[-BEFORE:]
    level = Sentence("in_order.line.level", (("level", state.level),))
    yield (Cell(value=state.top, lit=True) if state.top else Cell(words=level, lit=True),)
    if below:
        numbers = " · ".join(map(str, below))
        yield (Cell(words=Sentence("in_order.line.below", (("numbers", numbers),))),)
    yield (Cell(motif="heart", value=state.lives),)
    if state.options.shows:
        yield (Cell(motif="eye", value=state.shows),)


def _fields(state: InOrderState) -> Iterator[RepairField]:
    if state.phase is InOrderPhase.OVER:
        return
    options = state.options
    yield RepairField("level", "in_order.field.level", state.level, tuple(range(1, state.last + 1)))
    yield RepairField("lives", "in_order.field.lives", state.lives, tuple(range(1, options.lives + 1)))
    yield RepairField("shows", "in_order.field.shows", state.shows, tuple(range(options.shows + 1)))


class InOrderNarration(Rules[InOrderState]):
    """What is shown and said of In Order."""

    board = Board(
        option_pictures={"heart": ("lives",), "eye": ("shows",)},
        title="In Order",
        urgent_events=frozenset({"LifeLost", "GameWon", "GameLost"}),
        quiet_events=frozenset({"NumberLaid", "LowerLaid"}),
        headline_events=frozenset({"LifeLost"}),
        good_news_events=frozenset({"LevelWon", "GameWon"}),
        event_sounds={
            "LevelBegan": "chime",
            "LayPressed": "wood",
            "NumberLaid": "card",
            "LifeLost": "gong",
            "LowerLaid": "slide",
            "LowestShown": "flip",
            "LevelWon": "coin",
            "GameWon": "win",
            "GameLost": "knock",
        },
    )
    unspoken_fields = frozenset({"at", "source", "since"})
    cardless_parts = frozenset({"how", "ms", "number", "level", "left"})
    number_verbs = frozenset({"number", "away"})

    def view(self, state: InOrderState, mode: ViewMode = ViewMode.PLAY) -> View:
        return row_view(
            self,
            state,
            phase=state.phase,
            headline=_headline(state),
            hint=_hint(state),
            lamps=[_lamp(state, seat) for seat in range(state.players)],
            tokens=[(Token("unlaid", many, motif="cards"),) if many else () for many in state.hands],
            rows=tuple(_rows(state)),
            fields=tuple(_fields(state)),
        )

    def label(self, state: InOrderState, action: Action) -> Sentence:
        if action.has_two_steps:
            return Sentence("in_order.do.number", (("number", action.parts[1]),))
        return super().label(state, action)

    def first_label(self, state: InOrderState, action: Action) -> Sentence:
        first, _, last = str(action.parts[0]).partition("-")
        return Sentence("in_order.do.number.first", (("first", first), ("last", last)))

    def restore_instructions(self, later: InOrderState, earlier: InOrderState) -> tuple[Sentence, ...]:
        """Numbers that go back into the hand, as far as they are known."""
        if later.level != earlier.level:
            return (Sentence("in_order.back.level", (("level", earlier.level),)),)
        known = [number for number in later.laid if number not in earlier.laid]
        back = [Sentence("in_order.back.number", (("number", number),)) for number in known]
        if sum(earlier.hands) - sum(later.hands) > len(known):
            back.append(Sentence("in_order.back.lower"))
        return tuple(back)


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A number that came too late was a mistake; levels that were won are turning points."""
    for place, step in enumerate(history):
        match step.event:
            case model.NumberLaid(how="low"):
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.LevelWon() | model.InOrderWon() | model.GameLost():
                yield Highlight(place, "turning", announcement_of(rules, step))
