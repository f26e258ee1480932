"""What everybody sees of Hearts: points on the plates, and in the middle the trick and the one before."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.actions import Action, Seat
from companion.core.events import Event
from companion.core.exhibits import DealScore, DealScores, TrickProof
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
from companion.games.hearts.rules import model
from companion.games.hearts.rules.model import PLAYERS, HeartsPhase, HeartsState
from companion.games.kit import trick_view
from companion.games.kit.cards import FACES, cards_in
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.kit.rows import row_view
from companion.games.kit.trick_table import RevokeProved, TrickGameWon
from companion.games.kit.trick_view import chair_part, trick_proof

GAME = "hearts"
BOARD = Board(
    option_pictures={
        "heart": (
            "heart_leads",
            "queen_breaks",
            "queen_or_hearts",
            "moon",
        ),
        "crown": ("tie",),
    },
    title="Hearts",
    score_kind="points",
    low_score_wins=True,
    urgent_events=trick_view.URGENT_EVENTS | {"GameWon"},
    quiet_events=trick_view.QUIET_EVENTS | {"DealOpened"},
    headline_events=trick_view.HEADLINE_EVENTS,
    good_news_events=frozenset({"MoonShot", "GameWon"}),
    event_sounds={
        **trick_view.EVENT_SOUNDS,
        "DealOpened": "card",
        "MoonShot": "chime",
        "DealScored": "coin",
        "GameWon": "win",
    },
    sentence_pictures=trick_view.SENTENCE_PICTURES,
)
PASSING = ("none", "left", "right", "across")
"""To whom three cards go, in deals 4, 1, 2, 3 and so on."""


def view(rules: Rules[Any], state: HeartsState, mode: ViewMode = ViewMode.PLAY) -> View:
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
        card=FACES[model.OPENING] if state.phase is HeartsPhase.PASS else "",
        fields=trick_view.repair_fields(GAME, state),
    )


def passing(state: HeartsState) -> str:
    """Where the three cards of this deal go: `left`, `right`, `across`, or `none`."""
    match state.options.passing:
        case "none":
            return "none"
        case "no_hold":
            return PASSING[(state.deal - 1) % 3 + 1]
    return PASSING[state.deal % 4]


def _headline(state: HeartsState) -> Sentence:
    match state.phase:
        case HeartsPhase.PASS:
            return Sentence(f"hearts.phase.pass.{passing(state)}")
        case HeartsPhase.PLAY:
            return trick_view.trick_headline(GAME, state)
        case HeartsPhase.MOON:
            shooter = model.moon_shooter(state)
            return Sentence("hearts.phase.moon", () if shooter is None else chair_part(state, shooter))
        case HeartsPhase.OVER if len(state.winners) == 1:
            return Sentence("hearts.phase.won", chair_part(state, state.winners[0]))
    return Sentence("hearts.phase.won.several" if state.winners else "hearts.phase.over")


def _hint(state: HeartsState) -> Sentence | None:
    match state.phase:
        case HeartsPhase.PASS:
            return Sentence("hearts.hint.pass", (("number", state.deal),))
        case HeartsPhase.MOON:
            return Sentence("hearts.hint.moon")
    return trick_view.trick_hint(GAME, state)


def _tokens(state: HeartsState, seat: Seat) -> Iterator[Token]:
    """Points of the deals before, for tricks are counted after the deal."""
    yield Token("heart", motif="heart")
    yield Token("points", value=state.points[seat], chip=TokenBackground.TABLE)


def _rows(state: HeartsState) -> Iterator[tuple[Cell, ...]]:
    """Before the first trick, what the last deal brought."""
    if state.phase is HeartsPhase.PASS and state.scored:
        yield tuple(
            Cell(chair=state.chair_of(seat), value=f"{points:+d}", lit=points == min(state.scored))
            for seat, points in enumerate(state.scored)
        )


def label(rules: Rules[Any], state: HeartsState, action: Action) -> Sentence:
    return trick_view.card_label(GAME, action) or trick_view.verb_label(GAME, state, action)


def first_label(rules: Rules[Any], state: HeartsState, action: Action) -> Sentence:
    return trick_view.suit_label(GAME, action)


def sentence_key(event: Event) -> str | None:
    if isinstance(event, TrickGameWon) and len(event.seats) > 1:
        return "hearts.GameWon.several"
    return trick_view.played_key(GAME, event)


def sentence_parts(state: HeartsState, event: Event, parts: SentenceParts) -> SentenceParts:
    """The named parts of a ruling's sentence; `parts` are those that every game names."""
    if isinstance(event, TrickGameWon) and len(event.seats) == 1:
        return chair_part(state, event.seats[0])
    return (*parts, *trick_view.played_parts(event))


def restore_instructions(rules: Rules[Any], later: HeartsState, earlier: HeartsState) -> tuple[Sentence, ...]:
    return trick_view.instructions_back(GAME, later, earlier)


def follow_up_sentences(rules: Rules[Any], state: HeartsState, event: Event) -> tuple[Sentence, ...]:
    """After a deal, who has the fewest points."""
    if not isinstance(event, model.DealScored) or rules.outcome(state) is not None:
        return ()
    fewest = [seat for seat, points in enumerate(state.points) if points == min(state.points)]
    alone = len(fewest) == 1
    leads = Sentence("hearts.leads", chair_part(state, fewest[0]))
    return (leads if alone else Sentence("hearts.leads.several"),)


def exhibit(state: HeartsState, standing: Iterable[Any]) -> TrickProof | DealScores | None:
    """A revoke until somebody does anything else; the points of a deal until the next one is opened."""
    if state.phase is HeartsPhase.PASS and state.scored:
        return deal_scores(state)
    return trick_proof("hearts", state, standing)


def deal_scores(state: HeartsState) -> DealScores:
    """Everybody with what the deal brought, the fewest points first."""
    order = sorted(range(PLAYERS), key=lambda seat: (state.points[seat], seat))
    players = (
        DealScore(
            chair=state.chair_of(seat),
            cards=tuple(FACES[card] for card in reversed(list(cards_in(state.taken[seat])))),
            gained=state.scored[seat],
            total=state.points[seat],
        )
        for seat in order
    )
    return DealScores(tuple(players), state.options.target)


POINT = 0.06
"""What a point costs, in units of log odds; a guess that no games were fitted to."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A proved revoke is a mistake; the trick with the queen and what ends a deal are turning points."""
    for place, step in enumerate(history):
        event = step.event
        match event:
            case RevokeProved():
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.TrickTaken() if event.points >= model.QUEEN_POINTS:
                yield Highlight(place, "turning", announcement_of(rules, step))
            case model.MoonShot() | model.DealScored() | TrickGameWon():
                yield Highlight(place, "turning", announcement_of(rules, step))


def lead_scores(state: model.HeartsState) -> tuple[float, ...]:
    """A score for each seat: its points, the fewer the better."""
    return tuple(-POINT * points for points in state.points)
