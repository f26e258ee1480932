"""What the table may be told now: the only way out of a game's state.

Screen, lamps, voice and log are drawn from these values. They hold keys and numbers, never sentences, so the
language may change at any moment. Nothing that lies hidden may change any of them.
"""

from __future__ import annotations

from enum import StrEnum

from companion.core.actions import Action, Chair, Cue, Micros, Outcome, Seat, Value
from companion.core.board import Move


class Mode(StrEnum):
    """Which circle of knowledge a view may draw on."""

    PLAY = "play"
    OPEN = "open"
    """Lessons and recap: what was public at any time may be shown again."""


class Lamp(StrEnum):
    """What a chair's lamp does; blinking is drawn at a time, never timed by a thread."""

    DARK = "dark"
    LIT = "lit"
    SLOW = "slow"
    FAST = "fast"


class Sentence(Value, frozen=True):
    """A sentence to be said in any language: `key` of the catalogue and its named parts.

    Part names say how a value is told: `chair` by colour, `number`, `label`, `slot`, `count`, `seat`-less.
    """

    key: str
    parts: tuple[tuple[str, str | int], ...] = ()

    @property
    def event(self) -> str:
        """The class name of the event it tells of, however many versions of it there are."""
        return self.key.split(".")[1] if "." in self.key else ""


class Chip(StrEnum):
    """The ground of a token that is a small card with its value on it."""

    NONE = ""
    """It is no card but a picture."""
    PAPER = "paper"
    WORN = "worn"
    TABLE = "table"
    GOLD = "gold"


class Token(Value, frozen=True):
    """Something a chair has in front of it."""

    kind: str
    count: int = 1
    value: str | int | None = None
    motif: str = ""
    """Its picture, by the name of a deck's `[[token]]` or of `companion.ui.signs`; empty: the one that is
    called as its kind. Any other name is drawn as a plain counter."""
    chip: Chip = Chip.NONE


class Choice(Value, frozen=True):
    """One thing a chair can do now, and the press that does it (`press`, `tap`, `hold`)."""

    action: Action
    label: Sentence
    press: str
    marked: bool = False
    """Whether the mark of the step-through list stands here."""
    move: Move = Move.NONE
    """What it does with a card."""
    region: str = ""
    """The place that is touched to say it."""
    card: str = ""
    """The card that is said to lie there."""


class ChairView(Value, frozen=True):
    """One person's place."""

    chair: Chair
    seat: Seat
    lamp: Lamp
    cards: int
    """Size of the hand, public by arithmetic."""
    tokens: tuple[Token, ...] = ()
    laid: tuple[Token, ...] = ()
    """Of what `tokens` tells, what lies on the table before them, as it looks there: by the same kind. A
    motif such as `number:3` is a card."""
    raised: bool = False
    asked: bool = False
    choices: tuple[Choice, ...] = ()
    note: Sentence | None = None


class BotView(Value, frozen=True):
    """A deck that nobody holds."""

    seat: Seat
    owner: Chair | None
    """Whose it is; None: nobody's."""
    cards: int
    tokens: tuple[Token, ...] = ()
    aid: str = ""
    """`up` or `down`: the face of the aid that lies on it; empty while none is laid."""
    asked: bool = False
    """Whether somebody has to do something with it now."""
    says: Sentence | None = None
    """What is done with it now."""


class Spot(StrEnum):
    """Where on the screen a place is drawn."""

    ROWS = ""
    """Row by row, in the order of the view."""
    RING = "ring"
    """In the ring round the middle, by its number."""
    STACK = "row"
    """In the row of stacks, by its number."""
    SHOWN = "open"
    """Above the stacks: a card of the stack that is checked."""
    DECK = "deck"
    HAND = "held"
    """The card that is held up."""


SAID_ONLY = "value:"
"""Prefix of a card that is known by its value alone."""


class PlaceView(Value, frozen=True):
    """One region of the table: what may be told of it now."""

    region: str
    card: str
    """`back:…`, a value that was only said, a face that lies open, or empty."""
    on_top: tuple[str, ...] = ()
    marked: bool = False
    """Whether somebody is asked to act here."""
    chair: Chair | None = None
    """Before whom it lies, as that person sees it; None: it lies in the middle."""
    number: int = 0
    """Tells several places of one person, or of one spot, apart."""
    active: bool = False
    """Whether this turn is played here."""
    spot: Spot = Spot.ROWS


class Heap(Value, frozen=True):
    """Tokens that lie in the middle for everybody."""

    words: str
    """The catalogue's key of what they are."""
    kind: str
    """Their motif."""
    count: int


class CountView(Value, frozen=True):
    """A timed window: the ring the whole table sees."""

    first_beat: Micros | None
    """None until the cue is heard."""
    beats: int
    number: int


class Field(Value, frozen=True):
    """One thing the table may say to put screen and table right again."""

    name: str
    """As `TableDeclared` spells it."""
    words: str
    """The catalogue's key of what it is."""
    value: int
    choices: tuple[int, ...]
    chair: Chair | None = None
    """Whose it is, if it is somebody's."""
    seats: bool = False
    """Whether the value is a seat."""


Table = tuple[tuple[str, str | int], ...]
"""Names and values, as `TableDeclared` spells them."""


class View(Value, frozen=True):
    """Everything that screen and lamps need."""

    game: str
    phase: str
    headline: Sentence
    hint: Sentence | None
    chairs: tuple[ChairView, ...]
    places: tuple[PlaceView, ...]
    card: str = ""
    """The card that the table is asked for: shown large while there is nothing else to look at."""
    card_region: str = ""
    """Where `card` lies, if it lies in a place."""
    heaps: tuple[Heap, ...] = ()
    """What can be won, shown large."""
    decided: tuple[str, ...] = ()
    """The cards that won the round or the game that is over."""
    bots: tuple[BotView, ...] = ()
    """Decks that nobody holds."""
    shared: tuple[Choice, ...] = ()
    """What back, next and ok do now, `press` naming the button."""
    count: CountView | None = None
    cue: Cue | None = None
    fields: tuple[Field, ...] = ()
    """What a repair may change, one by one."""
    table: Table = ()
    """What a repair may change, where `Board.held` and `Board.pairs` say how; `fields` is empty then."""
    dark: bool = False
    """Preview, evidence and captions are blanked: somebody shows a hand."""
    paused: bool = False
    by_hand: bool = False
    """The camera is lost: readings are declared."""
    outcome: Outcome | None = None


def holders(view: View) -> tuple[ChairView | BotView, ...]:
    """Whoever or whatever tokens and pairs can belong to."""
    return (*view.chairs, *view.bots)


def table_of(view: View) -> Table:
    """The table as the referee believes it to be: where a repair starts; empty if none can be made."""
    return tuple((field.name, field.value) for field in view.fields) or view.table


TOGETHER: Micros = 300_000
"""Who presses so soon after a card changed meant the one before."""


class Guidance(Value, frozen=True):
    """What somebody who teaches says now, beside the game or instead of it."""

    kind: str
    """`lay`, `say`, `quiz`, `wait`, `wrong`, `round`, `over`, `done`; or `note`, `warn`, `practice`."""
    title: Sentence
    say: Sentence
    step: int
    steps: int
    chair: Chair
    """Whose turn it is to learn."""
    note: Sentence | None = None
    """What there is to say to what was just done."""
    good: bool = True
    answers: tuple[Sentence, ...] = ()
    lay: tuple[tuple[str, Chair | None, tuple[str, ...]], ...] = ()
    """What lies where or who holds what: place, chair, cards."""
    amiss: tuple[str, ...] = ()
    """Places that the camera sees otherwise."""
    seen: bool = False
    """Whether the camera sees that all lies as it should."""
    back: tuple[Sentence, ...] = ()
    """What to put back on the table first."""
    shows: bool = False
    """Whether the deed can be shown."""
    since: Micros = 0
    """When this card began: of several who press together only the first goes on."""

    @property
    def open(self) -> bool:
        """Whether the game takes presses and cards now."""
        return self.kind in {"wait", "round", "note", "warn", "practice"}

    @property
    def beside(self) -> bool:
        """Whether the game is in sight: also when a lesson's round is over, to see what came of it."""
        return self.open or self.kind == "over"
