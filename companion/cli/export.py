"""`companion export`: writes a stored game as JSON Lines."""

import argparse
import os

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings
from companion.system.safe_files import sync_to_disk
from companion.system.terminal import count_with_noun, print_lines, print_text

HIDDEN_CARDS_WARNING = (
    "That game isn't over, and this file names its hidden cards: don't show it to the players."
)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Write a stored game to a file or the terminal. Raises `InputError` for a file that exists already."""
    from companion.cli.checks.journal_replay import final_state
    from companion.programs.store_responder import open_store, rules_of_journal
    from companion.referee.journal.json_lines import encode_lines
    from companion.referee.journal.valid_entries import MISFIT_ERRORS
    from companion.referee.store_errors import explain_store_errors

    with open_store(settings) as store:
        header, entries = store.salvage_game(args.game) if args.salvage else store.read_game(args.game)
        on_the_table = store.has_recovery_log(args.game)
    rules = rules_of_journal(header)
    try:
        state = final_state(rules, header, entries)
        hidden = not rules.is_open(state) or (on_the_table and not state.desk.uncovered)
    except (CompanionError, *MISFIT_ERRORS):
        hidden = True  # it fits no game, so nobody can tell; it can be saved all the same
    if args.file is None or str(args.file) == "-":
        print_text(b"".join(encode_lines(header, entries)).decode())
        if hidden:
            print_lines(HIDDEN_CARDS_WARNING, error=True)
        return 0
    if os.path.lexists(args.file):
        raise InputError(f"{args.file} already exists; name a new file.")
    with explain_store_errors(str(args.file)), args.file.open("xb") as stream:
        try:
            stream.writelines(encode_lines(header, entries))
            stream.flush()
            os.fsync(stream.fileno())
            sync_to_disk(args.file.parent)
        except OSError:
            args.file.unlink()  # half a journal would be taken for a whole one
            raise
    print_lines(f"Saved {args.file} (game {args.game}, {count_with_noun(len(entries), 'entry', 'entries')}).")
    if hidden:
        print_lines(HIDDEN_CARDS_WARNING)
    return 0
