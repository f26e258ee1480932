"""`companion replay`: every ruling of a journal, judged again."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.terminal import say, say_json

if TYPE_CHECKING:
    from companion.core.view import View


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.referee.journal import JournalError
    from companion.referee.store_errors import explained

    try:
        return _run(args, settings)
    except JournalError:
        with explained(str(args.file)):
            raise


def _run(args: argparse.Namespace, settings: Settings) -> int:
    import msgspec

    from companion.settings.progress import progress
    from companion.settings.stored_games import journal_file, rules_of

    header, entries = journal_file(args.file)
    looked = progress(len(entries))
    looked(0)
    from companion.diagnostics.photo_finishes import described, draw_all, finishes_of
    from companion.diagnostics.replay import final_state, steps
    from companion.ui.language import Language

    language = Language(settings.table.language)
    names = dict(header.names)
    faults = older = 0
    by_older_rules = f"ruled by older rules ({header.software or 'of an earlier version'})"
    rules = rules_of(header)
    last = final_state(rules, header, entries)
    finishes = finishes_of(rules, last, entries)
    by_entry = {found.seq: found for found in finishes}
    far = progress(0 if sys.stdout.isatty() else len(entries))
    for step in steps(rules, header, entries, looked=looked):
        far(step.seq + 1)
        faults += bool(step.differs) and not step.older
        older += step.older
        if args.json:
            say_json(msgspec.to_builtins(step), indent=None)
        elif step.rulings or step.differs:
            say(f"{step.seq:>5}  {_instant(step.at)}  {step.cause}")
            for sentence in step.rulings:
                say(f"{'':>7}{language.text(sentence, names)}")
            if step.seq in by_entry:
                for line in described(by_entry[step.seq], language, names):
                    say(f"{'':>9}{line}")
            if step.differs:
                say(f"{'':>7}{by_older_rules if step.older else 'DIFFERS'}: {step.differs}")
            say(f"{'':>7}→ {language.text(step.view.headline, names)}")
            say(f"{'':>9}{_table(step.view)}")
    if not args.json:
        ruled = [f"{faults} ruled differently"] if faults else []
        ruled += [f"{older} {by_older_rules}"] if older else []
        judged = counted(len(entries), "entry", "entries")
        if not header.has_chain:
            say(f"It has no checksums (format {header.format}), which would show a changed or missing entry.")
        elif header.chain_rewritten:
            say(f"Its checksums were written again since it was played: {', '.join(header.chain_rewritten)}.")
        say(f"Checked {judged}: {', '.join(ruled) or 'all ruled the same'}.")
    if args.pictures is not None:
        count = draw_all(header, last, finishes, args.pictures, language.code)
        if not args.json:
            say(f"{counted(count, 'photo finish', 'photo finishes')} in {args.pictures}")
    return 1 if faults else 0


def _instant(at: int) -> str:
    minutes, micros = divmod(at, 60_000_000)
    return f"{minutes:>3}:{micros / 1_000_000:06.3f}"


def _table(view: View) -> str:
    places = (f"{place.region} {'+'.join((place.card or '–', *place.on_top))}" for place in view.places)
    chairs = (f"{chair.chair + 1}{'!' if chair.asked else ''}:{chair.cards}" for chair in view.chairs)
    return f"cards {' '.join(chairs)} | {', '.join(places)}"
