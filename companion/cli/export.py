"""`companion export`: a stored game as JSON Lines."""

import argparse

from companion.core.errors import CompanionError, InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.terminal import hand_over, say

HIDDEN = "That game isn't over, and this file names its hidden cards: don't show it to the players."


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Write a stored game to a file or the terminal. Raises `InputError` for a file that exists already."""
    from companion.diagnostics.replay import final_state
    from companion.referee.journal.line import UNFIT
    from companion.referee.journal.lines import written
    from companion.referee.store_errors import explained
    from companion.settings.stored_games import rules_of, store_of

    with store_of(settings) as store:
        header, entries = store.salvage(args.game) if args.salvage else store.read(args.game)
    rules = rules_of(header)
    try:
        hidden = not rules.is_open(final_state(rules, header, entries))
    except (CompanionError, *UNFIT):
        hidden = True  # it fits no game, so nobody can tell; it can be saved all the same
    if args.file is None or str(args.file) == "-":
        hand_over(b"".join(written(header, entries)).decode())
        if hidden:
            say(HIDDEN, error=True)
        return 0
    if args.file.exists():
        raise InputError(f"{args.file} already exists; name a new file.")
    with explained(str(args.file)), args.file.open("xb") as stream:
        try:
            stream.writelines(written(header, entries))
            stream.flush()
        except OSError:
            args.file.unlink()  # half a journal would be taken for a whole one
            raise
    say(f"Saved {args.file} (game {args.game}, {counted(len(entries), 'entry', 'entries')}).")
    if hidden:
        say(HIDDEN)
    return 0
