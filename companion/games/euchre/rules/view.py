"""What everybody sees of Euchre: trump, tricks and points on the plates, and in the middle the trick."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.actions import Action, Seat
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import (
    Board,
    Cell,
    Sentence,
    SentenceParts,
    Token,
    TokenBackground,
    View,
    ViewMode,
)
from companion.games.euchre.rules import model
from companion.games.euchre.rules.model import EuchrePhase, EuchreState
from companion.games.kit import trick_view
from companion.games.kit.cards import CARDS, FACES, SUITS
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.kit.rows import row_view
from companion.games.kit.trick_table import (
    PLAYERS,
    RevokeProved,
    TrickGameWon,
    leading_side,
    partner_parts,
    side_of,
    side_rows,
)
from companion.games.kit.trick_view import chair_part

GAME = "euchre"
BOARD = Board(
    title="Euchre",
    score_kind="points",
    urgent_events=trick_view.URGENT_EVENTS | {"GameWon"},
    quiet_events=trick_view.QUIET_EVENTS | {"DealerDiscarded"},
    headline_events=trick_view.HEADLINE_EVENTS | {"DealPassed"},
    good_news_events=frozenset({"GameWon"}),
    event_sounds={
        **trick_view.EVENT_SOUNDS,
        "UpcardTurned": "flip",
        "Passed": "wood",
        "TrumpMade": "chime",
        "PlaysAlone": "chime",
        "DealerDiscarded": "card",
        "DealPassed": "slide",
        "DealScored": "coin",
        "GameWon": "win",
    },
    sentence_pictures=trick_view.SENTENCE_PICTURES,
)


def view(rules: Rules[Any], state: EuchreState, mode: ViewMode = ViewMode.PLAY) -> View:
    return row_view(
        rules,
        state,
        phase=trick_view.trick_phase(state),
        headline=_headline(state),
        hint=rules.table_wording(state, _hint(state)),
        lamps=trick_view.trick_lamps(rules, state),
        tokens=[tuple(_tokens(state, seat)) for seat in range(PLAYERS)],
        rows=tuple(_rows(state)),
        places=tuple(trick_view.trick_places(state)),
        card=_open_card(state),
        fields=trick_view.repair_fields(GAME, state),
    )


def _open_card(state: EuchreState) -> str:
    """The card that was turned up, until it is picked up or turned down."""
    is_open = state.phase is EuchrePhase.BID and state.passes < PLAYERS
    return FACES[CARDS[state.upcard]] if is_open or state.phase is EuchrePhase.DISCARD else ""


def _headline(state: EuchreState) -> Sentence:
    match state.phase:
        case EuchrePhase.PLAY:
            return trick_view.trick_headline(GAME, state)
        case EuchrePhase.OVER if state.winners:
            return Sentence("euchre.phase.won", partner_parts(state, state.winners[0]))
        case EuchrePhase.OVER:
            return Sentence("euchre.phase.over")
        case EuchrePhase.BID if state.passes >= PLAYERS:
            word = "name.stuck" if state.must_name else "name"
        case EuchrePhase.BID if state.seat == state.dealer:
            word = "bid.dealer"
        case phase:
            word = phase
    return Sentence(f"euchre.phase.{word}", chair_part(state, state.seat))


def _hint(state: EuchreState) -> Sentence | None:
    match state.phase:
        case EuchrePhase.PLAY | EuchrePhase.OVER:
            return trick_view.trick_hint(GAME, state)
        case EuchrePhase.TURN_UP:
            return Sentence("euchre.hint.turn_up", (("number", state.deal),))
    return Sentence(f"euchre.hint.{state.phase}")


def _tokens(state: EuchreState, seat: Seat) -> Iterator[Token]:
    """Trump before who made it, who deals or sits out, the tricks of the side, and its points if any."""
    if state.trump and seat == state.maker:
        yield Token("trump", motif=f"suit:{state.trump}")
    if seat == state.sits_out:
        yield Token("out", said=Sentence("euchre.plate.out"), chip=TokenBackground.WORN)
    elif state.phase is EuchrePhase.PLAY:
        many = state.side_tricks()[side_of(seat)]
        said = Sentence("euchre.plate.tricks", (("count", many),))
        yield Token("tricks", value=many, said=said, chip=TokenBackground.PAPER)
    elif seat == state.dealer and state.phase is not EuchrePhase.OVER:
        yield Token("dealer", said=Sentence("euchre.plate.dealer"), chip=TokenBackground.PAPER)
    if any(state.points):
        yield from trick_view.points_tokens(state.points[side_of(seat)])


def _rows(state: EuchreState) -> Iterator[tuple[Cell, ...]]:
    """Before a card is turned up, what the last deal brought; later the suit that is trump or cannot be."""
    if state.phase is EuchrePhase.TURN_UP and state.scored:
        yield from side_rows(GAME, state)
    elif state.phase is EuchrePhase.BID and state.passes >= PLAYERS:
        yield (Cell(motif=f"suit:{state.upcard.partition('|')[0]}", words=Sentence("euchre.down")),)
    elif state.trump and state.phase is not EuchrePhase.DISCARD:
        yield (Cell(motif=f"suit:{state.trump}", words=Sentence("euchre.trump"), lit=True),)


def label(rules: Rules[Any], state: EuchreState, action: Action) -> Sentence:
    if action.verb == "name" and action.value is not None:
        return trick_view.suit_label(GAME, action)
    if action.verb == "order" and action.seat == state.dealer:
        return Sentence("euchre.do.order.dealer")
    return trick_view.card_label(GAME, action) or trick_view.verb_label(GAME, state, action)


def first_label(rules: Rules[Any], state: EuchreState, action: Action) -> Sentence:
    return trick_view.suit_label(GAME, action)


def sentence_key(event: Event) -> str | None:
    match event:
        case model.UpcardTurned() if event.card in CARDS:
            return f"euchre.UpcardTurned.{trick_view.suit_of(CARDS[event.card])}"
        case model.TrumpMade() if event.suit in SUITS:
            return f"euchre.TrumpMade.{event.suit}"
    return trick_view.played_key(GAME, event)


def sentence_parts(state: EuchreState, event: Event, parts: SentenceParts) -> SentenceParts:
    """The named parts of a ruling; `parts` are those that every game names."""
    match event:
        case TrickGameWon() if event.seats:
            return partner_parts(state, event.seats[0])
        case model.PlaysAlone():
            return partner_parts(state, event.seat)
    return (*parts, *trick_view.played_parts(event))


def restore_instructions(rules: Rules[Any], later: EuchreState, earlier: EuchreState) -> tuple[Sentence, ...]:
    return trick_view.instructions_back(GAME, later, earlier)


def follow_up_sentences(rules: Rules[Any], state: EuchreState, event: Event) -> tuple[Sentence, ...]:
    """After a deal, which side leads."""
    if not isinstance(event, model.EuchreDealScored) or rules.outcome(state) is not None:
        return ()
    return (leading_side(GAME, state),)


POINT = 0.4
"""What a point more brings, in units of log odds; a guess that no games were fitted to."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A proved revoke is a mistake; a lone hand and what ends a deal are turning points."""
    for place, step in enumerate(history):
        match step.event:
            case RevokeProved():
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.PlaysAlone() | model.EuchreDealScored() | TrickGameWon():
                yield Highlight(place, "turning", announcement_of(rules, step))


def lead_scores(state: model.EuchreState) -> tuple[float, ...]:
    """A score for each seat: the points of its side."""
    return tuple(POINT * state.points[side_of(seat)] for seat in range(PLAYERS))
