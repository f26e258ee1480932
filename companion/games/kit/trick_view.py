"""What everybody sees of a game of tricks: the trick, cards to be looked at again, and a proved revoke."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from companion.core.actions import Action, Seat
from companion.core.events import Event
from companion.core.exhibits import ShownTrick, TrickProof
from companion.core.rules import Rules
from companion.core.view import (
    LampSignal,
    PlaceView,
    RepairField,
    ScreenArea,
    Sentence,
    SentenceParts,
    SoundEffect,
    Token,
    TokenBackground,
)
from companion.games.kit.cards import CARDS, FACES, SUITS, VALUES, Card
from companion.games.kit.trick_camera import REGION
from companion.games.kit.trick_table import CardPlayed, RevokeProved, TrickState
from companion.games.kit.tricks import led_card, takers

URGENT_EVENTS = frozenset(
    {
        *("CardTwice", "CardUnread", "TrickSwept", "CardsDisagree", "CheckAsked", "RevokeProved"),
        *("MisdealFound", "RestClaimed", "RevokesUndecided"),
    }
)
QUIET_EVENTS = frozenset({"CardPlayed", "CardConfirmed"})
HEADLINE_EVENTS = frozenset({"CardTwice", "CardsDisagree", "RevokeProved", "DealVoided", "MisdealFound"})
EVENT_SOUNDS: Mapping[str, SoundEffect] = MappingProxyType(
    {
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
        "RestClaimed": "card",
        "RevokesUndecided": "knock",
    }
)
SENTENCE_PICTURES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"suit": ("suit:{}",), **{f"{suit}.rank": (f"{suit}:{{}}",) for suit in SUITS}}
)
"""As in a `Board`, of what all games of tricks tell."""


def suit_of(card: Card) -> str:
    """`spades` of the queen of spades."""
    return VALUES[card].partition("|")[0]


def card_sentence(key: str, card: str) -> Sentence:
    """A sentence that names a card: there is one for each suit."""
    suit, _, rank = card.partition("|")
    return Sentence(f"{key}.{suit}", (("rank", rank),)) if card in CARDS else Sentence(key)


def chair_part(state: TrickState, seat: Seat) -> SentenceParts:
    return (("chair", state.chair_of(seat)),)


def trick_phase(state: TrickState) -> str:
    """What the phase is called in a view."""
    return "check" if state.checks else "claim" if state.is_claimed else state.phase


def trick_headline(game: str, state: TrickState) -> Sentence:
    """Who takes the rest, has to check a card, leads, or has to follow which suit."""
    if state.claimed is not None:
        return Sentence(f"{game}.phase.claim", chair_part(state, state.claimed))
    if state.checks:
        number = state.checks[0]
        who = chair_part(state, state.plays[number].seat)
        return Sentence(f"{game}.phase.check", (*who, ("trick", state.trick_of(number))))
    led = led_card(state.rules, state.plays, len(state.plays))
    if led is None:
        return Sentence(f"{game}.phase.lead", chair_part(state, state.seat))
    suit = suit_of(state.rules.shown_suit(led))
    word = f"follow.{suit}" if suit == suit_of(led) else f"follow.{suit}.bower"
    return Sentence(f"{game}.phase.{word}", chair_part(state, state.seat))


def trick_hint(game: str, state: TrickState) -> Sentence | None:
    """How a claim or a card is checked, or a card is told again or played; or what stays open in the end."""
    if state.phase != "play":
        return Sentence(f"{game}.hint.undecided") if state.is_undecided else None
    if state.is_claimed:
        return Sentence(f"{game}.hint.claim")
    return Sentence(f"{game}.hint.{'check' if state.checks else 'twice' if state.twice else 'play'}")


def repair_fields(game: str, state: TrickState) -> tuple[RepairField, ...]:
    """What can be put right as long as nobody has won."""
    if state.phase == "over":
        return ()
    deals = tuple(range(1, state.most_deals + 1))
    return (
        RepairField("deal", f"{game}.field.deal", state.deal, deals),
        *(
            RepairField(
                f"{field}:{number}",
                f"{game}.field.{field}",
                getattr(state, field)[number],
                tuple(values),
                state.chair_of(number),
            )
            for number in range(len(state.points))
            for field, values in state.limits.items()
        ),
    )


def points_tokens(points: int) -> tuple[Token, Token]:
    """What a side has, behind a wreath: beside tricks and bids a bare number says nothing."""
    return Token("wreath", motif="wreath"), Token("points", value=points, chip=TokenBackground.TABLE)


def trick_lamps(rules: Rules[Any], state: TrickState) -> list[LampSignal]:
    """By seat. Slow: asked. Fast: has won."""
    if rules.outcome(state) is not None:
        return [
            LampSignal.FAST if seat in state.winners else LampSignal.DARK for seat in range(state.players)
        ]
    asked = rules.asked_chairs(state)
    return [LampSignal.SLOW if chair in asked else LampSignal.DARK for chair in state.setup.chairs]


def trick_places(state: TrickState) -> Iterator[PlaceView]:
    """The trick with who played what; or cards that have to be looked at again, one of a seat."""
    size = state.rules.trick_size
    start = max(len(state.plays) - 1, 0) // size * size
    checks = [number for seat in range(state.players) if (number := state.check_of(seat)) is not None]
    is_whole = len(state.plays) % size == 0
    for number in checks or range(start, len(state.plays)):
        seat, card = state.plays[number]
        yield PlaceView(
            region=f"{REGION}{seat}",
            card=FACES[card],
            marked=bool(checks) or (is_whole and seat == takers(state.rules, state.plays)[-1]),
            chair=state.chair_of(seat),
            number=number % size + 1,
            spot=ScreenArea.TRICK,
        )


def card_label(game: str, action: Action) -> Sentence | None:
    """What a choice of a card is called; None: another choice."""
    return card_sentence(f"{game}.card", str(action.value)) if action.has_two_steps else None


def verb_label(game: str, state: TrickState, action: Action) -> Sentence:
    """What any other choice is called; a claim stands in the menu, so it says whose it is."""
    is_claim = action.verb == "claim" and action.seat in range(state.players)
    who = chair_part(state, action.seat) if is_claim else ()
    return Sentence(f"{game}.do.{action.verb}", who)


def suit_label(game: str, action: Action) -> Sentence:
    suit = str(action.parts[0])
    return Sentence(f"{game}.suit.{suit}", (("suit", suit),))


def played_key(game: str, event: Event) -> str | None:
    """The sentence's key of a card that was played; None of anything else."""
    return card_sentence(f"{game}.CardPlayed", event.card).key if isinstance(event, CardPlayed) else None


def played_parts(event: Event) -> SentenceParts:
    """What the sentence of a card that was played says besides who played it."""
    return card_sentence("", event.card).parts if isinstance(event, CardPlayed) else ()


def instructions_back(game: str, later: TrickState, earlier: TrickState) -> tuple[Sentence, ...]:
    """A card goes back into its hand; a whole deal is laid back as it was."""
    if later.deal != earlier.deal:
        return (Sentence(f"{game}.back.deal"),)
    return (Sentence(f"{game}.back.card"),) if len(later.plays) > len(earlier.plays) else ()


def trick_proof(game: str, state: TrickState, standing: Iterable[Any]) -> TrickProof | None:
    """The two tricks of a revoke, if it was proved last."""
    newest: Iterable[Any] = next((entry.events for entry in standing), ())
    proved = next((event for event in newest if isinstance(event, RevokeProved)), None)
    if proved is None or not state.plays:
        return None
    broken = state.play_in(proved.trick, proved.seat)
    proof = state.play_in(proved.proof, proved.seat)
    suit = suit_of(state.rules.shown_suit(state.plays[proof].card))
    return TrickProof(
        broken=_shown_trick(game, state, broken, Sentence(f"{game}.proof.none.{suit}")),
        proof=_shown_trick(game, state, proof, Sentence(f"{game}.proof.one.{suit}")),
        follows=Sentence(f"{game}.proof.{state.options.revoke}"),
    )


def _shown_trick(game: str, state: TrickState, number: int, says: Sentence) -> ShownTrick:
    """The whole trick of a play, as far as it was played."""
    first = number - number % state.rules.trick_size
    trick = state.plays[first : first + state.rules.trick_size]
    led = suit_of(state.rules.shown_suit(state.plays[first].card))
    title = Sentence(f"{game}.proof.trick.{led}", (("trick", state.trick_of(number)),))
    cards = tuple((state.chair_of(play.seat), FACES[play.card]) for play in trick)
    return ShownTrick(title, cards, state.chair_of(state.plays[number].seat), says)
