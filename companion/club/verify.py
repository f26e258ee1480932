"""Recomputes each result from its journal: the rules judge every entry again, and the digest is compared."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session, joinedload, selectinload

from companion.club import journals
from companion.club.database import changed, sessions
from companion.club.model import Game
from companion.core.actions import Outcome
from companion.core.events import Event
from companion.core.rules import REVISION, Rules
from companion.games import RULES
from companion.referee.acceptance import judged_now
from companion.referee.journal import Entry, Header, JournalError, MemoryJournal
from companion.referee.journal.line import UNFIT
from companion.referee.journal.lines import parse
from companion.referee.referee import Referee

FAULTS = frozenset({"bytes", "unreadable", "ruled", "outcome", "seats"})
"""Verdicts by which a result is not what its journal says."""
RIGHT = frozenset({"proved", "older"})
"""`older`: the journal says so, by the rules of the program that refereed it."""


class Finding(NamedTuple):
    """What a game's journal says about its result."""

    game: str
    table: str
    verdict: str
    """One of `FAULTS` or `RIGHT`, or `open`, `missing`, `newer`: there is no journal yet, or none that this
    program can judge."""
    sentence: str = ""
    """What is wrong or lacking; empty: nothing."""


class _NotProvedError(Exception):
    """Why a result is not proved."""

    def __init__(self, verdict: str, sentence: str) -> None:
        super().__init__(verdict, sentence)


def verify(engine: Engine, *, count: Callable[[int], None] = lambda _: None) -> Iterator[Finding]:
    """Every game, the oldest first; the verdict is noted in its row, for the desk.

    `count` is told how many there are before the first.
    """
    reading = engine.execution_options(reads=True)
    with Session(reading) as session:
        ids = list(session.scalars(select(Game.id).order_by(Game.received, Game.id)))
    count(len(ids))
    for one in ids:
        with Session(reading) as session:
            asked = select(Game).where(Game.id == one)
            game = session.scalar(asked.options(joinedload(Game.table), selectinload(Game.seats)))
            if game is None:
                continue
            lines = journals.lines_of(session, game)
        verdict, sentence = _found(game, lines)
        with sessions(engine).begin() as session:
            row = session.get(Game, one)
            noted = (game.digest, verdict)
            if row is not None and row.digest == game.digest and (row.checked, row.verdict) != noted:
                row.checked, row.verdict = noted
                changed(session)
        yield Finding(one, game.table.name or game.table.slug, verdict, sentence)


def _found(game: Game, lines: Sequence[bytes]) -> tuple[str, str]:
    try:
        verdict, sentence = _proved(game, lines), ""
    except _NotProvedError as wrong:
        verdict, sentence = wrong.args
    return verdict, "its journal says so, by older rules than ours" if verdict == "older" else sentence


def _proved(game: Game, lines: Sequence[bytes]) -> str:
    """How the journal proves the result; raises `_NotProvedError`."""
    if game.outcome is None or not (game.digest or game.outcome["winners"]):
        return "open"
    if not (game.digest and journals.is_whole(game)):
        here = f"{len(lines)} of {game.entries + 1} lines" if lines else "nothing"
        raise _NotProvedError("missing", f"{here} of its journal has arrived")
    raw = b"".join(line + b"\n" for line in lines)
    if hashlib.sha256(raw).hexdigest() != game.digest:
        raise _NotProvedError("bytes", "its journal is not the one that the result was taken from")
    newer = _revision(lines[0]) > REVISION
    try:
        header, entries = parse(raw, RULES)
        older = _judged(RULES[header.game], header, entries)
        outcome = RULES[header.game].outcome(_state(RULES[header.game], header, entries))
    except (JournalError, _NotProvedError) as error:
        if newer or (isinstance(error, JournalError) and error.key in {"newer", "unknown_game"}):
            raise _NotProvedError("newer", "this program is too old to judge it; update the hub") from error
        if isinstance(error, _NotProvedError):
            raise
        raise _NotProvedError("unreadable", f"its journal can't be read: {error}") from error
    if header.game != game.game or set(header.setup.chairs) != {seat.chair for seat in game.seats}:
        raise _NotProvedError("seats", "its journal is of another game or of other chairs")
    if outcome is None or _of(outcome) != _of(msgspec.convert(game.outcome, Outcome)):
        says = "it is not over" if outcome is None else f"the winners are {_chairs(outcome.winners)}"
        told = _chairs(game.outcome["winners"])
        raise _NotProvedError(
            "outcome", f"the result says that the winners are {told}, its journal says that {says}"
        )
    return "older" if older else "proved"


def _judged(rules: Rules[Any], header: Header, entries: Sequence[Entry[Event]]) -> bool:
    """Judge every entry again; whether some were ruled by older rules.

    Raises `_NotProvedError` for the first that is not what the rules say.
    """
    referee = Referee(rules, MemoryJournal(header))
    for entry in entries:
        try:
            same = judged_now(referee, entry) == entry
            referee.adopt(entry)
        except UNFIT:
            same = False
        if not same:
            if header.rules < REVISION:
                return True
            raise _NotProvedError("ruled", f"entry {entry.seq} of its journal is not what the rules say")
    return False


def _state(rules: Rules[Any], header: Header, entries: Sequence[Entry[Event]]) -> Any:
    return Referee(rules, MemoryJournal(header, entries)).state


def _revision(header: bytes) -> int:
    """The revision of the rules that the first line of a journal names."""
    try:
        found = msgspec.json.decode(header)["rules"]
    except (msgspec.DecodeError, LookupError, TypeError):
        return 0
    return found if isinstance(found, int) else 0


def _of(outcome: Outcome) -> tuple[str, tuple[int, ...]]:
    return outcome.termination, outcome.winners


def _chairs(chairs: Sequence[int]) -> str:
    return " and ".join(f"chair {chair + 1}" for chair in chairs) or "nobody"
