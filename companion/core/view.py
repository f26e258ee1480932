"""Public view of a game and the board it is shown on, the only form in which anything leaves its state.

Screen, lamps, voice and log are made from these values. They hold catalogue keys and numbers, never
sentences, so the language can change at any time. No hidden card may influence any of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from companion.core.actions import Action, Chair, Cue, Micros, Outcome, Seat, Value


class CardMove(StrEnum):
    """What a choice does with a card, for the picture in the middle of the screen."""

    NONE = ""
    TO_ASKED = "to_asked"
    """A card moves from another player to the one who is asked."""
    TO_OTHER = "to_other"
    """A card moves away from the player who is asked."""
    SETS = "sets"
    """Something is placed on a BOT deck."""
    LOOKS = "looks"
    """A player looks at a BOT deck."""
    TURNS = "turns"
    """Something else is done with a BOT deck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairableItem:
    """Something that players or BOT decks have on the table and a repair can set."""

    name: str
    """Its name in `TableDeclared`, followed by a colon and the seat unless `only_one`."""
    kind: str
    """`Token.kind`."""
    motif: str
    max_count: int = 1
    only_one: bool = False
    """Whether exactly one player has it; the value is then the seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairablePairs:
    """Pairs of cards in numbered places, which a repair can set."""

    owned: str
    """Name of the numbers a seat has laid, joined by commas; a colon and the seat follow it."""
    place: str
    """Name of the number in a place; a colon and the place follow it."""


SoundEffect = Literal["card", "flip", "slide", "wood", "coin", "knock", "gong", "chime", "win"]
"""A card that is laid, turned, or slides; a token on wood; a coin; no; look here; well done; the winner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """How a game is presented; every field has a default."""

    title: str = ""
    """The title as other programs write it; empty: the name with a capital letter."""
    urgent_events: frozenset[str] = frozenset()
    """Events that are spoken first and never dropped: by class name, or as their sentence's key goes on."""
    quiet_events: frozenset[str] = frozenset()
    """Events that are spoken only where all is: who sits at the table sees or says them. By class name."""
    headline_events: frozenset[str] = frozenset()
    """Events that fill the headline as a broken rule does, but not in red."""
    good_news_events: frozenset[str] = frozenset()
    """Events announced on a bright background: good news."""
    event_sounds: Mapping[str, SoundEffect] = field(default_factory=dict)
    """What events sound like, beside the voice: by class name."""
    full_screen_words: Mapping[str, str] = field(default_factory=dict)
    """Events about one chair that fill the screen for a moment: class name → the word of the verdict."""
    steps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What sentences ask of people, one thing after another: key after the game's name → the ends of the keys
    `<game>.step.<end>`. Where these steps are shown, the sentence itself is told as `<key>.shown`."""
    verb_moves: Mapping[str, CardMove] = field(default_factory=dict)
    """What each verb does with a card."""
    ending_verbs: frozenset[str] = frozenset()
    """Verbs under More that are asked about once more, for nothing is played after them."""
    second_pictures: Mapping[str, str] = field(default_factory=dict)
    """Verbs of choices in two steps → motif of the second value, before a colon and the value."""
    repairable_items: tuple[RepairableItem, ...] = ()
    """What a repair can set for each player and BOT deck, if the view has no `fields`."""
    repairable_pairs: RepairablePairs | None = None
    fully_tracked_places: frozenset[str] = frozenset()
    """Kinds of place where every card matters, not only the top one: the name before the colon."""
    score_kind: str = ""
    """The kind of token whose number is a player's score; empty: the game has none."""
    low_score_wins: bool = False
    hand_back: str = ""
    """The back of the cards that people hold, as a card's name."""
    oriented_cards: frozenset[str] = frozenset()
    """Kinds of card whose orientation matters."""
    sentence_pictures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The cards and motifs shown with a sentence, by the last word of its key, by a part (`label`) or by both
    (`turn.value`). In a card such as `object:{}` the part is filled in. By `why.` and a reason: what comes
    after the sentence's own cards, one for each further part of the reason; `place:{slot}` is what lies
    there."""
    option_pictures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Motif → the house rules that are shown with it; all others with cards."""
    verb_pictures: Mapping[str, str] = field(default_factory=dict)
    """Verbs → the motif shown with them, where an action is one of several in words."""
    card_name_prefixes: Mapping[str, str] = field(default_factory=dict)
    """Kinds of card with individual names → prefix of the catalogue keys of those names."""


class ViewMode(StrEnum):
    """How much of what was ever public a view may show."""

    PLAY = "play"
    OPEN = "open"
    """Lessons and recaps: whatever was public at some time may be shown again."""


class LampSignal(StrEnum):
    """What a chair's lamp does; whether a blinking lamp is on is a function of the time, not of a thread."""

    DARK = "dark"
    LIT = "lit"
    SLOW = "slow"
    FAST = "fast"


SentenceParts = tuple[tuple[str, str | int], ...]
"""The named parts of a sentence, in order."""


class Sentence(Value, frozen=True):
    """A sentence in no particular language: a catalogue key and its named parts.

    A part's name says how it is rendered: `chair` as a player's name (spoken: colour), `bot` as a BOT deck's,
    `many` as a number in words, `ms` with the language's decimal mark; a number called `count`, `left` or
    `cards` decides between singular and plural.
    """

    key: str
    parts: SentenceParts = ()

    @property
    def event(self) -> str:
        """The class name of the event it is about: the second part of the key."""
        return self.key.split(".")[1] if "." in self.key else ""


class SetupPicture(Value, frozen=True):
    """What one step of setting up a game looks like: cards are named as everywhere, tokens by their motif."""

    piles: tuple[str, ...] = ()
    """The upmost card of each pile that is shuffled."""
    each: tuple[str, ...] = ()
    """What everybody gets, one after another; an empty one is a place for cards."""
    laid: tuple[str, ...] = ()
    """Cards in the order of their places, clockwise from the top left."""
    middle: tuple[str, ...] = ()
    """What lies in the middle of it."""
    boxed: tuple[str, ...] = ()
    """Cards that go into the box."""


class TokenBackground(StrEnum):
    """The background of a token that is drawn as a small card with its value on it."""

    NONE = ""
    """Not a card: its picture alone."""
    PAPER = "paper"
    WORN = "worn"
    """Greyer than `PAPER`: a card that is out of play."""
    TABLE = "table"
    GOLD = "gold"


class Token(Value, frozen=True):
    """Something a player has in front of them, such as a stack of chips or a pair."""

    kind: str
    count: int = 1
    value: str | int | None = None
    motif: str = ""
    """Its picture: the name of a deck's `[[token]]` or of a sign in `companion.ui.toolkit.icons`; empty:
    `kind` is the name. An unknown name is drawn as a plain counter.
    """
    chip: TokenBackground = TokenBackground.NONE
    said: Sentence | None = None
    """What its chip says instead of `value`."""


class Choice(Value, frozen=True):
    """One action a chair can take now, and the press that takes it or leads to it (`press`, `tap`, `hold`).

    Empty: it is in the half that was not taken (`companion.core.button_choices`).
    """

    action: Action
    label: Sentence
    press: str
    marked: bool = False
    """Whether stepping through the list has reached this choice, or its row."""
    first: Sentence | None = None
    """Of a choice in two steps, what its first step is called; choices with the same one are a row."""
    move: CardMove = CardMove.NONE
    """What the action does with a card."""
    region: str = ""
    """The place on the screen that can be touched to choose it."""
    card: str = ""
    """The card that this choice declares to be in `region`."""


class ClockView(Value, frozen=True):
    """Time that is drawn and told as it passes: a function of the instant, for nothing is ruled meanwhile."""

    reading: Micros
    """What it shows while it stands, or showed at `since`."""
    since: Micros | None = None
    """From when on it runs, in game time; None: it stands."""
    whole: Micros = 0
    """The time there was at first, which runs down; 0: time is counted up."""
    words: str = ""
    """Catalogue key of what it is, such as a bank."""

    def read(self, now: Micros) -> Micros:
        """What it shows at `now`; never less than nothing."""
        gone = 0 if self.since is None else max(0, now - self.since)
        return max(0, self.reading - gone) if self.whole else self.reading + gone


class Cell(Value, frozen=True):
    """One thing in the middle of a table without cards, and what is said of it."""

    chair: Chair | None = None
    motif: str = ""
    """Its picture, as in `Token`."""
    words: Sentence | None = None
    value: str | int | None = None
    """A number or a name, larger than words."""
    lit: bool = False
    """Whether it is what counts: it is larger, and in gold."""
    clock: ClockView | None = None
    """A clock fills its row."""


class ChairView(Value, frozen=True):
    """One player: hand, tokens, lamp and choices."""

    chair: Chair
    seat: Seat
    lamp: LampSignal
    cards: int
    """Number of cards in hand, which the public can count."""
    tokens: tuple[Token, ...] = ()
    laid: tuple[Token, ...] = ()
    """Those of the `tokens` that are on the table, drawn as they look. The motif `number:3` is a card."""
    raised: bool = False
    """Whether the player has raised a hand."""
    asked: bool = False
    """Whether the player has to do something now."""
    choices: tuple[Choice, ...] = ()
    note: Sentence | None = None
    """What became of the last press, written on the player's plate."""
    clock: ClockView | None = None


class BotView(Value, frozen=True):
    """A BOT deck: a hand without a player."""

    seat: Seat
    owner: Chair | None
    """The player it belongs to, if any."""
    cards: int
    tokens: tuple[Token, ...] = ()
    aid: str = ""
    """Which side of the aid card on it is up, `up` or `down`; empty: no aid card."""
    asked: bool = False
    """Whether a player has to do something with it now."""
    says: Sentence | None = None
    """The instruction written on it: what has to be done with it."""


class ScreenArea(StrEnum):
    """The part of the screen in which a place is drawn. The page for phones knows it by the value."""

    ROWS = ""
    """In rows, in the order of the view."""
    RING = "ring"
    """In the ring round the middle, at `PlaceView.number`."""
    STACK = "row"
    """In the row of stacks, at `PlaceView.number`."""
    SHOWN = "open"
    """Above the stacks: a card of the stack being checked."""
    DECK = "deck"
    HAND = "held"
    """The card being held up."""
    TRICK = "trick"
    """Before its player in the middle, as `PlaceView.number` in order of play; the marked one takes it."""


VALUE_ONLY_PREFIX = "value:"
"""Prefix of a card of which only the value is known."""


class PlaceView(Value, frozen=True):
    """One region of the table and what may be shown of it."""

    region: str
    card: str
    """`back:…`, `value:…` (announced, not seen), a face that is open, or empty."""
    on_top: tuple[str, ...] = ()
    marked: bool = False
    """Whether a player is asked to act here."""
    chair: Chair | None = None
    """The player in front of whom it is; None: in the middle."""
    number: int = 0
    """Distinguishes several places of one player, or of one spot."""
    active: bool = False
    """Whether this turn is played here."""
    spot: ScreenArea = ScreenArea.ROWS


class TokenHeap(Value, frozen=True):
    """Tokens in the middle that belong to no player."""

    words: str
    """Catalogue key of what they are."""
    kind: str
    """Their motif, as in `Token`."""
    count: int


class CountView(Value, frozen=True):
    """A timed window such as a count, drawn as a ring."""

    first_beat: Micros | None
    """Game time in microseconds; None until the cue is heard."""
    beats: int
    """Beats, one second apart, until the window closes."""
    number: int
    """The number that was announced, written in the ring."""


class RepairField(Value, frozen=True):
    """One value that a repair may set so that the program agrees with the table again."""

    name: str
    """Its name in `TableDeclared`."""
    words: str
    """Catalogue key of what it is."""
    value: int
    choices: tuple[int, ...]
    chair: Chair | None = None
    """The player it belongs to, if any."""
    seats: bool = False
    """Whether the value is a seat."""


TableValues = tuple[tuple[str, str | int], ...]
"""Names and values, as in `TableDeclared`."""


class View(Value, frozen=True):
    """Everything the screen and the lamps need."""

    game: str
    phase: str
    headline: Sentence
    hint: Sentence | None
    chairs: tuple[ChairView, ...]
    places: tuple[PlaceView, ...]
    card: str = ""
    """The card the players are asked about. It is drawn large unless something else fills the middle."""
    card_region: str = ""
    """The region of `card`, if it is in one."""
    heaps: tuple[TokenHeap, ...] = ()
    """What can be won; drawn large."""
    rows: tuple[tuple[Cell, ...], ...] = ()
    """The middle of a table without cards and mat, from top to bottom."""
    extras: tuple[Choice, ...] = ()
    """What may be done at any time, which no button offers (`GameRules.menu_verbs`)."""
    decided: tuple[str, ...] = ()
    """The cards that decided the round or game that has just ended."""
    bots: tuple[BotView, ...] = ()
    """BOT decks."""
    shared: tuple[Choice, ...] = ()
    """What the shared buttons do now; `press` is `back`, `next` or `ok`."""
    count: CountView | None = None
    cue: Cue | None = None
    fields: tuple[RepairField, ...] = ()
    """What a repair may change, field by field."""
    table: TableValues = ()
    """What a repair may change in games whose `Board` has `held` and `pairs`; `fields` is empty then."""
    dark: bool = False
    """Camera preview, evidence and captions are off while a player shows a hand to the camera."""
    paused: bool = False
    by_hand: bool = False
    """There is no camera: what is on the table is declared by hand."""
    outcome: Outcome | None = None

    def cards_in(self, region: str) -> tuple[str, ...]:
        """What lies in a region, as far as it may be shown; empty where nothing does."""
        here = next(((one.card, *one.on_top) for one in self.places if one.region == region), ())
        return tuple(filter(None, here or (self.card if region == self.card_region else "",)))


def token_owners(view: View) -> tuple[ChairView | BotView, ...]:
    """Everything that can own tokens and pairs: players and BOT decks."""
    return (*view.chairs, *view.bots)


def repairable_values(view: View) -> TableValues:
    """The table as the referee believes it to be, where a repair starts; empty: nothing can be repaired."""
    return tuple((field.name, field.value) for field in view.fields) or view.table


STEP_CHANGE_GRACE: Micros = 300_000
"""A press within this time, in microseconds, after a lesson's step changed was meant for the step before."""


class WatchProgress(Value, frozen=True):
    """How far the moves of others are that somebody watches: how many of how many, and when the next is."""

    done: int
    moves: int
    since: Micros = 0
    """When the next move could be made, in microseconds; with `until` 0 while it cannot be made yet."""
    until: Micros = 0

    def share_at(self, now: Micros) -> float:
        """How much of it is over at `now` (µs), from 0 to 1."""
        part = (now - self.since) / (self.until - self.since) if self.until > self.since else 0.0
        return min(1.0, (self.done + min(1.0, max(0.0, part))) / self.moves)


class Guidance(Value, frozen=True):
    """What a lesson, a hint or the practice coach shows now, beside the game or instead of it."""

    kind: str
    """`lay`, `say`, `quiz`, `wait`, `wrong`, `well`, `round`, `over`, `done`; or `note`, `warn`, `practice`;
    or `held`: a round of practice is over, and everybody waits until that was read.
    """
    title: Sentence
    say: Sentence
    step: int
    steps: int
    chair: Chair
    """The player being taught."""
    note: Sentence | None = None
    """The comment on what was just done."""
    good: bool = True
    """Whether that was right: the comment's colour."""
    answers: tuple[Sentence, ...] = ()
    """Answers of a question, or what the tapped cards and the tapped place make."""
    answer_cards: tuple[tuple[str, ...], ...] = ()
    """What each answer of a question names, as pictures: cards, `seat:` and a chair, `figure:` and a number,
    or the name of a token; empty: words are enough."""
    pictures: tuple[tuple[str, ...], ...] = ()
    """What is said, as groups of such pictures."""
    mistaken: frozenset[int] = frozenset()
    """The wrong answers that were given, from 1."""
    right: int = 0
    """The right answer, from 1, once it was given; 0: it was not."""
    chooses: bool = False
    """Whether cards of the hand are to be tapped now."""
    possible: tuple[Action, ...] = ()
    """What the player can do now, in practice, with this hand."""
    forced: Sentence | None = None
    """What the table did last for the player, in practice, because there was no choice."""
    headline: Sentence | None = None
    """In practice, what whoever is asked does now, where the table's own headline does not fit."""
    table: View | None = None
    """In practice, the table in place of the game's own, from which the last round is gathered in."""
    results: tuple[Sentence, ...] = ()
    """Who won what of the round that is over, in practice."""
    touch_verb: str = ""
    """What touching a place on the table does, and no button; empty: nothing."""
    tapped: tuple[int, ...] = ()
    """The cards that were tapped, by their place in the hand."""
    tapped_region: str = ""
    """The place on the table, or the one of `picks`, that was tapped."""
    useless: bool = False
    """Whether nothing can be made of what was tapped, whatever is tapped besides."""
    picks: tuple[str, ...] = ()
    """Cards beside the hand that may be tapped as well: what is in no hand, and chosen by its picture."""
    lay: tuple[tuple[str, Chair | None, tuple[str, ...]], ...] = ()
    """The cards to lay out, or those that are known: place, player or None, cards."""
    misplaced: tuple[str, ...] = ()
    """Places where the camera sees cards other than those of `lay`."""
    seen: bool = False
    """Whether the camera sees every card of `lay` in its place."""
    back: tuple[Sentence, ...] = ()
    """What has to be put back on the table first; on the open table, who is known to hold what."""
    learned: tuple[tuple[Sentence, tuple[str, ...]], ...] = ()
    """At the end of a lesson: what was done in it, in words and as pictures."""
    next_lesson: str = ""
    """At the end of a lesson: another that may follow."""
    practised: bool = False
    """At the end of a lesson: whether its game can be practised."""
    watched: WatchProgress | None = None
    """How far the others are, while the learner only watches."""
    shows: bool = False
    """Whether the lesson can demonstrate the action."""
    begun: bool = False
    """Whether anything has happened since the lesson waits, so that one may want to begin it again."""
    since: Micros = 0
    """When this step began, in microseconds; see `STEP_CHANGE_GRACE`."""

    @property
    def accepts_play(self) -> bool:
        """Whether presses and cards go to the game now."""
        return self.kind in {"wait", "round", "note", "warn", "practice"}

    @property
    def is_lesson(self) -> bool:
        """Whether a lesson speaks, rather than a hint or practice."""
        return self.steps > 0 and self.kind != "practice"

    @property
    def shows_game(self) -> bool:
        """Whether the game is visible, as also after a mistake and at the end of a lesson's round."""
        if self.kind == "well":
            return not (self.right or self.pictures)
        return self.accepts_play or self.kind in {"wrong", "over"}
