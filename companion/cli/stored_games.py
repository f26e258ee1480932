"""The commands of stored games: `games`, `recap`, `export`, `import`, `backup`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings
from companion.system.safe_files import sync_to_disk
from companion.system.terminal import (
    count_with_noun,
    explain_write_errors,
    print_json,
    print_json_list,
    print_lines,
    print_text,
    show_activity,
)

if TYPE_CHECKING:
    from companion.referee.standings import Standing
    from companion.referee.store import GameSummary


if TYPE_CHECKING:
    from companion.core.events import Event
    from companion.referee.journal import Entry, Header


if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.core.events import Event
    from companion.referee.journal import Entry, Header


DEFAULT_LISTED_GAMES = 100
"""How many are listed where nobody asks for more."""
PROBLEM_TEXTS: Mapping[str, str] = {
    "newer": "saved by a newer version; update this program",
    "unknown_game": "this program doesn't know that game; update it",
    "damaged": "it is damaged",
    "altered": "it is damaged",
    "foreign": "it is damaged",
    "too_old": "saved by a version that is too old",
}


def games_command(args: argparse.Namespace, settings: Settings) -> int:
    import msgspec

    from companion.programs.store_responder import open_store

    since = _format_day(args.since)
    ranked = args.league or args.csv or args.bgsplay
    with open_store(settings) as store:
        stored = store.iterate_games(None if args.all and not ranked else "game")
        games = (game for game in stored if game.problem or game.date >= since)
        if ranked:
            return _print_league(args, settings, games)
        if args.json:
            print_json_list(msgspec.to_builtins(game) for game in games)
            return 0
        return _print_games(games, settings, newest=None if args.all or since else DEFAULT_LISTED_GAMES)


def _print_games(games: Iterable[GameSummary], settings: Settings, *, newest: int | None) -> int:
    """The list, at most the `newest`."""
    listed = 0
    for game in games:
        if listed == newest:
            print_lines(f"These are the newest {newest}. See all: --all; since a day: --since DATE.")
            return 0
        print_lines(_format_game(game))
        listed += 1
    if not listed:
        print_lines(f"No games at table {settings.table.name!r} yet. Start one: companion play")
    return 0


def _format_game(game: GameSummary) -> str:
    """A game as the list has it."""
    people = ", ".join(_format_person(game, chair) for chair in game.chairs)
    if game.problem:
        why = PROBLEM_TEXTS.get(game.problem, game.problem)
        return f"{game.game:>4}  {'':<16}  {'':<10}  can't be opened: {why}"
    if game.outcome is None:
        ended = "unfinished"
    elif game.outcome.winners:
        ended = f"won by {', '.join(_format_person(game, chair) for chair in game.outcome.winners)}"
    else:
        ended = game.outcome.termination
    kind = "" if game.kind == "game" else f"{game.kind}, "
    when = game.date[:16].replace("T", " ")
    return f"{game.game:>4}  {when:<16}  {game.name:<10}  {kind}{ended}  ({people})"


def _format_person(game: GameSummary, chair: int) -> str:
    from companion.referee.standings import player_label

    return player_label(game, chair)


def _format_day(text: str) -> str:
    import re

    if text and not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", text):
        raise InputError(f'"{text}" isn\'t a date. Use YYYY-MM-DD, e.g. 2026-11-20.')
    return text


def _print_league(args: argparse.Namespace, settings: Settings, games: Iterable[GameSummary]) -> int:
    import msgspec

    from companion.games import RULES
    from companion.referee import standings

    ended = standings.finished_games(games)
    overall, single = standings.standings(ended), standings.standings_by_game(ended)
    if args.csv:
        _write_output(args.csv, standings.standings_csv((*overall, *single)))
    if args.bgsplay:
        written = {name: rules.board.title for name, rules in RULES.items()}
        _write_output(
            args.bgsplay, standings.bgstats_json(ended, location=settings.table.name, written=written)
        )
    if args.json:
        print_json([msgspec.to_builtins(row) for row in (*overall, *single)])
    elif args.league or not (args.csv or args.bgsplay):
        _print_standings(overall, single, len(ended))
    return 0


def _print_standings(overall: Sequence[Standing], single: Sequence[Standing], count: int) -> None:
    print_lines(f"{count_with_noun(count, 'finished game')}.")
    widest = max((len(row.name) for row in overall), default=0)
    for title in dict.fromkeys(("", *(row.game for row in single))):
        rows = overall if not title else [row for row in single if row.game == title]
        if rows:
            print_lines("", title or "all games")
        for row in rows:
            together = f" ({row.shared} together)" if row.shared else ""
            print_lines(f"  {row.name:<{widest}}  {row.won:>3} won of {row.played}{together}")


def _write_output(where: str, text: str) -> None:
    if where == "-":
        print_text(text)
        return
    path = Path(where)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{where} isn't a plain file; name another one.")
    with explain_write_errors(path):
        path.write_text(text, encoding="utf-8", newline="")
    print_lines(f"Saved {where}.")


def recap_command(args: argparse.Namespace, settings: Settings) -> int:
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


def _read_game(named: str, settings: Settings) -> tuple[Header, list[Entry[Event]], bool]:
    """A game of the store by its number, or a journal by its file; last, whether all of it is open."""
    from companion.programs.store_responder import load_journal_file, open_store

    if not named.isdigit():
        return *load_journal_file(Path(named)), True
    with open_store(settings) as store:
        read, known = store.read_game(int(named)), store.find_game(int(named))
        return *read, known is None or store.is_open(known)


HIDDEN_CARDS_WARNING = (
    "That game isn't over, and this file names its hidden cards: don't show it to the players."
)


def export_command(args: argparse.Namespace, settings: Settings) -> int:
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


def import_command(args: argparse.Namespace, settings: Settings) -> int:
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


def backup_command(args: argparse.Namespace, settings: Settings) -> int:
    """Copy the store to the folder that is named, else to the USB stick that is found.

    Raises `CompanionError` where there is neither, `InputError` for what is no folder.
    """
    from companion.core.clock import wall_time
    from companion.games import RULES
    from companion.programs.store_responder import open_store
    from companion.referee.backup import back_up
    from companion.table.power_and_usb import find_stick

    disk = args.folder or find_stick()
    if disk is None:
        raise CompanionError("no USB stick found: plug one in, or name a folder: companion backup FOLDER")
    if not disk.is_dir():
        raise InputError(f"{disk} is not a folder: name an existing one.")
    with open_store(settings), show_activity("Copying and checking"):
        done = back_up(settings.store_folder(), settings.table.name, disk, wall_time(), RULES)
    print_lines(
        f"Copied to {done.folder} and checked: "
        f"{count_with_noun(done.games, 'game')}, {count_with_noun(done.decks, 'deck')}."
    )
    return 0
