"""What everybody sees of Liar's Dice: cups and bids on the plates, and in the middle what was told."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.actions import Action, Seat
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import Board, Cell, LampSignal, RepairField, Sentence, Token, View, ViewMode
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.kit.rows import row_view
from companion.games.liars_dice.rules import model
from companion.games.liars_dice.rules.model import LiarsDicePhase, LiarsDiceState


def _headline(state: LiarsDiceState) -> Sentence:
    who = (("chair", state.chair_of(state.seat)),)
    match state.phase:
        case LiarsDicePhase.BID if state.standing:
            count, face = state.standing
            last = "" if any(model.higher_bids(state)) else "last."
            return Sentence(f"liars_dice.phase.{last}bid.{face}", (*who, ("count", count)))
        case LiarsDicePhase.BID:
            return Sentence(f"liars_dice.phase.bid{'.plain' if state.is_plain else ''}", who)
        case LiarsDicePhase.COUNT if state.bid:
            return Sentence(f"liars_dice.phase.count.{state.bid[1]}")
        case LiarsDicePhase.OVER if len(state.holders) == 1:
            return Sentence("liars_dice.phase.won", (("chair", state.chair_of(state.holders[0])),))
    return Sentence(f"liars_dice.phase.{state.phase}")


def _hint(state: LiarsDiceState) -> Sentence | None:
    match state.phase:
        case LiarsDicePhase.OVER:
            return None
        case LiarsDicePhase.START:
            return Sentence("liars_dice.hint.start", (("count", state.options.dice),))
        case LiarsDicePhase.BID if state.is_plain:
            return Sentence("liars_dice.hint.bid.plain")
        case LiarsDicePhase.BID:
            wild = f".{state.wild}" if state.wild else ""
            return Sentence(f"liars_dice.hint.bid{wild}", (("count", sum(state.dice)),))
    wild = f".{state.wild}" if state.bid and state.wild not in {0, state.bid[1]} else ""
    return Sentence(f"liars_dice.hint.count{wild}")


def _lamp(state: LiarsDiceState, seat: Seat) -> LampSignal:
    """Slow: asked. Lit: whose bid stands or was called. Fast: has won."""
    match state.phase:
        case LiarsDicePhase.OVER:
            return LampSignal.FAST if state.holders == (seat,) else LampSignal.DARK
        case LiarsDicePhase.START:
            return LampSignal.SLOW
        case LiarsDicePhase.COUNT if seat in state.waiting:
            return LampSignal.SLOW
        case LiarsDicePhase.BID if seat == state.seat:
            return LampSignal.SLOW
    return LampSignal.LIT if state.standing and seat == state.bidder else LampSignal.DARK


def _tokens(state: LiarsDiceState, seat: Seat) -> Iterator[Token]:
    """How many dice are under the cup, and what was bid."""
    if state.dice[seat]:
        yield Token("dice", state.dice[seat], motif="cup")
    if state.standing and seat == state.bidder:
        yield Token("bid", state.standing[0], motif=f"die:{state.standing[1]}")


def _rows(state: LiarsDiceState) -> Iterator[tuple[Cell, ...]]:
    """The bid that stands or was judged, and what everybody has told."""
    if state.phase is LiarsDicePhase.START:
        yield (Cell(motif="cup", value=f"× {state.options.dice}", lit=True),)
    if state.bid is None:
        return
    count, face = state.bid
    yield (Cell(motif=f"die:{face}", value=f"× {count}", lit=True),)
    tells = [
        Cell(chair=state.chair_of(seat), value="?" if many == model.NOT_TOLD else many, lit=many > 0)
        for seat, many in enumerate(state.told)
        if state.dice[seat] or many != model.NOT_TOLD
    ]
    if tells:
        yield tuple(tells)
    if state.judged is not None:
        yield (Cell(words=Sentence("liars_dice.line.found", (("count", state.judged.count),)), lit=True),)


def _fields(state: LiarsDiceState) -> Iterator[RepairField]:
    if state.phase is LiarsDicePhase.OVER:
        return
    seats = tuple(range(state.players))
    yield RepairField("starter", "liars_dice.field.starter", state.seat, seats, seats=True)
    for seat, many in enumerate(state.dice):
        counts = tuple(range(state.options.dice + 1))
        yield RepairField(f"dice:{seat}", "liars_dice.field.dice", many, counts, state.chair_of(seat))


class LiarsDiceNarration(Rules[LiarsDiceState]):
    """What is shown and said of Liar's Dice."""

    board = Board(
        option_pictures={
            "die:1": (
                "dice",
                "wild",
                "exact",
            ),
            "hand": ("order",),
            "crown": ("starter",),
        },
        title="Liar's Dice",
        urgent_events=frozenset({"BidJudged", "GameWon"}),
        quiet_events=frozenset({"BiddingBegan", "BidMade", "DiceTold"}),
        headline_events=frozenset({"BidJudged"}),
        good_news_events=frozenset({"GameWon"}),
        event_sounds={
            "BiddingBegan": "wood",
            "BidMade": "wood",
            "BidDoubted": "gong",
            "ExactlyCalled": "gong",
            "DiceTold": "slide",
            "BidJudged": "coin",
            "DiceGone": "knock",
            "GameWon": "win",
        },
        second_pictures={"bid": "die"},
        sentence_pictures={"face": ("die:{}",)},
    )
    unspoken_fields = frozenset({"dice", "starter"})
    cardless_parts = frozenset({"face", "how"})
    number_verbs = frozenset({"tell"})

    def view(self, state: LiarsDiceState, mode: ViewMode = ViewMode.PLAY) -> View:
        return row_view(
            self,
            state,
            phase=state.phase,
            headline=_headline(state),
            hint=_hint(state),
            lamps=[_lamp(state, seat) for seat in range(state.players)],
            tokens=[tuple(_tokens(state, seat)) for seat in range(state.players)],
            rows=tuple(_rows(state)),
            fields=tuple(_fields(state)),
        )

    def label(self, state: LiarsDiceState, action: Action) -> Sentence:
        if action.has_two_steps:
            return Sentence("liars_dice.do.bid", tuple(zip(("count", "face"), action.parts, strict=True)))
        return super().label(state, action)

    def follow_up_sentences(self, state: LiarsDiceState, event: Event) -> tuple[Sentence, ...]:
        """A new round begins."""
        if not isinstance(event, model.BidJudged) or self.outcome(state) is not None:
            return ()
        return (Sentence("liars_dice.roll", (("chair", state.chair_of(state.seat)),)),)

    def restore_instructions(self, later: LiarsDiceState, earlier: LiarsDiceState) -> tuple[Sentence, ...]:
        """Dice that change hands again, and cups that were lifted."""
        back = [
            Sentence("liars_dice.back.dice", (("chair", earlier.chair_of(seat)), ("count", many)))
            for seat, many in enumerate(earlier.dice)
            if many != later.dice[seat]
        ]
        lifted = later.phase is LiarsDicePhase.COUNT and earlier.phase is LiarsDicePhase.BID
        if lifted or (later.round != earlier.round and earlier.phase is LiarsDicePhase.BID):
            back.append(Sentence("liars_dice.back.cups"))
        return tuple(back)


DIE, OUT = 0.6, -99.0
"""What a die is worth, and what to have none, in units of log odds."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A caller who was wrong has made a mistake; what else was bid or doubted is a turning point."""
    for place, step in enumerate(history):
        match step.event:
            case model.BidJudged(how="stands" | "not_exact"):
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.BidJudged() | model.DiceGone() | model.LiarsDiceWon():
                yield Highlight(place, "turning", announcement_of(rules, step))


def lead_scores(state: model.LiarsDiceState) -> tuple[float, ...]:
    """A score for each seat: its dice."""
    return tuple(DIE * many if many else OUT for many in state.dice)
