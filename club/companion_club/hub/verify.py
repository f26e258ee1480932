"""Verification of results by judging their journals again."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session, joinedload, selectinload

from companion.core.actions import Outcome
from companion.core.events import Event
from companion.core.rules import RULES_REVISION, Rules
from companion.games import RULES
from companion.referee.dry_run import rejudge_entry
from companion.referee.journal import Entry, Header, JournalError, MemoryJournal
from companion.referee.journal.json_lines import parse_journal
from companion.referee.journal.valid_entries import MISFIT_ERRORS
from companion.referee.referee import Referee
from companion_club.hub import ingest
from companion_club.hub.database import mark_changed, writing_sessions
from companion_club.hub.model import GameRecord

FAULT_VERDICTS = frozenset({"bytes", "unreadable", "ruled", "outcome", "seats"})
"""Verdicts by which a result is not what its journal says."""
GOOD_VERDICTS = frozenset({"proved", "older"})
"""`older`: the journal says so, by the rules of the program that refereed it."""


class ResultFinding(NamedTuple):
    """What a game's journal says about its result."""

    game: str
    table: str
    verdict: str
    """One of `FAULT_VERDICTS` or `GOOD_VERDICTS`, or `open`, `missing`, `newer`: there is no journal yet,
    or none that this program can judge.
    """
    sentence: str = ""
    """What is wrong or lacking; empty: nothing."""


class _NotProvedError(Exception):
    """Why a result is not proved."""

    def __init__(self, verdict: str, sentence: str) -> None:
        super().__init__(verdict, sentence)


def verify_results(
    engine: Engine, *, count: Callable[[int], None] = lambda _: None
) -> Iterator[ResultFinding]:
    """Every game, the oldest first; the verdict is noted in its row, for the desk.

    `count` is told how many there are before the first.
    """
    reading = engine.execution_options(reads=True)
    with Session(reading) as session:
        ids = list(session.scalars(select(GameRecord.id).order_by(GameRecord.received, GameRecord.id)))
    count(len(ids))
    for one in ids:
        with Session(reading) as session:
            asked = select(GameRecord).where(GameRecord.id == one)
            game = session.scalar(asked.options(joinedload(GameRecord.table), selectinload(GameRecord.seats)))
            if game is None:
                continue
            lines = ingest.stored_lines(session, game)
        verdict, sentence = _check_game(game, lines)
        with writing_sessions(engine).begin() as session:
            row = session.get(GameRecord, one)
            noted = (game.digest, verdict)
            if row is not None and row.digest == game.digest and (row.checked, row.verdict) != noted:
                row.checked, row.verdict = noted
                mark_changed(session)
        yield ResultFinding(one, game.table.name or game.table.slug, verdict, sentence)


def _check_game(game: GameRecord, lines: Sequence[bytes]) -> tuple[str, str]:
    try:
        verdict, sentence = _prove(game, lines), ""
    except _NotProvedError as wrong:
        verdict, sentence = wrong.args
    return verdict, "its journal says so, by older rules than ours" if verdict == "older" else sentence


def _prove(game: GameRecord, lines: Sequence[bytes]) -> str:
    """How the journal proves the result; raises `_NotProvedError`."""
    if game.outcome is None or not (game.digest or game.outcome["winners"]):
        return "open"
    if not (game.digest and ingest.is_complete(game)):
        here = f"{len(lines)} of {game.entries + 1} lines" if lines else "nothing"
        raise _NotProvedError("missing", f"{here} of its journal has arrived")
    raw = b"".join(line + b"\n" for line in lines)
    if hashlib.sha256(raw).hexdigest() != game.digest:
        raise _NotProvedError("bytes", "its journal is not the one that the result was taken from")
    newer = _revision(lines[0]) > RULES_REVISION
    try:
        header, entries = parse_journal(raw, RULES)
        older = _judge_again(RULES[header.game], header, entries)
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
        winners = _chairs(game.outcome["winners"])
        raise _NotProvedError(
            "outcome", f"the result says that the winners are {winners}, its journal says that {says}"
        )
    return "older" if older else "proved"


def _judge_again(rules: Rules[Any], header: Header, entries: Sequence[Entry[Event]]) -> bool:
    """Judge every entry again; whether some were ruled by older rules.

    Raises `_NotProvedError` for the first that is not what the rules say.
    """
    referee = Referee(rules, MemoryJournal(header))
    for entry in entries:
        try:
            same = rejudge_entry(referee, entry) == entry
            referee.append_entry(entry)
        except MISFIT_ERRORS:
            same = False
        if not same:
            if header.rules < RULES_REVISION:
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
