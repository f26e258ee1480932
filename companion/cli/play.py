"""`companion play`: opens the table for real games."""

import argparse
from pathlib import Path

from companion.core.errors import InputError
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
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
    from companion.programs.play import StartOptions, run_play
    from companion.ui.commands import StartGame

    if rules is None:
        return run_play(settings, StartOptions(go_on=args.go_on))
    if not chairs:
        return run_play(settings, StartOptions(page="setup", game=rules.name))
    known = dict(enumerate(settings.table.names))
    names = tuple((chair, known[chair]) for chair in chairs if known.get(chair))
    return run_play(settings, StartOptions(command=StartGame(rules.name, chairs, None, names, bot=args.bot)))


def resume_game(number: int, settings: Settings, unrestored: tuple[Path, ...]) -> int:
    """Continue a stored game; the screen names the logs from which not everything could be restored."""
    from companion.programs.play import StartOptions, run_play
    from companion.ui.commands import ResumeGame

    return run_play(settings, StartOptions(command=ResumeGame(str(number)), unrestored=unrestored))


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
