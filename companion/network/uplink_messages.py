"""Messages between table and uplink as JSON lines, a closed list.

From the table: its public state, what its store says of games, and that a judge is wanted. To the table: what
of its store is asked for, what is to be played next, and whether the desk can be reached. Of a game only
what `Head` says leaves before nothing is hidden any more; then its journal does, and never with a name in it.
"""

from typing import Any, Literal

import msgspec

from companion.core.actions import Chair, Value
from companion.network import messages as page
from companion.network import results
from companion.network.messages import Message

UPLINK_VERSION = 1
MAX_HEADS = 64
"""Games in one answer."""
MAX_PIECE_BYTES = 32_000
"""Bytes of a journal's lines in one message; a longer line is a message of its own."""

MissingReason = Literal["none", "failed"]
"""Why a game is not given: there is none with this id; it cannot be read."""


# From the table ---------------------------------------------------------------------------------------------


class UplinkHello(Message, frozen=True, tag="hello"):
    """The first message after the uplink's own `hello`."""

    run: str
    """Of this run of the table."""
    name: str
    """What the table is called in its settings."""
    program: str
    """The version of the program."""
    version: int = UPLINK_VERSION


class CurrentGame(Message, frozen=True, tag="playing"):
    """Which game is on, and how far it has come in the store; `number` 0: none that is stored."""

    number: int = 0
    """Its number in the store."""
    game: str = ""
    entries: int = 0
    """How many are durable; told with each change of `over`, and not with each entry."""
    over: bool = False


class StoredGameHead(Value, frozen=True):
    """One stored game, as far as it can be reported whatever is hidden in it."""

    number: int
    game_id: str
    entries: int
    over: bool
    began: str
    """UTC by the table's clock, ISO 8601."""
    named: tuple[Chair, ...] = ()
    """The chairs whose nickname is reported with its result."""


class StoredGameHeads(Message, frozen=True, tag="heads"):
    """An answer to `ListGamesAfter`."""

    store: str
    """The random id of the store."""
    heads: tuple[StoredGameHead, ...]
    """In the order of their numbers."""
    more: bool = False
    """Whether there are later ones."""


class ResultAnswer(Message, frozen=True, tag="given"):
    """An answer to `ResultRequest`: the newest version of a result."""

    number: int
    result: results.GameResult | None
    why: MissingReason | None = None
    """Why there is none."""


class JournalPart(Message, frozen=True, tag="journal"):
    """Comes after `ResultAnswer`, for a game of which nothing is hidden: its journal, piece by piece."""

    piece: results.JournalSlice


class JudgeCallMessage(Message, frozen=True, tag="judge"):
    """The last call for a judge; None: there was none in this run."""

    call: results.JudgeCall | None


FromTable = (
    page.TableSnapshot
    | page.CountBeat
    | UplinkHello
    | CurrentGame
    | StoredGameHeads
    | ResultAnswer
    | JournalPart
    | JudgeCallMessage
)

# To the table -----------------------------------------------------------------------------------------------


class ListGamesAfter(Message, frozen=True, tag="since"):
    """The games with a number above this one."""

    after: int


class ResultRequest(Message, frozen=True, tag="give"):
    """A game's result, and its journal if nothing of it is hidden."""

    number: int
    first: int = 0
    """From this line of the journal on."""


class NextTask(Message, frozen=True, tag="next"):
    """What is played next here; None: nothing that the desk says."""

    task: results.TableTask | None


class BrokerStatus(Message, frozen=True, tag="linked"):
    """Whether the broker can be reached now."""

    now: bool
    trouble: str = ""
    """What is wrong, as a key of the catalogue; empty: nothing."""


ToTable = page.ClientHello | ListGamesAfter | ResultRequest | NextTask | BrokerStatus

_to_table: msgspec.json.Decoder[ToTable] = msgspec.json.Decoder(ToTable)
_from_table: msgspec.json.Decoder[FromTable] = msgspec.json.Decoder(FromTable)


def decode_for_table(line: bytes) -> ToTable:
    """What the uplink said; `msgspec.MsgspecError` or `RecursionError` where it is none of the list."""
    return _to_table.decode(line)


def decode_for_uplink(line: bytes) -> FromTable:
    """What the table said; raises as `decode_for_table` does."""
    return _from_table.decode(line)


def uplink_schema() -> dict[str, Any]:
    """The JSON Schema of one line in either direction."""
    return page.build_schema(FromTable, ToTable, f"the uplink, version {UPLINK_VERSION}")
