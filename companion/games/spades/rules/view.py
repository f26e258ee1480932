"""What everybody sees of Spades: contracts and tricks on the plates, and in the middle the trick."""

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
from companion.games.kit import trick_view
from companion.games.kit.cards import FACES, SUITS
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
from companion.games.spades.rules import model
from companion.games.spades.rules.model import SpadesPhase, SpadesState

GAME = "spades"
BOARD = Board(
    option_pictures={"suit:spades": ("spade_leads",)},
    title="Spades",
    score_kind="points",
    urgent_events=trick_view.URGENT_EVENTS | {"GameWon"},
    quiet_events=trick_view.QUIET_EVENTS,
    headline_events=trick_view.HEADLINE_EVENTS,
    good_news_events=frozenset({"GameWon"}),
    event_sounds={**trick_view.EVENT_SOUNDS, "BidMade": "wood", "DealScored": "coin", "GameWon": "win"},
    sentence_pictures=trick_view.SENTENCE_PICTURES,
)
ACE = FACES[-1 - SUITS[::-1].index("spades") * 13]


def view(rules: Rules[Any], state: SpadesState, mode: ViewMode = ViewMode.PLAY) -> View:
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
        card=ACE if state.phase is SpadesPhase.BID and not state.bids and not state.scored else "",
        fields=trick_view.repair_fields(GAME, state),
    )


def _headline(state: SpadesState) -> Sentence:
    match state.phase:
        case SpadesPhase.BID:
            return Sentence("spades.phase.bid", chair_part(state, state.seat))
        case SpadesPhase.PLAY:
            return trick_view.trick_headline(GAME, state)
        case SpadesPhase.OVER if state.winners:
            return Sentence("spades.phase.won", partner_parts(state, state.winners[0]))
    return Sentence("spades.phase.over")


def _hint(state: SpadesState) -> Sentence | None:
    if state.phase is SpadesPhase.BID:
        return None if state.bids else Sentence("spades.hint.bid", (("number", state.deal),))
    return trick_view.trick_hint(GAME, state)


def _tokens(state: SpadesState, seat: Seat) -> Iterator[Token]:
    """Tricks taken of those that were bid, before that the bags of the side; and its points."""
    bid, side = state.bid_of(seat), side_of(seat)
    if bid is not None:
        taken = state.taken_tricks()[seat]
        said = Sentence("spades.plate.taken", (("count", taken), ("number", bid)))
        is_bid = state.phase is SpadesPhase.BID
        told = bid if is_bid else f"{taken}/{bid}"
        yield Token("tricks", value=told, said=None if is_bid else said, chip=TokenBackground.PAPER)
    elif state.bags[side] and state.options.bags == "penalty":
        said = Sentence("spades.plate.bags", (("count", state.bags[side]),))
        yield Token("bags", value=state.bags[side], said=said, chip=TokenBackground.WORN)
    if any(state.points):
        yield from trick_view.points_tokens(state.points[side])


def _rows(state: SpadesState) -> Iterator[tuple[Cell, ...]]:
    """Before the first bid, what the last deal brought; then the bids."""
    if state.phase is not SpadesPhase.BID:
        return
    if state.scored:
        yield from side_rows(GAME, state)
    elif state.bids:
        seats = [(state.leader + place) % PLAYERS for place in range(len(state.bids))]
        yield tuple(Cell(chair=state.chair_of(seat), value=state.bid_of(seat)) for seat in seats)


def label(rules: Rules[Any], state: SpadesState, action: Action) -> Sentence:
    if action.verb == "bid" and action.value is not None:
        return Sentence("spades.do.bid", (("value", action.value),))
    return trick_view.card_label(GAME, action) or trick_view.verb_label(GAME, state, action)


def first_label(rules: Rules[Any], state: SpadesState, action: Action) -> Sentence:
    return trick_view.suit_label(GAME, action)


def sentence_key(event: Event) -> str | None:
    if isinstance(event, model.SpadesBidMade) and not event.tricks:
        return "spades.BidMade.nil"
    return trick_view.played_key(GAME, event)


def sentence_parts(state: SpadesState, event: Event, parts: SentenceParts) -> SentenceParts:
    """The named parts of a ruling; `parts` are those that every game names."""
    if isinstance(event, TrickGameWon) and event.seats:
        return partner_parts(state, event.seats[0])
    return (*parts, *trick_view.played_parts(event))


def restore_instructions(rules: Rules[Any], later: SpadesState, earlier: SpadesState) -> tuple[Sentence, ...]:
    return trick_view.instructions_back(GAME, later, earlier)


def follow_up_sentences(rules: Rules[Any], state: SpadesState, event: Event) -> tuple[Sentence, ...]:
    """After a deal, which side leads."""
    if not isinstance(event, model.SpadesDealScored) or rules.outcome(state) is not None:
        return ()
    return (leading_side(GAME, state),)


POINT = 0.01
"""What a point more brings, in units of log odds; a guess that no games were fitted to."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A proved revoke is a mistake; a nil and what ends a deal are turning points."""
    for place, step in enumerate(history):
        event = step.event
        match event:
            case RevokeProved():
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.SpadesBidMade(tricks=0) | model.SpadesDealScored() | TrickGameWon():
                yield Highlight(place, "turning", announcement_of(rules, step))


def lead_scores(state: model.SpadesState) -> tuple[float, ...]:
    """A score for each seat: the points of its side."""
    return tuple(POINT * state.points[side_of(seat)] for seat in range(PLAYERS))
