"""What everybody sees of Roses and Thorns: hands and beds on the plates, in the middle the bid and what was
turned.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.actions import Action, Seat, Setup
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import (
    Board,
    Cell,
    LampSignal,
    RepairField,
    Sentence,
    SetupPicture,
    Token,
    TokenBackground,
    View,
    ViewMode,
)
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.kit.rows import row_view
from companion.games.roses.rules import model
from companion.games.roses.rules.model import OpenCard, RosesPhase, RosesState

BACK = "back:garden"
SHOWN = 8
"""So many cards that are turned, or have yet to be, are in the middle: two rows."""


def _chair(state: RosesState, seat: Seat) -> tuple[str, int]:
    return "chair", state.chair_of(seat)


def _headline(state: RosesState) -> Sentence:
    key, who = f"roses.phase.{state.phase}", _chair(state, state.seat)
    match state.phase:
        case RosesPhase.BID if state.bid:
            return Sentence(f"{key}.higher", (who, ("count", state.bid)))
        case RosesPhase.TURN if state.named is None:
            return Sentence(f"{key}.pick", (who,))
        case RosesPhase.TURN if state.named != state.bidder:
            owner = state.named or 0
            return Sentence(f"{key}.other", (who, ("owner_chair", state.chair_of(owner))))
        case RosesPhase.OVER if state.desk.abandoned:
            return Sentence(f"{key}.nobody")
        case RosesPhase.START | RosesPhase.LAY:
            return Sentence(key)
    return Sentence(key, (who,))


def _hint(state: RosesState) -> Sentence | None:
    key = f"roses.hint.{state.phase}"
    match state.phase:
        case RosesPhase.OVER:
            return None
        case RosesPhase.BID if state.bid:
            return Sentence(f"{key}.higher", (("count", sum(state.laid)),))
        case RosesPhase.BID | RosesPhase.NUMBER:
            return Sentence(key, (("count", sum(state.laid)),))
        case RosesPhase.TURN:
            return Sentence(key, (("left", state.left),))
        case RosesPhase.LAY if state.round > 1:
            return Sentence(f"{key}.again")
    return Sentence(key)


def _lamp(state: RosesState, seat: Seat) -> LampSignal:
    """Slow: asked. Lit: whose bid stands, or whose bed is turned. Fast: has won."""
    match state.phase:
        case RosesPhase.OVER:
            won = seat == state.seat and not state.desk.abandoned
            return LampSignal.FAST if won else LampSignal.DARK
        case RosesPhase.START:
            return LampSignal.SLOW
        case RosesPhase.LAY:
            return LampSignal.SLOW if seat in state.waiting else LampSignal.DARK
    if seat == state.seat:
        return LampSignal.SLOW
    lit = state.named if state.phase is RosesPhase.TURN else state.bidder if state.bid else None
    return LampSignal.LIT if seat == lit else LampSignal.DARK


def _tokens(state: RosesState, seat: Seat) -> Iterator[Token]:
    """Rounds won, the hand, the bed face down, and where to sit before the game begins."""
    if state.phase is RosesPhase.START:
        yield Token("field", value=state.bed_of(seat), chip=TokenBackground.TABLE)
    if state.points[seat]:
        yield Token("points", state.points[seat], motif="wreath")
    if state.cards[seat] > state.laid[seat]:
        yield Token("hand", state.cards[seat] - state.laid[seat], motif="cards")
    if down := _face_down(state, seat):
        yield Token("bed", down, motif="bed")
    if state.phase is RosesPhase.BID and seat in state.passed:
        yield Token("passed", motif="barred")


def _rows(state: RosesState) -> Iterator[tuple[Cell, ...]]:
    """The bid and how many cards there are; then every card that it needs, face up or down."""
    total = sum(state.laid)
    if state.phase is RosesPhase.START:
        yield Cell(motif="rose", value="× 3"), Cell(motif="thorn", value="× 1")
        return
    if not state.bid:
        lie = Sentence("roses.line.lie", (("count", total),))
        yield (Cell(motif="bed", value=f"× {total}") if total else Cell(words=lie),)
        return
    of = f" / {total}" if total else ""
    yield (Cell(motif="rose", value=f"× {state.bid}{of}", lit=True),)
    if state.phase in {RosesPhase.BID, RosesPhase.NUMBER}:
        yield (Cell(chair=state.chair_of(state.bidder), words=Sentence("roses.line.bid")),)
        return
    cells = [_open_cell(state, card) for card in state.opened]
    if state.phase is RosesPhase.TURN:
        cells += [Cell(motif="bed", value="?")] * state.left
    yield tuple(cells[-SHOWN:] if state.phase is not RosesPhase.TURN else cells[:SHOWN])


def _open_cell(state: RosesState, card: OpenCard) -> Cell:
    """What was turned, above the number of whose it was."""
    number = state.chair_of(card.owner) + 1
    return Cell(motif=card.face, value=number, lit=card.face == "thorn")


def _fields(state: RosesState) -> Iterator[RepairField]:
    if state.phase is RosesPhase.OVER:
        return
    seats = tuple(range(state.players))
    yield RepairField("starter", "roses.field.starter", state.seat, seats, seats=True)
    ranges = {"cards": range(model.HAND + 1), "points": range(state.options.wins)}
    for seat in seats:
        for name, many in (("cards", state.cards[seat]), ("points", state.points[seat])):
            choices = tuple(ranges[name])
            yield RepairField(f"{name}:{seat}", f"roses.field.{name}", many, choices, state.chair_of(seat))


def _face_down(state: RosesState, seat: Seat) -> int:
    return state.face_down(seat) if state.phase is RosesPhase.TURN else state.laid[seat]


class RosesNarration(Rules[RosesState]):
    """What is shown and said of Roses and Thorns."""

    board = Board(
        option_pictures={
            "crown": (
                "wins",
                "starter",
            )
        },
        title="Roses and Thorns",
        score_kind="points",
        hand_back=BACK,
        urgent_events=frozenset({"RoundEnded", "GameWon"}),
        quiet_events=frozenset({"StarterNamed", "CardLaid", "NumberBid", "BidPassed", "CardTurned"}),
        headline_events=frozenset({"RoundEnded"}),
        good_news_events=frozenset({"GameWon"}),
        event_sounds={
            "CardLaid": "card",
            "NumberBid": "wood",
            "BidPassed": "slide",
            "CardTurned": "flip",
            "RoundEnded": "gong",
            "PlayerEliminated": "knock",
            "GameWon": "win",
        },
        sentence_pictures={"face": ("flower:{}",)},
    )
    unspoken_fields = frozenset({"starter", "place"})
    cardless_parts = frozenset({"how", "face"})
    number_verbs = frozenset({"bid"})
    camera_sentences = frozenset({"roses.hint.turn"})

    def view(self, state: RosesState, mode: ViewMode = ViewMode.PLAY) -> View:
        return row_view(
            self,
            state,
            phase=state.phase,
            headline=_headline(state),
            hint=self.table_wording(state, _hint(state)),
            lamps=[_lamp(state, seat) for seat in range(state.players)],
            tokens=[tuple(_tokens(state, seat)) for seat in range(state.players)],
            rows=tuple(_rows(state)),
            fields=tuple(_fields(state)),
        )

    def setup_instructions(self, setup: Setup) -> tuple[Sentence, ...]:
        return Sentence("roses.prepare.cards"), Sentence("roses.prepare.beds")

    def setup_pictures(self, setup: Setup) -> tuple[SetupPicture, ...]:
        return SetupPicture(each=(model.ROSE,) * 3 + (model.THORN,)), SetupPicture(each=("",))

    def choice_picture(self, action: Action) -> str:
        return f"flower:{action.parts[-1]}" if action.verb == "show" else ""

    def label(self, state: RosesState, action: Action) -> Sentence:
        seat = action.value if action.verb == "turn" else None
        if isinstance(seat, int) and seat in range(state.players):
            return Sentence("roses.do.turn", (_chair(state, seat),))
        return super().label(state, action)

    def follow_up_sentences(self, state: RosesState, event: Event) -> tuple[Sentence, ...]:
        """A new round begins."""
        ended = isinstance(event, model.RoundEnded) and self.outcome(state) is None
        return (Sentence("roses.next", (_chair(state, state.starter),)),) if ended else ()

    def restore_instructions(self, later: RosesState, earlier: RosesState) -> tuple[Sentence, ...]:
        """Cards and points that change hands again, beds as they lay, cards to turn down or to take up."""
        back: list[Sentence] = []
        for seat in range(earlier.players):
            who = _chair(earlier, seat)
            if later.cards[seat] != earlier.cards[seat]:
                back.append(Sentence("roses.back.cards", (who, ("count", earlier.cards[seat]))))
            if later.points[seat] != earlier.points[seat]:
                back.append(Sentence("roses.back.points", (who, ("count", earlier.points[seat]))))
        if later.round != earlier.round:
            return (*back, Sentence("roses.back.beds")) if sum(earlier.laid) else tuple(back)
        for seat in range(earlier.players):
            who = _chair(earlier, seat)
            if later.laid[seat] > earlier.laid[seat]:
                back.append(Sentence("roses.back.hand", (who,)))
            if later.phase is RosesPhase.TURN and later.face_down(seat) < _face_down(earlier, seat):
                back.append(Sentence("roses.back.down", (who,)))
        return tuple(back)


CARD, POINT, OUT = 0.4, 1.2, -99.0
"""What a card and a round are worth, and what to have no card, in units of log odds."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A thorn of somebody's own was a bluff that failed; rounds, and who is out, are turning points."""
    for place, step in enumerate(history):
        match step.event:
            case model.RoundEnded(how="own_thorn"):
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.RoundEnded() | model.PlayerEliminated() | model.RosesWon():
                yield Highlight(place, "turning", announcement_of(rules, step))


def lead_scores(state: model.RosesState) -> tuple[float, ...]:
    """A score for each seat: its rounds and its cards."""
    rows = zip(state.points, state.cards, strict=True)
    return tuple(POINT * points + CARD * cards if cards else OUT for points, cards in rows)
