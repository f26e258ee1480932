"""`companion recap`: saves the recap of a finished game as a page."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, explain_write_errors, print_lines

if TYPE_CHECKING:
    from companion.core.events import Event
    from companion.referee.journal import Entry, Header


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the timeline of a game that is over, or save it as a page with a picture.

    Raises `InputError` for a file that exists already.
    """
    header, entries, is_open = _read_game(args.game, settings)  # before what draws is loaded
    from companion.language.language import Language
    from companion.programs.store_responder import rules_of_journal
    from companion.referee.dry_run import check_journal
    from companion.referee.store_errors import explain_store_errors
    from companion.table.history import build_timeline
    from companion.table.recap.save import (
        check_nothing_hidden,
        format_clock,
        link_picture_path,
        render_link_picture,
        render_recap,
    )

    with explain_store_errors(f"game {args.game}" if args.game.isdigit() else args.game):
        referee = check_journal(rules_of_journal(header), header, entries)
    check_nothing_hidden(referee)
    if not is_open:
        raise InputError("This game can still be taken back: look at its recap on the table first.")
    language = args.language or settings.table.language
    if args.html is None:
        words, names = Language(language), dict(header.names)
        for moment in build_timeline(referee):
            kind = words.tr(f"recap.kind.{moment.kind}")
            print_lines(f"{format_clock(moment.at):>6}  {kind:<20} {words.text(moment.sentence, names)}")
        return 0
    picture = link_picture_path(args.html)
    for path in (args.html, picture):
        if path.exists():
            raise InputError(f"{path} already exists; name a new file.")
    text = render_recap(referee, language, image=picture.name)
    for path, data in ((args.html, text.encode()), (picture, render_link_picture(referee, language))):
        with explain_write_errors(path):
            path.touch(0o600, exist_ok=False)
            path.write_bytes(data)
    size = f"{count_with_noun(len(build_timeline(referee)), 'moment')}, {len(text) // 1000} kB"
    print_lines(f"Saved {args.html} ({size}) and {picture.name}, a picture to share.")
    return 0


def _read_game(named: str, settings: Settings) -> "tuple[Header, list[Entry[Event]], bool]":
    """A game of the store by its number, or a journal by its file; last, whether all of it is open."""
    from companion.programs.store_responder import load_journal_file, open_store

    if not named.isdigit():
        return *load_journal_file(Path(named)), True
    with open_store(settings) as store:
        read, known = store.read_game(int(named)), store.find_game(int(named))
        return *read, known is None or store.is_open(known)
