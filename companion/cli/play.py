"""The commands that open the table's window to play: `play`, `resume`, `demo`, `practice`, `drill`."""

import argparse
from pathlib import Path
from shlex import quote

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings


def play_command(args: argparse.Namespace, settings: Settings) -> int:
    """Open the table: its menu, the set-up of a game, or a game on these chairs.

    Raises `InputError` for chairs without a game, and for those at which it cannot be played.
    """
    from companion.games import check_player_count, find_game_rules

    settings = settings.with_full_screen(window=args.window)
    if args.chairs is not None and args.game is None:
        raise InputError("--chairs needs a game, e.g. companion play GAME --chairs 1,2,3,4")
    rules = None if args.game is None else find_game_rules(args.game)
    chairs = () if args.chairs is None else parse_chairs(args.chairs, settings.table.chairs)
    if rules is not None and args.chairs is not None:
        if len(set(chairs)) != len(chairs) or len(chairs) not in rules.players:
            least, most = rules.players[0], rules.players[-1]
            raise InputError(f"{rules.name} needs {least} to {most} different chairs, e.g. --chairs 1,2,3,4")
        check_player_count(rules, len(chairs), bot=args.bot)
    from companion.programs.play import run_play
    from companion.table.runtime import StartOptions
    from companion.ui.commands import StartGame

    if rules is None:
        return run_play(settings, StartOptions(go_on=args.go_on))
    if not chairs:
        return run_play(settings, StartOptions(page="setup", game=rules.name))
    known = dict(enumerate(settings.table.names))
    names = tuple((chair, known[chair]) for chair in chairs if known.get(chair))
    return run_play(settings, StartOptions(command=StartGame(rules.name, chairs, None, names, bot=args.bot)))


def parse_chairs(text: str, chairs: int) -> tuple[int, ...]:
    """The chairs of a list such as "1,3,5", counted from 0; `chairs`: how many there are.

    Raises `InputError` for a number that is no chair.
    """
    listed = []
    for number in text.split(","):
        if not number.strip().isdecimal() or not 1 <= int(number) <= chairs:
            raise InputError(f"This table has no chair {number!r}: choose from 1 to {chairs}.")
        listed.append(int(number) - 1)
    return tuple(listed)


def resume_command(args: argparse.Namespace, settings: Settings) -> int:
    """Continue a stored game; the screen names the logs from which not everything could be restored."""
    number, unrestored = find_unfinished_game(settings, args.game)
    from companion.programs.play import run_play
    from companion.table.runtime import StartOptions
    from companion.ui.commands import ResumeGame

    return run_play(settings, StartOptions(command=ResumeGame(str(number)), unrestored=unrestored))


def find_unfinished_game(settings: Settings, wanted: int | None) -> tuple[int, tuple[Path, ...]]:
    """The number of the game to continue: the newest unfinished one unless one is `wanted`; and the logs from
    which not everything could be restored.

    Raises `CompanionError` if there is none, `InputError` if the wanted one does not exist or is over.
    """
    from companion.programs.store_responder import open_store
    from companion.referee.journal import JOURNAL_KINDS

    with open_store(settings, lock=True) as store:
        if wanted is None:
            newest = store.find_unfinished()
            if newest is None:
                for log in filter(Path.is_file, store.unrestored):
                    raise CompanionError(
                        f"the unfinished game may be in {log}, which couldn't be restored;"
                        f" load it with companion import {quote(str(log))} --salvage."
                    )
                for game in store.iterate_games():
                    if game.problem and game.outcome is None:
                        store.read_game(game.game)  # says what is wrong with it, and what can be saved
                raise CompanionError("There is no unfinished game. Start one: companion play")
            return newest.game, store.unrestored
        chosen = store.find_game(wanted)
        if chosen is not None and chosen.kind not in JOURNAL_KINDS:
            store.read_game(wanted)
        if chosen is None or chosen.kind != "game":
            raise InputError(f"There is no game {wanted}. See the list: companion games")
        if chosen.outcome is not None:
            raise InputError(f"Game {wanted} is over. Look back on it: companion recap {wanted}")
        return chosen.game, store.unrestored


DEFAULT_SEATS = 4
DEFAULT_SEED = 1


def demo_command(args: argparse.Namespace, settings: Settings) -> int:
    from companion.games import check_player_count, find_game_rules

    wanted = (args.game, args.seats, args.seed, args.record)
    plain = args.bot or any(one is not None for one in wanted)
    rules = find_game_rules(args.game)
    seats = min(max(DEFAULT_SEATS, rules.players[0]), rules.players[-1]) if args.seats is None else args.seats
    check_player_count(rules, seats, bot=args.bot)
    from companion.programs.play import open_splash_window

    window = open_splash_window(settings, "Table companion: demo")
    from companion.programs.demo import Act, run_demo, show_acts

    seed = DEFAULT_SEED if args.seed is None else args.seed
    acts = (Act(rules, seats, seed, bot=args.bot),) if plain else show_acts()
    return run_demo(acts, settings, fast=args.fast, record=args.record, window=window)


def practice_command(args: argparse.Namespace, settings: Settings) -> int:
    """Play against simulated people. Raises `InputError` for a game without practice."""
    from companion.games import GAMES, check_player_count, default_player_count, find_game_rules

    rules = find_game_rules(args.game)
    practised = [name for name, game in GAMES.items() if game.opponents is not None]
    if rules.name not in practised:
        raise InputError(f"There is no practice for {rules.name} yet; choose from: {', '.join(practised)}.")
    players = args.players or default_player_count(rules)
    check_player_count(rules, players, bot=args.bot)
    from companion.programs.simulated_host import run_practice
    from companion.ui.commands import StartPractice

    wanted = StartPractice(rules.name, args.strength, args.open, players, args.bot)
    return run_practice(settings, wanted, seed=args.seed)


def drill_command(args: argparse.Namespace, settings: Settings) -> int:
    """Train the Stop. Raises `InputError` for a number of signals outside 1 to 100."""
    if not 1 <= args.signals <= 100:
        raise InputError(f"--signals takes a number from 1 to 100, not {args.signals}.")
    from companion.programs.drill import run_drill

    return run_drill(
        settings, signals=args.signals, simulate=args.simulate, seed=args.seed, as_json=args.json
    )
