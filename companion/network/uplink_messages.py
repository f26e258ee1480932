"""Messages between table and uplink as JSON lines, results of games among them; a closed list.

From the table: its public state, what its store says of games, and that a judge is wanted. To the table:
what of its store is asked for, what is to be played next, and whether the desk can be reached. Of a game
only what `StoredGameHead` says leaves before nothing is hidden any more; then its journal does, and never
with a name in it.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from companion.core.actions import Chair, Outcome, Value
from companion.network import messages as page
from companion.network.messages import Message


class ResultPlayer(Struct, frozen=True):
    """A chair of a game, and who sat there."""

    chair: Chair
    colour: str
    nickname: str = ""
    """Empty: the table has none, or its owner did not consent."""


class GameResult(Struct, frozen=True, kw_only=True):
    """A version of a game's result: (`make_game_id`, `entries`, whether there is an outcome).

    More entries are newer, equally many are the same again, and no `outcome` withdraws what was said before:
    the win was taken back.
    """

    store: str
    """The random id of the table's store, 32 hexadecimal digits."""
    store_proof: str = ""
    """HMAC-SHA256 of that id under the table's password at the broker, 64 hexadecimal digits: another table
    that heard the id does not have it. Empty: the table is older."""
    game_id: str
    """32 hexadecimal digits; the same wherever a copy of that store is."""
    entries: int
    """How many lines the journal has after its header."""
    outcome: Outcome | None
    game: str
    """The game's name in the program, such as the key of its house rules."""
    players: tuple[ResultPlayer, ...]
    """Clockwise."""
    began: str
    """UTC by the table's clock, ISO 8601."""
    ended: str = ""
    """As `began`, when the last entry was made; empty: there is no entry."""
    digest: str = ""
    """SHA-256 of the journal's lines, each with its line end, 64 hexadecimal digits; empty: not told, since
    something of the game may still be hidden."""
    task: str = ""
    """The id of the task that it answers."""


class JournalSlice(Struct, frozen=True, kw_only=True):
    """A part of the journal of a game that is over: consecutive lines of JSON, without their line ends."""

    game_id: str
    first: int
    """Which line its first one is; 0 is the header."""
    lines: tuple[str, ...]
    total: int
    """How many lines there are, the header included."""
    digest: str = ""
    """That of the whole journal, as in `GameResult`: pieces of another are of another version."""


class JudgeCall(Struct, frozen=True):
    """A judge is wanted at this table, or no more."""

    id: str
    at: str
    """UTC by the table's clock, ISO 8601."""
    taken_back: bool = False


class TableTask(Struct, frozen=True, kw_only=True):
    """What is played next at this table. An empty payload takes it back.

    It is published with a message expiry interval: the broker drops it in time, whatever the table's clock
    says.
    """

    id: str
    round: int
    expires: str
    """UTC, ISO 8601; later it is ignored."""
    game: str
    """A game's name in the program; empty: any."""
    players: tuple[str, ...] = ()
    """Nicknames, in the order of the seats."""
    at: str = ""
    """UTC by the hub's clock when it was published."""


def make_game_id(store: str, key: str) -> str:
    """The id of a game: `store` is the id of its store, `key` what the store keeps for this game alone."""
    return hashlib.blake2s(f"{store} {key}".encode(), digest_size=16).hexdigest()


def journal_digest(lines: Iterable[str]) -> str:
    """The digest of a journal's lines, which come without line ends."""
    whole = hashlib.sha256()
    for line in lines:
        whole.update(line.encode() + b"\n")
    return whole.hexdigest()


def cut_journal_slice(result: GameResult, lines: Sequence[str], first: int, most: int) -> JournalSlice:
    """As many lines of the result's journal from `first` on as have at most `most` letters; at least one."""
    end, size = first, 0
    while end < len(lines) and (end == first or size + len(lines[end]) <= most):
        size += len(lines[end])
        end += 1
    some = tuple(lines[first:end])
    return JournalSlice(
        game_id=result.game_id, first=first, lines=some, total=len(lines), digest=result.digest
    )


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
    result: GameResult | None
    why: MissingReason | None = None
    """Why there is none."""


class JournalPart(Message, frozen=True, tag="journal"):
    """Comes after `ResultAnswer`, for a game of which nothing is hidden: its journal, piece by piece."""

    piece: JournalSlice


class JudgeCallMessage(Message, frozen=True, tag="judge"):
    """The last call for a judge; None: there was none in this run."""

    call: JudgeCall | None


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

    task: TableTask | None


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
