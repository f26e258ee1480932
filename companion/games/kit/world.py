"""People of a simulated game, as the driver that acts for them sees them.

A `World` has the hidden truth of one game; `WorldBase` is what most of them share, `Opponents` what practice
asks of computer opponents besides.
"""

import random
from collections.abc import Collection, Hashable, Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from companion.core.actions import SECOND, Action, Chair, Micros, Prompt, Seat, Value
from companion.core.events import Event, Infraction
from companion.core.game_status import GameState
from companion.core.rules import Rules
from companion.core.view import Sentence

S_contra = TypeVar("S_contra", bound=GameState[Any], contravariant=True)


class PlayStyle(StrEnum):
    """How a simulated person plays."""

    LAWFUL = "lawful"
    """Keeps every rule and never bluffs."""
    BLUFFING = "bluffing"
    """Lies where the rules allow lies."""
    CARELESS = "careless"
    """Means well, but is early, late and clumsy."""
    CHEATING = "cheating"
    """Breaks rules, in public and in secret."""


FAIR_STYLES = frozenset({PlayStyle.LAWFUL, PlayStyle.BLUFFING})
"""Styles that break no rule."""


class TakeAction(Value, frozen=True):
    """A person says something by button or touch."""

    chair: Chair
    action: Action
    breaks: str = ""
    """The rule this breaks in public: the referee must call it in the same step."""


class PressOwnButton(Value, frozen=True):
    """A person presses their own button, whatever it means now."""

    chair: Chair
    breaks: str = ""


CardPlace = tuple[str, tuple[str, ...]]
"""A place and the cards that lie there, lowest first."""


class ArrangeCards(Value, frozen=True):
    """A person's hand leaves these places with these cards."""

    chair: Chair
    places: tuple[CardPlace, ...]
    breaks: str = ""


SimulatedAction = TakeAction | PressOwnButton | ArrangeCards
Plan = list[tuple[Micros, SimulatedAction]]
"""Deeds, and how long after the moment they come."""


class World(Protocol[S_contra]):
    """The hidden truth of one game and the people who act on it."""

    places: dict[str, tuple[str, ...]]
    """What lies where, lowest card first."""
    hands: list[list[str]]
    """Every seat's cards, from its owner's left."""

    def decision_key(self, state: S_contra) -> Hashable:
        """A value that changes when people think again."""

    def plan(self, state: S_contra) -> Plan:
        """What people are about to do in this moment; nobody is asked while the game is paused."""

    def apply_event(self, before: S_contra, event: Event) -> None:
        """Cards change hands as the ruling says they did."""

    def find_discrepancy(self, state: S_contra) -> str | None:
        """Where the referee's counts differ from the truth."""

    def find_unjust_ruling(self, event: Event) -> str | None:
        """A ruling against somebody who kept every rule."""


class WorldBase:
    """Those who sit at a simulated table; a game's `World` says what they hold and think."""

    blaming_events: ClassVar[tuple[type[Event], ...]] = (Infraction,)
    """Rulings that hold something against a player."""
    fair_styles: ClassVar[frozenset[PlayStyle]] = FAIR_STYLES
    """Styles that never earn one."""
    patience: ClassVar[Micros] = 6 * SECOND
    """How long people wait for the camera before they say what is there."""

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[PlayStyle]) -> None:
        self.chairs = tuple(chairs)
        self.styles = tuple(styles)
        self.places: dict[str, tuple[str, ...]] = {}
        """What lies where, lowest card first."""
        self.hands: list[list[str]] = [[] for _ in self.chairs]
        """Every seat's cards, from its owner's left."""
        self._rng = rng
        self._tripped: set[tuple[int, str]] = set()
        self._faults: list[str] = []
        """Where the referee was seen to err."""

    def apply_event(self, before: Any, event: Event) -> None:
        """Cards change hands as the ruling says they did; in a game without cards nothing does."""

    def find_discrepancy(self, state: Any) -> str | None:
        """Where the referee's counts differ from the truth."""
        return self._faults.pop() if self._faults else None

    def _person_at(self, seat: Seat) -> int:
        """Which of the people sits at a seat, counted as their chairs are."""
        return seat

    def _chair_of(self, seat: Seat) -> Chair:
        return self.chairs[self._person_at(seat)]

    def _has_style(self, seat: Seat, style: PlayStyle) -> bool:
        return self.styles[self._person_at(seat)] is style

    def find_unjust_ruling(self, event: Event) -> str | None:
        """A ruling against a seat whose style is `fair`, or against nobody where no player breaks rules."""
        if not isinstance(event, self.blaming_events):
            return None
        seat = getattr(event, "seat", None)
        if seat is None:
            return (
                f"{event} at a table where nobody broke a rule" if set(self.styles) <= FAIR_STYLES else None
            )
        # A seat beyond the players' is a BOT deck's: the player who laid its aid did not know what is in it.
        person = self._person_at(seat)
        fair = person < len(self.styles) and self.styles[person] in self.fair_styles
        return f"{event} against a lawful player" if fair else None

    def _slips_now(self, state: Any, seat: Seat, style: PlayStyle, what: str, chance: float) -> bool:
        """Whether somebody of this style slips now; at most once a turn and kind of slip."""
        slip = (state.turns, what)
        if not self._has_style(seat, style) or slip in self._tripped or self._rng.random() >= chance:
            return False
        self._tripped.add(slip)
        return True

    def _plan_choice(
        self,
        seat: Seat,
        verb: str,
        low: float,
        high: float,
        value: str | int | None = None,
        *,
        breaks: str = "",
    ) -> Plan:
        """Tell a choice after `low` to `high` seconds of thinking."""
        said = TakeAction(self._chair_of(seat), Action(seat, verb, value), breaks)
        return [(thinking_time(self._rng, low, high), said)]

    def _plan_press(self, seat: Seat, low: float, high: float, breaks: str = "") -> Plan:
        """Press the own button after `low` to `high` seconds."""
        return [(thinking_time(self._rng, low, high), PressOwnButton(self._chair_of(seat), breaks))]

    def _plan_cards(self, seat: Seat, low: float, high: float, *places: CardPlace, breaks: str = "") -> Plan:
        """Leave cards in these places after `low` to `high` seconds."""
        return [(thinking_time(self._rng, low, high), ArrangeCards(self._chair_of(seat), places, breaks))]

    def _plan_fallback(self, plan: Plan, seat: Seat, verb: str, value: str | int | None = None) -> Plan:
        """A plan; what the camera does not see is said after a while, by the person who acted last."""
        delay, deed = plan[-1]
        return [*plan, (delay + self.patience, TakeAction(deed.chair, Action(seat, verb, value)))]


def split_rotation(card: str) -> tuple[str, int]:
    """A card of `World.places` and its degrees clockwise from upright for the owner: `pair:3-8@180`."""
    name, _, turn = card.partition("@")
    return name, int(turn or 0)


def after(plan: Plan, time: Micros) -> Plan:
    """The same deeds, so much later."""
    return [(delay + time, deed) for delay, deed in plan]


def thinking_time(rng: random.Random, low: float, high: float) -> Micros:
    """A moment of thinking, between `low` and `high` seconds, in whole milliseconds."""
    return round(rng.uniform(low, high) * 1000) * (SECOND // 1000)


# Computer opponents -----------------------------------------------------------------------------------------


CardPlaces = tuple[CardPlace, ...]


class Advice(NamedTuple):
    """The best choice, and why, in one sentence."""

    action: Action
    why: Sentence


class NotInHandError(ValueError):
    """A person wants to lay what is not in their hand; its one argument is the sentence for that."""

    def __init__(self, said: Sentence) -> None:
        super().__init__(said.key)
        self.sentence = said


class HandUse(NamedTuple):
    """Which cards of a hand an action needs, and which place on the table it is about."""

    size: int = 0
    cards: frozenset[int] = frozenset()
    """Places in `hand_pictures`, of which `size` are needed."""
    region: str = ""
    """The place on the table, or a card that is only pointed at; empty: none has to be named."""


class Opponents(WorldBase):
    """What a practice table asks of its people; where a game has no more to say, this is so."""

    automatic_verbs: ClassVar[frozenset[str]] = frozenset()
    """Verbs that leave no choice to somebody who keeps the rules: the table does them for the person."""
    hand_only_verbs: ClassVar[frozenset[str]] = frozenset()
    """Verbs whose choices only somebody who sees the player's own hand can make."""
    card_number_verbs: ClassVar[frozenset[str]] = frozenset()
    """Verbs whose value is the number of a card of the own hand: in a lesson the card is tapped."""
    tap_verb: ClassVar[str] = ""
    """The verb whose words `lesson.practice.tap.<verb>` ask for a tap; empty: that of the first choice."""
    card_move_verbs: ClassVar[frozenset[str]] = frozenset()
    """Verbs that a hand carries out on the table."""
    own_place_prefixes: ClassVar[tuple[str, ...]] = ()
    """Beginnings of the names of places where the person's own hand moves cards only when said."""
    result_events: ClassVar[tuple[type[Event], ...]] = ()
    """Events that say who won what of a round."""
    round_end_events: ClassVar[tuple[type[Event], ...]] = ()
    """Events with which a round is over: the table waits until the person has seen who won it."""
    suffered_events: ClassVar[tuple[type[Event], ...]] = ()
    """Events that change the person's hand because of what another did: they are told for a while."""
    most_presses: ClassVar[int | None] = None
    """Of an opponent's choice, so that nobody waits for more; None: however many it takes."""
    play_style: ClassVar[PlayStyle] = PlayStyle.LAWFUL
    """How everybody here plays."""

    def __init__(
        self, chairs: Sequence[Chair], rng: random.Random, strengths: Sequence[str], **more: Any
    ) -> None:
        super().__init__(chairs, rng, [self.play_style] * len(chairs), **more)
        self.strengths = tuple(strengths)
        self.advised_seat: Seat | None = None
        """A person's seat: it is advised, whatever its strength, and nothing is decided for it."""

    def look_into_hands(self) -> None:
        """Before anything happened everybody looks into the player's own hand."""

    def lay_out(self, layout: Mapping[str, tuple[str, ...]]) -> bool:
        """Deal what a lesson lays out, place or seat → pictures; False: here nobody plays from a hand."""
        self.hands = [list(layout.get(str(seat), ())) for seat in range(len(self.hands))]
        return all(self.hands)

    def open_cards(self) -> Mapping[str, tuple[str, ...]]:
        """What lies open after `lay_out`: place → pictures."""
        return {}

    def hand_pictures(self, state: Any, seat: Seat) -> tuple[str, ...]:
        """What somebody holds now, as pictures."""
        return tuple(self.hands[seat])

    def visible_hands(self, state: Any, seat: Seat) -> dict[Seat, tuple[str, ...]]:
        """What somebody sees of other hands, as pictures."""
        return {}

    def shown_state(self, state: Any) -> Any:
        """The game as a practice table shows it: without what was gathered in for the next round."""
        return state

    def headline(self, state: Any) -> Sentence | None:
        """What whoever is asked does now, where a real table's words do not fit practice; else None."""
        return None

    def hand_actions(self, state: Any, seat: Seat) -> list[Action]:
        """What only somebody who sees this very hand may choose."""
        return []

    def hand_use(self, state: Any, action: Action) -> HandUse:
        """What one of `hand_actions` needs of the hand and the table."""
        return HandUse()

    def tap_refusal(self, state: Any, seat: Seat, place: int) -> Sentence | None:
        """Why the card at this place of `hand_pictures` cannot be chosen now; None: the table has no more to
        say than that.
        """
        return None

    def is_possible(self, state: Any, action: Action) -> bool:
        """Whether the hand allows what the referee, who sees no hand, allows."""
        return True

    def forced_note(self, state: Any, action: Action) -> Sentence | None:
        """Why the person had no choice in an action of `automatic_verbs`; None: it tells nothing."""
        return None

    def accept_choice(self, state: Any, action: Action, cards: Collection[int] = ()) -> bool:
        """A person is about to do this with the cards at these places of `hand_pictures`; False: that hand
        cannot. Without `cards` any that fit are taken.
        """
        return False

    def places_after_move(self, state: Any, seat: Seat, verb: str, value: str) -> CardPlaces | None:
        """Where cards lie once a hand has done one of `hand_actions`; none where it cannot, None where it
        cannot yet. Raises `NotInHandError`.
        """
        return ()

    def touch_meaning(self, region: str) -> tuple[str, str] | None:
        """The verb and value that touching a place means; None: nothing."""
        return None

    def deck_owner(self, state: Any, seat: Seat) -> Seat | None:
        """Whose deck lies at a seat that no person sits on; None: nobody's."""
        return None


class LawfulPeople(Opponents):
    """Each who is asked takes one of the choices; both for a demo and for practice."""

    rules: ClassVar[Rules[Any]]
    weights: ClassVar[Mapping[str, float]] = {}
    """How often a verb is taken, beside 1 for others, however many values it has."""
    near: ClassVar[float] = 1.0
    """How likely each further value of a verb is beside the one before; 1: all alike."""
    pace: ClassVar[tuple[float, float]] = (1.5, 4.0)
    """How long they think, in seconds."""

    def decision_key(self, state: Any) -> Hashable:
        return self.rules.prompts(state), state

    def plan(self, state: Any) -> Plan:
        return [
            (thinking_time(self._rng, *self.pace), TakeAction(prompt.chair, self._pick(prompt)))
            for prompt in self.rules.prompts(state)
        ]

    def _pick(self, prompt: Prompt) -> Action:
        values = dict[str, list[Action]]()
        for action in prompt.actions:
            values.setdefault(action.verb, []).append(action)
        (verb,) = self._rng.choices(list(values), [self.weights.get(verb, 1.0) for verb in values])
        falling = [self.near**place for place in range(len(values[verb]))]
        return self._rng.choices(values[verb], falling)[0]

    def advice(self, state: Any, seat: int) -> Advice | None:
        """What these people do most often; they know no better."""
        asked = next((prompt for prompt in self.rules.prompts(state) if prompt.actions[0].seat == seat), None)
        if asked is None:
            return None
        best = max(asked.actions, key=lambda action: self.weights.get(action.verb, 1.0))
        return Advice(best, Sentence("lesson.hint.free"))


HandUses = Sequence[tuple[Action, HandUse]]
"""What may be done with a hand, and what each needs of it."""


class TappedCards:
    """Cards of a hand, by their place in it, and a place on the table (`region`; empty: none)."""

    def __init__(self) -> None:
        self.cards: frozenset[int] = frozenset()
        self.region = ""

    def clear(self) -> None:
        """Nothing is tapped."""
        self.cards, self.region = frozenset(), ""

    def fitting_actions(self, uses: HandUses) -> list[Action]:
        """What the tapped cards and the tapped place make."""
        return [
            action
            for action, use in uses
            if self.cards <= use.cards and len(self.cards) == use.size and self.region == use.region
        ]

    def leads_on(self, uses: HandUses) -> bool:
        """Whether something can be made of the tapped cards and the tapped place, by further taps too."""
        return _leads_on(self.cards, self.region, uses)

    def tap(self, card: int | None, region: str, uses: HandUses) -> None:
        """A card, or a place, was tapped: it goes with what was tapped before if they lead to an action.

        A second tap takes it away again.
        """
        if card in self.cards:
            self.cards -= {card}
        elif region and region == self.region:
            self.region = ""
        else:
            new = self.cards if card is None else self.cards | {card}
            alone = frozenset() if card is None else frozenset({card})
            tries = [(new, region or self.region), (new, region), (alone, region or self.region)]
            self.cards, self.region = next((way for way in tries if _leads_on(*way, uses)), (alone, region))


def _leads_on(cards: frozenset[int], region: str, uses: HandUses) -> bool:
    """Whether there is an action that needs these cards, or more, and no other place."""
    return any(
        cards <= use.cards and len(cards) <= use.size and region in {"", use.region} for _, use in uses
    )
