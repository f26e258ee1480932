"""Game results, judge calls and tasks as plain values that table and club exchange."""

import hashlib
from collections.abc import Iterable, Sequence

from msgspec import Struct

from companion.core.actions import Chair, Outcome


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
    """That of the whole journal, as in `Result`: pieces of another are of another version."""


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
