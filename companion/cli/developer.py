"""The commands of `companion dev`: test pictures, the owner's pages, JSON Schemas, simulated games."""

import argparse
import os
from collections import Counter
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.errors import CompanionError, InputError
from companion.network.messages import OwnerPage
from companion.settings.files import settings_from_stdin
from companion.settings.model import Settings
from companion.system.extras import CLUB_PACKAGE, install_command, load_extensions
from companion.system.terminal import count_with_noun, draw_bar, print_json, print_lines, print_text


def dev_misread_command(args: argparse.Namespace, settings: Settings) -> int:
    from companion.cli.checks.misread_pictures import write_labelled_picture

    made = write_labelled_picture(
        settings,
        args.game,
        args.entry,
        card=args.card,
        place=args.place,
        turned=args.turned,
        out=args.out,
    )
    print_lines(f"{made.photo}: {made.card} at {made.place}, read as {made.read}")
    print_lines(f"Measure with it: make bench-vision DATA={args.out} ARGS='--sets {made.game} --alone'")
    return 0


MAX_LISTED_GAMES = 100


class OwnerQuery(msgspec.Struct, frozen=True):
    """What is asked for, and the settings that the table runs with."""

    settings: Settings
    what: OwnerPage
    number: int
    language: str


class NoSuchGameError(CompanionError):
    """There is no such game that is over."""

    exit_code = 3


class GameNotOverError(CompanionError):
    """Something of this game may still be hidden."""

    exit_code = 4


def dev_owner_command(args: argparse.Namespace, settings: Settings) -> int:
    with suppress(OSError):
        os.nice(19)  # the table comes first
    if args.settings_given:
        settings = settings_from_stdin()
    query = OwnerQuery(settings, args.what, args.number, args.language or settings.table.language)
    made = {"games": _list_games, "log": _game_log, "recap": _game_recap, "doctor": _doctor_findings}[
        query.what
    ](query)
    print_text(msgspec.json.encode(made).decode())
    return 0


def _list_games(query: OwnerQuery) -> Any:
    """The newest games that are over, by their seats' colours: no name leaves the table."""
    from companion.games import RULES
    from companion.programs.store_responder import open_store

    words = _load_language(query)
    with open_store(query.settings) as store:
        over = [
            game for game in store.iterate_games() if not game.problem and game.outcome and game.name in RULES
        ]
    return {
        "games": [
            {
                "number": game.game,
                "game": words.tr(f"{game.name}.name"),
                "when": game.date.replace("T", " ")[:16],
                "chairs": [_describe_seat(words, chair) for chair in game.chairs],
                "won": [
                    _describe_seat(words, chair) for chair in (game.outcome.winners if game.outcome else ())
                ],
            }
            for game in over[:MAX_LISTED_GAMES]
        ]
    }


def _game_log(query: OwnerQuery) -> Any:
    from companion.table.history import JournalHistory
    from companion.table.recap.save import format_clock

    number, referee = _open_game(query)
    words = _load_language(query)
    entries = {entry.seq: entry for entry in referee.journal.entries}
    return {
        "number": number,
        "title": words.tr(f"{referee.journal.header.game}.name"),
        "when": referee.journal.header.date.replace("T", " ")[:16],
        "lines": [
            {
                "at": format_clock(entries[line.seq].cause.at),
                "text": words.text(line.sentence),
                "gone": line.taken_back,
            }
            for line in JournalHistory(referee).all_lines()
        ],
    }


def _game_recap(query: OwnerQuery) -> Any:
    from companion.table.recap.save import render_recap

    number, referee = _open_game(query)
    return {"number": number, "html": render_recap(referee, query.language)}


def _doctor_findings(query: OwnerQuery) -> Any:
    from companion.cli.checks.doctor import run_checks
    from companion.system.machine import Machine

    # Without `Devices`: the table that asks has them, and that is no fault.
    found = run_checks(Machine(), query.settings)
    return {"findings": [msgspec.to_builtins(one) for one in found]}


def _open_game(query: OwnerQuery) -> tuple[int, Any]:
    """The game as a referee that may tell everything; no name goes with it."""
    from companion.core.errors import InputError
    from companion.programs.store_responder import open_store, rules_of_journal
    from companion.referee.dry_run import check_journal
    from companion.table.recap.save import check_nothing_hidden

    with open_store(query.settings) as store:
        number = query.number or next(
            (one.game for one in store.iterate_games() if one.outcome and not one.problem), 0
        )
        summary = store.find_game(number) if number else None
        if summary is None or summary.problem:
            raise NoSuchGameError("There is no such game.")
        if not store.is_open(summary):
            raise GameNotOverError("This game isn't over, or its cards may still be hidden.")
        header, entries = store.read_game(number)
    referee = check_journal(rules_of_journal(header), replace(header, names=()), entries)
    try:
        check_nothing_hidden(referee)
    except InputError as hidden:
        raise GameNotOverError(str(hidden)) from hidden
    return number, referee


def _load_language(query: OwnerQuery) -> Any:
    from companion.language.language import Language
    from companion.table.runtime import chair_colours

    return Language(query.language, chair_colours(query.settings))


def _describe_seat(words: Any, chair: int) -> dict[str, Any]:
    """A seat as pages draw it."""
    from companion.ui.toolkit.theme import load_design_tokens

    colour = words.colours[chair]
    shape = next(seat.shape for seat in load_design_tokens().seats if seat.name == colour)
    return {"chair": chair, "name": words.chair_name(chair), "colour": colour, "shape": shape}


def dev_schema_command(args: argparse.Namespace, settings: Settings) -> int:
    print_json(_build_schema(args))
    return 0


def _build_schema(args: argparse.Namespace) -> dict[str, Any]:
    if args.what == "settings":
        from companion.settings.files import settings_schema

        return settings_schema()
    if args.what == "page":
        from companion.network.messages import page_schema

        return page_schema()
    if args.what == "uplink":
        from companion.network.uplink_messages import uplink_schema

        return uplink_schema()
    if args.what == "club":
        schemas = load_extensions("companion.schemas")
        if args.what not in schemas:
            club = install_command(package=CLUB_PACKAGE)
            raise CompanionError(f"This schema is in the package {CLUB_PACKAGE}: {club}")
        return dict(schemas[args.what]())
    from companion.games import find_game_rules
    from companion.referee.journal import journal_schema

    return journal_schema(find_game_rules(args.game))


MAX_SHOWN_FAULTS = 10


def dev_simulate_command(args: argparse.Namespace, settings: Settings) -> int:
    """Simulate whole games; 1 if a promise was broken.

    Raises `InputError` for fewer than one game and for a table at which the game is not played.
    """
    from companion.core.actions import ABANDONED
    from companion.core.clock import GameClock
    from companion.games import check_player_count, find_game_rules
    from companion.simulation.game_simulation import simulate_game

    rules = find_game_rules(args.game)
    if args.games < 1:
        raise InputError("--games must be at least 1.")
    if args.players is not None:
        check_player_count(rules, args.players, bot=args.bot)
    elif args.bot:
        raise InputError(
            "--bot needs --players, e.g. --players 5 --bot. Leave out both to try every table in turn."
        )
    tables = [(args.players, args.bot)] if args.players else list(rules.table_sizes())
    options = settings.house_rules(rules.name)
    clock = GameClock()
    endings: Counter[str] = Counter()
    events: Counter[str] = Counter()
    entries = turns = 0
    in_turns = False
    faults = []
    for number in range(args.games):
        players, bot = table = tables[number % len(tables)]
        played = simulate_game(
            rules.name, players=players, bot=bot, seed=args.seed + number, options=options, shows=True
        )
        endings[played.outcome.termination if played.outcome else "none"] += 1
        events += played.events
        entries += played.entries
        turns += played.turns or 0
        in_turns |= played.turns is not None
        faults += [(_describe_table(table), fault) for fault in played.faults]
        draw_bar(number + 1, args.games, f", {len(faults)} broken")
    seconds = max(clock.now(), 1) / 1_000_000
    rulings = events.total()
    games_of = f"{count_with_noun(args.games, 'game')} of {rules.name}"
    print_lines(f"{games_of}, {', '.join(map(_describe_table, tables))} players, seeds from {args.seed}")
    print_lines(f"endings     {', '.join(f'{name} {count}' for name, count in endings.most_common())}")
    print_lines(f"unfinished  {endings[ABANDONED] + endings['none']}")
    of_turns = f", {turns / args.games:.1f} turns" if in_turns else ""
    print_lines(f"a game      {entries / args.games:.0f} entries{of_turns}")
    print_lines(f"speed       {rulings / seconds:,.0f} rulings/s, {args.games / seconds:.1f} games/s")
    for name, count in events.most_common():
        print_lines(f"  {count:>9,}  {name}")
    print_lines(f"broken      {len(faults)}")
    for players, fault in faults[:MAX_SHOWN_FAULTS]:
        print_lines(f"  seed {fault.seed}, {players} players, entry {fault.seq}: {fault.what}")
    if len(faults) > MAX_SHOWN_FAULTS:
        print_lines(f"  and {len(faults) - MAX_SHOWN_FAULTS} more")
    return 1 if faults else 0


def _describe_table(table: tuple[int, bool]) -> str:
    players, bot = table
    return f"{players}{' + BOT' * bot}"
