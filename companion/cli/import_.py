"""`companion import`: a journal in JSON Lines becomes a stored game."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from companion.core.errors import CompanionError, InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.terminal import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.core.events import Event
    from companion.referee.journal import Entry, Header


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Store a game that was exported, unless it is there already.

    Raises `InputError` for a file without a game, `CompanionError` where the store cannot be written.
    """
    from companion.referee.acceptance import accepted
    from companion.referee.journal import JournalError
    from companion.referee.journal.entry import with_new_chain
    from companion.referee.store_errors import explained
    from companion.settings.progress import progress
    from companion.settings.stored_games import journal_file, rules_of, store_of

    header, entries = journal_file(args.file, salvage=args.salvage)
    rules = rules_of(header)
    if not entries:
        raise InputError(f"{args.file} has a header but no game in it: export the game again.")
    looked = progress(len(entries))
    looked(0)
    with explained(str(args.file)):
        try:
            referee = accepted(rules, header, entries, step=looked)
        except JournalError as error:
            if not (args.salvage and error.entry):
                raise
            header, entries = with_new_chain(header, "repair"), entries[: error.entry]
            referee = accepted(rules, header, entries)
    outcome = rules.outcome(referee.state)
    with store_of(settings) as store:
        store.lock()
        for known in store.each(kind=header.kind):
            if known.entries == len(entries) and not known.problem:
                try:
                    there = store.read(known.game)
                except JournalError:
                    continue  # a damaged one is not this one
                if _content(*there) == _content(header, entries):
                    say(f"You already have this game: it is game {known.game}.")
                    return 0
        journal = store.create(with_new_chain(header, "import"))
        for entry in entries:
            journal.append(entry, outcome)
        journal.flush()
        if not journal.close():
            reason = journal.trouble.reason if journal.trouble else "the disk doesn't answer"
            raise CompanionError(
                f"can't write {settings.store_file()} ({reason}); make room or change its permissions."
            )
        counts = "" if header.kind == "game" else f"; it is a {header.kind}: see companion games --all"
        stored = counted(len(entries), "entry", "entries")
        say(f"Loaded {args.file} as game {journal.game} ({stored}){counts}.")
    return 0


def _content(header: Header, entries: Sequence[Entry[Event]]) -> tuple[Header, bytes]:
    """What makes two journals the same game, however often their chains were rewritten."""
    from msgspec.json import encode
    from msgspec.structs import replace

    from companion.referee.journal.entry import FORMAT

    return replace(header, format=FORMAT, chain_rewritten=()), encode(entries)
