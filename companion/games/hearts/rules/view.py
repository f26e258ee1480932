"""What everybody sees of Hearts: points on the plates, and in the middle the trick and the one before."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from companion.core.actions import Action, Seat
from companion.core.events import Event
from companion.core.view import (
    Board,
    Cell,
    LampSignal,
    PlaceView,
    RepairField,
    ScreenArea,
    Sentence,
    SentenceParts,
    Token,
    TokenBackground,
    View,
    ViewMode,
)
from companion.games.hearts.rules import model
from companion.games.hearts.rules.model import PLAYERS, HeartsPhase, HeartsState
from companion.games.kit.cards import CARDS, FACES, SUITS, VALUES, Card
from companion.games.kit.rows import row_view
from companion.games.kit.trick_camera import REGION
from companion.games.kit.trick_table import CardPlayed
from companion.games.kit.tricks import takers

if TYPE_CHECKING:
    from companion.core.rules import Rules

BOARD = Board(
    title="Hearts",
    score_kind="points",
    low_score_wins=True,
    urgent_events=frozenset(
        {
            "CardTwice",
            "CardUnread",
            "TrickSwept",
            "CardsDisagree",
            "CheckAsked",
            "RevokeProved",
            "MisdealFound",
            "GameWon",
        }
    ),
    quiet_events=frozenset({"DealOpened", "CardPlayed", "CardConfirmed"}),
    headline_events=frozenset({"CardTwice", "CardsDisagree", "RevokeProved", "DealVoided", "MisdealFound"}),
    good_news_events=frozenset({"MoonShot", "GameWon"}),
    event_sounds={
        "DealOpened": "card",
        "CardPlayed": "card",
        "CardTwice": "knock",
        "TrickTaken": "slide",
        "CardsDisagree": "knock",
        "CheckAsked": "knock",
        "CardUnread": "knock",
        "TrickSwept": "knock",
        "CardConfirmed": "wood",
        "CardCorrected": "flip",
        "RevokeProved": "gong",
        "DealVoided": "slide",
        "MisdealFound": "knock",
        "MoonShot": "chime",
        "DealScored": "coin",
        "GameWon": "win",
    },
    sentence_pictures={
        "suit": ("suit:{}",),
        **{f"{suit}.rank": (f"{suit}:{{}}",) for suit in SUITS},
    },
)
PASSING = ("none", "left", "right", "across")
"""To whom three cards go, in deals 4, 1, 2, 3 and so on."""


def view(rules: "Rules[Any]", state: HeartsState, mode: ViewMode = ViewMode.PLAY) -> View:
    return row_view(
        rules,
        state,
        phase="check" if state.checks else state.phase,
        headline=_headline(state),
        hint=rules.table_wording(state, _hint(state)),
        lamps=[_lamp(rules, state, seat) for seat in range(PLAYERS)],
        tokens=[tuple(_tokens(state, seat)) for seat in range(PLAYERS)],
        rows=tuple(_rows(state)),
        places=tuple(_places(state)),
        card=FACES[model.OPENING] if state.phase is HeartsPhase.PASS else "",
        fields=tuple(_fields(state)),
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
        case HeartsPhase.PLAY if state.checks:
            number = state.checks[0]
            parts = (("trick", state.trick_of(number)),)
            return Sentence("hearts.phase.check", (*_who(state, state.plays[number].seat), *parts))
        case HeartsPhase.PLAY if len(state.plays) % PLAYERS == 0:
            return Sentence("hearts.phase.lead", _who(state, state.seat))
        case HeartsPhase.PLAY:
            led = state.plays[len(state.plays) - len(state.plays) % PLAYERS].card
            return Sentence(f"hearts.phase.follow.{_suit(led)}", _who(state, state.seat))
        case HeartsPhase.MOON:
            shooter = model.moon_shooter(state)
            return Sentence("hearts.phase.moon", () if shooter is None else _who(state, shooter))
        case HeartsPhase.OVER if len(state.winners) == 1:
            return Sentence("hearts.phase.won", _who(state, state.winners[0]))
    return Sentence("hearts.phase.won.several" if state.winners else "hearts.phase.over")


def _hint(state: HeartsState) -> Sentence | None:
    match state.phase:
        case HeartsPhase.PASS:
            return Sentence("hearts.hint.pass", (("number", state.deal),))
        case HeartsPhase.PLAY if state.checks:
            return Sentence("hearts.hint.check")
        case HeartsPhase.MOON:
            return Sentence("hearts.hint.moon")
        case HeartsPhase.PLAY:
            return Sentence("hearts.hint.twice" if state.twice else "hearts.hint.play")
    return None


def _who(state: HeartsState, seat: Seat) -> SentenceParts:
    return (("chair", state.chair_of(seat)),)


def _suit(card: Card) -> str:
    return VALUES[card].partition("|")[0]


def _named(key: str, card: str) -> Sentence:
    """A sentence that names a card: there is one for each suit."""
    suit, _, rank = card.partition("|")
    return Sentence(f"{key}.{suit}", (("rank", rank),)) if card in CARDS else Sentence(key)


def _lamp(rules: "Rules[Any]", state: HeartsState, seat: Seat) -> LampSignal:
    """Slow: asked. Fast: has won."""
    if state.phase is HeartsPhase.OVER:
        return LampSignal.FAST if seat in state.winners else LampSignal.DARK
    asked = any(prompt.actions[0].seat == seat for prompt in rules.prompts(state))
    return LampSignal.SLOW if asked and not state.desk.paused else LampSignal.DARK


def _tokens(state: HeartsState, seat: Seat) -> Iterator[Token]:
    """Points of the deals before, for tricks are counted after the deal."""
    yield Token("heart", motif="heart")
    yield Token("points", value=state.points[seat], chip=TokenBackground.TABLE)


def _places(state: HeartsState) -> Iterator[PlaceView]:
    """The trick with who played what; or cards that have to be looked at again, one of a seat."""
    if state.checks:
        shown = [number for seat in range(PLAYERS) if (number := state.check_of(seat)) is not None]
    else:
        start = (len(state.plays) - 1) // PLAYERS * PLAYERS
        shown = [*range(start, len(state.plays))] if state.plays else []
    is_whole = len(state.plays) % PLAYERS == 0
    for number in shown:
        seat, card = state.plays[number]
        takes = bool(state.checks) or (is_whole and seat == takers(state.rules, state.plays)[-1])
        yield PlaceView(
            region=f"{REGION}{seat}",
            card=FACES[card],
            marked=takes,
            chair=state.chair_of(seat),
            number=number % PLAYERS + 1,
            spot=ScreenArea.TRICK,
        )


def _rows(state: HeartsState) -> Iterator[tuple[Cell, ...]]:
    """Before the first trick, what the last deal brought."""
    if state.phase is HeartsPhase.PASS and state.scored:
        yield tuple(
            Cell(chair=state.chair_of(seat), value=f"{points:+d}", lit=points == min(state.scored))
            for seat, points in enumerate(state.scored)
        )


def _fields(state: HeartsState) -> Iterator[RepairField]:
    if state.phase is HeartsPhase.OVER:
        return
    yield RepairField("deal", "hearts.field.deal", state.deal, tuple(range(1, model.MOST_DEALS + 1)))
    counts = tuple(range(model.FEWEST_POINTS, state.options.target))
    for seat, points in enumerate(state.points):
        yield RepairField(f"points:{seat}", "hearts.field.points", points, counts, state.chair_of(seat))


def label(rules: "Rules[Any]", state: HeartsState, action: Action) -> Sentence:
    if action.has_two_steps:
        return _named("hearts.card", str(action.value))
    return Sentence(f"hearts.do.{action.verb}")


def first_label(rules: "Rules[Any]", state: HeartsState, action: Action) -> Sentence:
    suit = str(action.parts[0])
    return Sentence(f"hearts.suit.{suit}", (("suit", suit),))


def sentence_key(event: Event) -> str | None:
    match event:
        case CardPlayed():
            return _named("hearts.CardPlayed", event.card).key
        case model.HeartsGameWon() if len(event.seats) > 1:
            return "hearts.GameWon.several"
    return None


def sentence_parts(state: HeartsState, event: Event, parts: SentenceParts) -> SentenceParts:
    """The named parts of a ruling; `parts` are those that every game names."""
    match event:
        case CardPlayed():
            return (*parts, *_named("", event.card).parts)
        case model.HeartsGameWon() if len(event.seats) == 1:
            return _who(state, event.seats[0])
    return parts


def restore_instructions(
    rules: "Rules[Any]", later: HeartsState, earlier: HeartsState
) -> tuple[Sentence, ...]:
    """A card goes back into its hand; a whole deal is laid back as it was."""
    if later.deal != earlier.deal:
        return (Sentence("hearts.back.deal"),)
    return (Sentence("hearts.back.card"),) if len(later.plays) > len(earlier.plays) else ()


def follow_up_sentences(rules: "Rules[Any]", state: HeartsState, event: Event) -> tuple[Sentence, ...]:
    """After a deal, who has the fewest points."""
    if not isinstance(event, model.DealScored) or rules.outcome(state) is not None:
        return ()
    fewest = [seat for seat, points in enumerate(state.points) if points == min(state.points)]
    alone = len(fewest) == 1
    return (Sentence("hearts.leads", _who(state, fewest[0])) if alone else Sentence("hearts.leads.several"),)
