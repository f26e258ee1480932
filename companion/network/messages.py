"""Messages between table and page as JSON lines, a closed list.

From the table only what its screen shows to everybody, as it was when the ruling was durable; nothing of the
camera, no names, no choice of somebody who has not made it. To the table what a page asks for, which the
table may refuse. `PROTOCOL_VERSION` changes when a message does.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from companion.core.actions import Chair, Micros, Outcome
from companion.core.exhibits import PhotoFinish
from companion.core.phone_clock import Nanos
from companion.core.view import BotView, Guidance, PlaceView, Sentence, Token, TokenHeap

PROTOCOL_VERSION = 7
MAX_LINE_BYTES = 4_096
"""Bytes of one line to the table, its end included."""

QuestionTopic = Literal["why", "may"]
"""What a phone asks in words: why the last ruling fell, what its chair may do now."""
RefusalReason = Literal[
    "closed", "full", "taken", "asked", "no_chair", "speed", "unfit", "wire", "taken_back"
]
"""Why a phone does not get what it asked for (`ui.page.why.…`). `asked`: another phone asks for that chair;
`speed`: the clock of this game does not run as phones do; `wire`: this game wants wired buttons;
`remove_chair`: the table took the chair back."""

PhoneUse = Literal["any", "each", "all", "none"]
"""What phones can do in the game that is on (`ui.page.use.…`). `any`: none is on; `each`: every phone is its
chair's button; `all`: so they are once all chairs are played by phone; `none`: they only show the table."""

OwnerPage = Literal["games", "log", "recap", "doctor", "stream"]
"""What an owner may see: the games that are over, one's log or recap, how each part is. Of the stream the
table knows nothing: it compares the PIN."""
BrowserProblemKind = Literal["guessed", "stranger", "knock", "crowd", "unread", "https", "moved"]
"""What a page reports of browsers. `guessed`: so many wrong PINs that they must be guesses; `stranger`: a PIN
or token that is not of this table's opening; `knock`: one wants to join while the table is closed; `crowd`:
too many, some were refused; `unread`: one did not read what it was sent, and was let go;
`moved`: those that play have an address that is no longer the table's, which the table notices itself."""
DenialReason = Literal["pin", "busy", "none", "not_over", "failed"]
"""Why an owner does not see it: the PIN is wrong; something else is being made; there is no such game; it is
not over, or was ended early and its cards were never shown; making it failed."""


class Message(Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    """The base of every message: a frozen value, told apart by `type`, the lower-case name of its class."""


# From the table ---------------------------------------------------------------------------------------------


class ChoiceLabel(Struct, frozen=True):
    """What a chair's button does now, as its panel says to everybody; by a `press`, a `tap` or a `hold`."""

    label: Sentence
    press: str
    marked: bool = False


class PublicClock(Struct, frozen=True):
    """A clock of the game; it runs by itself, and nothing is sent while it does."""

    reading: Micros
    """What it shows while it stands, or showed at `since_ns`."""
    since_ns: Nanos | None = None
    """From when on it runs, by this machine's monotonic clock; None: it stands."""
    whole: Micros = 0
    """The time there was at first, which runs down; 0: time is counted up."""


class PublicCell(Struct, frozen=True):
    """One thing in the middle of a table without cards, as in `Cell`."""

    chair: Chair | None = None
    motif: str = ""
    words: Sentence | None = None
    value: str | int | None = None
    lit: bool = False
    clock: PublicClock | None = None


class PublicChair(Struct, frozen=True):
    """One chair of the table; `cards`: how many are in its hand."""

    chair: Chair
    cards: int
    tokens: tuple[Token, ...] = ()
    laid: tuple[Token, ...] = ()
    raised: bool = False
    asked: bool = False
    choices: tuple[ChoiceLabel, ...] = ()
    note: Sentence | None = None
    clock: PublicClock | None = None


class CountWindow(Struct, frozen=True):
    """A timed window that was announced or runs, a beat a second; only `CountBeat` says when each falls."""

    number: int
    beats: int


class TableHello(Message, frozen=True, tag="hello"):
    """The first message after a client's own `hello`; `table`: its name by the settings, or empty."""

    run: str
    """Of this run of the table; another one means that nothing from before holds any more."""
    table: str = ""
    version: int = PROTOCOL_VERSION


class TableSnapshot(Message, frozen=True, kw_only=True, tag="view"):
    """The whole public table. While no game is on, `game` is empty and so is everything else."""

    seq: int = -1
    """The newest entry of the journal that it shows; -1 before the first."""
    unsaved: bool = False
    """Whether nothing is being written down now: rulings are announced all the same."""
    why_unsaved: Sentence | None = None
    game: str = ""
    phase: str = ""
    colours: tuple[str, ...] = ()
    """Each chair's colour, chair 1 first."""
    headline: Sentence | None = None
    hint: Sentence | None = None
    say: Sentence | None = None
    """What the screen's caption says now."""
    people: tuple[PublicChair, ...] = ()
    bots: tuple[BotView, ...] = ()
    places: tuple[PlaceView, ...] = ()
    card: str = ""
    heaps: tuple[TokenHeap, ...] = ()
    decided: tuple[str, ...] = ()
    rows: tuple[tuple[PublicCell, ...], ...] = ()
    counting: CountWindow | None = None
    dark: bool = False
    paused: bool = False
    outcome: Outcome | None = None


class RulingMessage(Message, frozen=True, tag="line"):
    """A ruling just announced. Who comes later does not get it: a face it names may be covered."""

    seq: int
    sentence: Sentence


class CountBeat(Message, frozen=True, tag="count"):
    """A beat of a count, sent when it has fallen and never before: 1 is the first."""

    beat: int
    beats: int
    number: int


class PhotoFinishMessage(Message, frozen=True, tag="finish"):
    """A race of presses as the table's screen shows it; None: it shows none now."""

    finish: PhotoFinish | None


class GuidanceMessage(Message, frozen=True, tag="guidance"):
    """What a lesson says now; None: there is none."""

    guidance: Guidance | None


class ChairHolder(Struct, frozen=True):
    """A chair of the table, the phone that holds it and one that asks for it; empty: none."""

    chair: Chair
    colour: str
    holder: str = ""
    asker: str = ""
    awake: bool = True
    """Whether the holder's page was heard lately; without a holder it says nothing."""
    fit: bool = True
    """Whether the holder's presses can be placed finely enough for races."""


class ChairHolders(Message, frozen=True, tag="held"):
    """The chairs, chair 1 first, and whether phones may join now."""

    seats: tuple[ChairHolder, ...] = ()
    is_open: bool = False
    use: PhoneUse = "any"


class ChairOffer(Struct, frozen=True):
    """What a chair that a phone holds is asked now."""

    chair: Chair
    number: int
    """Named by the press that answers it; another number is another question."""
    options: tuple[Sentence, ...] = ()
    """In the order in which `PhoneChoice.choice` counts them."""
    fact: bool = False
    """Whether a press says what a hand did, and may come again: a hand in a count, a Stop."""
    pictures: tuple[str, ...] = ()
    """The card that each option names, by its id in the deck, empty where none; of none at all: nothing."""
    firsts: tuple[Sentence | None, ...] = ()
    """Of a choice in two steps, what the first step of each option is called, None where it has one step."""
    extras: tuple[Sentence, ...] = ()
    """What may be done at any time, counted on from the options."""


class ChairOffers(Message, frozen=True, tag="offers"):
    """What each chair that a phone holds is asked, as of the last durable ruling."""

    offers: tuple[ChairOffer, ...] = ()


class ChairGranted(Message, frozen=True, tag="granted"):
    """Somebody at the table said yes: the chair that was asked for is this phone's."""

    phone: str
    chair: Chair


class RequestRefused(Message, frozen=True, tag="refused"):
    """What a phone asked for cannot be, or what it had is taken back."""

    phone: str
    why: RefusalReason


class PressResult(Message, frozen=True, tag="counted"):
    """What became of a phone's press; `dropped`: how many of its presses were too many and fell away."""

    phone: str
    offer: int
    verdict: Literal["taken", "changed", "choose", "twice", "no_chair", "dropped"] = "taken"
    """As `companion.referee.phone_chairs.AnswerVerdict`; `dropped`: too many in a second."""
    late_us: int = 0
    """By how many µs it counts later than it was pressed, because the link is slow."""
    dropped: int = 0


class QuestionAnswer(Message, frozen=True, tag="answered"):
    """The answer to a phone's question."""

    phone: str
    about: QuestionTopic
    lines: tuple[Sentence, ...] = ()


class OwnerPagePart(Message, frozen=True, tag="shown"):
    """A part, from 0, of what an owner asked to see: `data`, a piece of JSON; only of games that are over."""

    ask: str
    part: int
    parts: int
    data: str


class OwnerPageDenied(Message, frozen=True, tag="notshown"):
    """An owner does not see what was asked for."""

    ask: str
    why: DenialReason


FromTable = (
    TableHello
    | TableSnapshot
    | RulingMessage
    | CountBeat
    | PhotoFinishMessage
    | GuidanceMessage
    | ChairHolders
    | ChairOffers
    | ChairGranted
    | RequestRefused
    | PressResult
    | QuestionAnswer
    | OwnerPagePart
    | OwnerPageDenied
)

# To the table -----------------------------------------------------------------------------------------------


class ClientHello(Message, frozen=True, tag="hello"):
    """What a client says first; nothing is sent to it before."""

    version: int = PROTOCOL_VERSION


class PageAddress(Message, frozen=True, tag="serving"):
    """Where the page is reached; sent again when the address or the PIN changes."""

    address: str
    """An IPv4 address of the house's own network; empty: there is no network."""
    port: int
    pin: str
    code: tuple[str, ...] = ()
    """The QR code of the whole address: a row of `0` and `1` for each row of its modules."""
    secure: bool = False
    """Whether it is reached by TLS."""


class PhoneJoined(Message, frozen=True, tag="join"):
    """A phone knew the PIN; `phone` is the digest of a token that it alone has."""

    phone: str


class PhoneLeft(Message, frozen=True, tag="leave"):
    """A phone gives back what it has."""

    phone: str


class PhonePress(Message, frozen=True, tag="press"):
    """The one choice of an offer was pressed; stamps are CLOCK_MONOTONIC, nanoseconds, of the page."""

    phone: str
    offer: int
    arrived_ns: int
    from_ns: int = 0
    """When it happened at the earliest; 0 with `until_ns`: unknown, it counts from its arrival."""
    until_ns: int = 0


class PhoneChoice(Message, frozen=True, tag="choose"):
    """One of several choices of an offer."""

    phone: str
    offer: int
    choice: int
    arrived_ns: int
    from_ns: int = 0
    until_ns: int = 0


class ChairRequest(Message, frozen=True, tag="ask"):
    """A phone asks for a chair; somebody at the table says yes, or not."""

    phone: str
    chair: Chair
    name: str = ""
    """What its player wants to be called at the table; empty: by colour."""


class PhoneQuestion(Message, frozen=True, tag="question"):
    """A phone asks something that is answered in words."""

    phone: str
    about: QuestionTopic


class PhonePresence(Message, frozen=True, tag="presence"):
    """Said each second by a phone's page: whether it is seen, its clock known finely enough for races."""

    phone: str
    awake: bool
    fit: bool = True


class TakeChairBack(Message, frozen=True, tag="kick"):
    """The table's owner takes a chair back by the page."""

    chair: Chair


class CloseToPhones(Message, frozen=True, tag="close"):
    """The table's owner closes the table to phones by the page."""


class BrowserProblem(Message, frozen=True, tag="remarked"):
    """Something is wrong with browsers that the table's people may want to know."""

    what: BrowserProblemKind


class OwnerRequest(Message, frozen=True, tag="look"):
    """A browser with the owner's PIN, which the table checks, wants to see this; the answer has its `ask`."""

    ask: str
    pin: str
    what: OwnerPage
    number: int = 0
    """A game's, as in `companion games`; 0: the newest that is over."""
    language: str = "en"
    part: int = 0
    """Which piece, from 0; a later one is not made again."""


ToTable = (
    ClientHello
    | PageAddress
    | PhoneJoined
    | PhoneLeft
    | PhonePress
    | PhoneChoice
    | ChairRequest
    | PhoneQuestion
    | PhonePresence
    | TakeChairBack
    | CloseToPhones
    | BrowserProblem
    | OwnerRequest
)

_encode = msgspec.json.Encoder().encode
_to_table: msgspec.json.Decoder[ToTable] = msgspec.json.Decoder(ToTable)
_from_table: msgspec.json.Decoder[FromTable] = msgspec.json.Decoder(FromTable)


def encode_line(message: Message) -> bytes:
    """A message as it is sent: one line of JSON with its end."""
    return _encode(message) + b"\n"


def decode_for_table(line: bytes) -> ToTable:
    """What a client said; `msgspec.MsgspecError` or `RecursionError` where it is none of the list."""
    return _to_table.decode(line)


def decode_for_client(line: bytes) -> FromTable:
    """What the table said; raises as `decode_for_table` does."""
    return _from_table.decode(line)


def page_schema() -> dict[str, Any]:
    """The JSON Schema of one line in either direction."""
    return build_schema(FromTable, ToTable, f"the page, version {PROTOCOL_VERSION}")


def build_schema(from_table: Any, to_table: Any, door: str) -> dict[str, Any]:
    """The JSON Schema of a line through a door, from the unions of messages in either direction."""
    (out, into), parts = msgspec.json.schema_components([from_table, to_table], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"One line through the door of {door}",
        "description": "`fromTable` is told by the table, `toTable` is what it hears.",
        "anyOf": [{"$ref": "#/$defs/fromTable"}, {"$ref": "#/$defs/toTable"}],
        "$defs": {"fromTable": out, "toTable": into, **dict(sorted(parts.items()))},
    }
