"""`companion import`: stores a game from a JSON Lines file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, print_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.core.events import Event
    from companion.referee.journal import Entry, Header


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Store a game that was exported, unless it is there already.

    Raises `InputError` for a file without a game, `CompanionError` where the store cannot be written.
    """
    from companion.programs.store_responder import load_journal_file, open_store, rules_of_journal
    from companion.referee.dry_run import check_journal
    from companion.referee.journal import JournalError
    from companion.referee.journal.entry import with_new_chain
    from companion.referee.store_errors import LOCKED, explain_store_errors
    from companion.system.terminal import make_progress_bar
    from companion.table.games import LEFT_NOTE, LeftGamesNote

    header, entries = load_journal_file(args.file, salvage=args.salvage)
    rules = rules_of_journal(header)
    if not entries:
        raise InputError(f"{args.file} has a header but no game in it: export the game again.")
    looked = make_progress_bar(len(entries))
    looked(0)
    with explain_store_errors(str(args.file)):
        try:
            referee = check_journal(rules, header, entries, step=looked)
        except JournalError as error:
            if not (args.salvage and error.entry):
                raise
            header, entries = with_new_chain(header, "repair"), entries[: error.entry]
            referee = check_journal(rules, header, entries)
    outcome = rules.outcome(referee.state)
    with open_store(settings, lock=True) as store:
        for known in store.iterate_games(kind=header.kind):
            if known.entries == len(entries) and not known.problem:
                try:
                    there = store.read_game(known.game)
                except JournalError:
                    continue  # a damaged one is not this one
                if _comparable_content(*there) == _comparable_content(header, entries):
                    print_lines(f"You already have this game: it is game {known.game}.")
                    return 0
        journal = store.create_game(with_new_chain(header, "import"))
        for entry in entries:
            journal.append(entry, outcome)
        journal.flush()
        if not journal.close() and not journal.is_in_store:
            journal.discard()  # who is told that it failed may import it elsewhere, or not at all
            if journal.trouble is not None and journal.trouble.key == "storage.locked":
                raise CompanionError(LOCKED.format(place=settings.store_file()))
            reason = journal.trouble.reason if journal.trouble else "the disk doesn't answer"
            raise CompanionError(
                f"can't write {settings.store_file()} ({reason}); make room or change its permissions."
            )
        unfinished = header.kind == "game" and outcome is None
        assert journal.game is not None, "it is in the store"
        if unfinished:  # the table goes on by itself only with what was played at it
            LeftGamesNote(settings.store_folder() / LEFT_NOTE).add(journal.game, header.date)
        counts = "" if header.kind == "game" else f"; it is a {header.kind}: see companion games --all"
        stored = count_with_noun(len(entries), "entry", "entries")
        print_lines(f"Loaded {args.file} as game {journal.game} ({stored}){counts}.")
        if unfinished:
            print_lines(f"It is not over. Continue it: companion resume {journal.game}")
    return 0


def _comparable_content(header: Header, entries: Sequence[Entry[Event]]) -> tuple[Header, bytes]:
    """What makes two journals the same game, however often their chains were rewritten."""
    from msgspec.json import encode
    from msgspec.structs import replace

    from companion.referee.journal.entry import JOURNAL_FORMAT

    return replace(header, format=JOURNAL_FORMAT, chain_rewritten=()), encode(entries)
