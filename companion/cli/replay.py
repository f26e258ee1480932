"""`companion replay`: replays a stored game step by step."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.core.actions import Chair
from companion.core.errors import InputError
from companion.core.events import Event
from companion.core.exhibits import PhotoFinish
from companion.core.rules import Rules
from companion.games import RULES
from companion.language.language import Language
from companion.referee.journal import Entry, Header, standing_entries
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, print_json, print_lines

if TYPE_CHECKING:
    from companion.core.view import View


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.referee.journal import JournalError
    from companion.referee.store_errors import explain_store_errors

    try:
        return _print_replay(args, settings)
    except JournalError:
        with explain_store_errors(str(args.file)):
            raise


def _print_replay(args: argparse.Namespace, settings: Settings) -> int:
    import msgspec

    from companion.programs.store_responder import load_journal_file, rules_of_journal
    from companion.system.terminal import make_progress_bar

    header, entries = load_journal_file(args.file)
    looked = make_progress_bar(len(entries))
    looked(0)
    from companion.cli.checks.journal_replay import final_state, replay_steps
    from companion.language.language import Language

    language = Language(settings.table.language)
    names = dict(header.names)
    faults = older = 0
    by_older_rules = f"ruled by older rules ({header.software or 'of an earlier version'})"
    rules = rules_of_journal(header)
    last = final_state(rules, header, entries)
    finishes = find_photo_finishes(rules, last, entries)
    by_entry = {found.seq: found for found in finishes}
    far = make_progress_bar(0 if sys.stdout.isatty() else len(entries))
    for step in replay_steps(rules, header, entries, looked=looked):
        far(step.seq + 1)
        faults += bool(step.differs) and not step.older
        older += step.older
        if args.json:
            print_json(msgspec.to_builtins(step), indent=None)
        elif step.rulings or step.differs:
            print_lines(f"{step.seq:>5}  {_format_instant(step.at)}  {step.cause}")
            for sentence in step.rulings:
                print_lines(f"{'':>7}{language.text(sentence, names)}")
            if step.seq in by_entry:
                for line in describe_finish(by_entry[step.seq], language, names):
                    print_lines(f"{'':>9}{line}")
            if step.differs:
                print_lines(f"{'':>7}{by_older_rules if step.older else 'DIFFERS'}: {step.differs}")
            print_lines(f"{'':>7}→ {language.text(step.view.headline, names)}")
            print_lines(f"{'':>9}{_format_table(step.view)}")
    if not args.json:
        ruled = [f"{faults} ruled differently"] if faults else []
        ruled += [f"{older} {by_older_rules}"] if older else []
        judged = count_with_noun(len(entries), "entry", "entries")
        if not header.has_chain:
            print_lines(
                f"It has no checksums (format {header.format}), which would show a changed or missing entry."
            )
        elif header.chain_rewritten:
            print_lines(
                f"Its checksums were written again since it was played: {', '.join(header.chain_rewritten)}."
            )
        print_lines(f"Checked {judged}: {', '.join(ruled) or 'all ruled the same'}.")
    if args.pictures is not None:
        count = draw_photo_finishes(header, last, finishes, args.pictures, language.code)
        if not args.json:
            print_lines(f"{count_with_noun(count, 'photo finish', 'photo finishes')} in {args.pictures}")
    return 1 if faults else 0


def _format_instant(at: int) -> str:
    minutes, micros = divmod(at, 60_000_000)
    return f"{minutes:>3}:{micros / 1_000_000:06.3f}"


def _format_table(view: View) -> str:
    places = (f"{place.region} {'+'.join((place.card or '–', *place.on_top))}" for place in view.places)
    chairs = (f"{chair.chair + 1}{'!' if chair.asked else ''}:{chair.cards}" for chair in view.chairs)
    return f"cards {' '.join(chairs)} | {', '.join(places)}"


def find_photo_finishes(
    rules: Rules[Any], state: Any, entries: Sequence[Entry[Event]]
) -> tuple[PhotoFinish, ...]:
    """Every race of presses that stands, the oldest first."""
    return rules.photo_finishes(state, reversed(list(standing_entries(entries))))


def describe_finish(found: PhotoFinish, language: Language, names: Mapping[Chair, str]) -> list[str]:
    """One line per press, with its distance from the first that could have counted."""
    lines = []
    for press in found.presses:
        away = (press.at - found.zero_time) / 1_000
        who = names.get(press.chair) or language.tr(f"ui.colour.{_chair_colour(press.chair)}")
        verdict = language.tr(f"ui.finish.{press.verdict}")
        lines.append(f"{away:+9.1f} ms  {who} ({press.source}): {verdict}")
    return lines


def draw_photo_finishes(
    header: Header, state: Any, found: Sequence[PhotoFinish], folder: Path, language: str
) -> int:
    """Draw a picture of each photo finish, as the overlay shows it, into `folder`; returns their number.

    Raises `InputError` if the folder cannot be written.
    """
    from companion.ui.finish_images import save_finish_images

    view = RULES[header.game].view(state)
    try:
        save_finish_images(view, found, folder, language=language, names=dict(header.names))
    except OSError as trouble:
        reason = trouble.strerror or str(trouble)
        raise InputError(f"can't save pictures in {folder} ({reason}); name a folder of yours.") from trouble
    return len(found)


def _chair_colour(chair: Chair) -> str:
    from companion.core.actions import PALETTE

    return PALETTE[chair]
