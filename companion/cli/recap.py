"""`companion recap`: a finished game looked back on, as one page with pictures."""

import argparse
from pathlib import Path

from companion.core.errors import InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.terminal import say, writing


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the timeline of a game that is over, or save it as a page with a picture.

    Raises `InputError` for a file that exists already.
    """
    from companion.referee.acceptance import accepted
    from companion.referee.store_errors import explained
    from companion.settings.stored_games import journal_file, rules_of, store_of

    if args.game.isdigit():
        with store_of(settings) as store:
            header, entries = store.read(int(args.game))
    else:
        header, entries = journal_file(Path(args.game))
    from companion.recap.saved_pages import picture_of
    from companion.recap.timeline import timeline
    from companion.table.save_recap import check_open, clock, recap_page, recap_picture
    from companion.ui.language import Language

    with explained(f"game {args.game}" if args.game.isdigit() else args.game):
        referee = accepted(rules_of(header), header, entries)
    check_open(referee)
    language = args.language or settings.table.language
    if args.html is None:
        words, names = Language(language), dict(header.names)
        for moment in timeline(referee):
            kind = words.tr(f"recap.kind.{moment.kind}")
            say(f"{clock(moment.at):>6}  {kind:<20} {words.text(moment.sentence, names)}")
        return 0
    picture = picture_of(args.html)
    for path in (args.html, picture):
        if path.exists():
            raise InputError(f"{path} already exists; name a new file.")
    text = recap_page(referee, language, image=picture.name)
    for path, data in ((args.html, text.encode()), (picture, recap_picture(referee, language))):
        with writing(path):
            path.touch(0o600, exist_ok=False)
            path.write_bytes(data)
    size = f"{counted(len(timeline(referee)), 'moment')}, {len(text) // 1000} kB"
    say(f"Saved {args.html} ({size}) and {picture.name}, a picture to share.")
    return 0
