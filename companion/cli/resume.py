"""`companion resume`: continues an unfinished game."""

import argparse
from pathlib import Path
from shlex import quote

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
    number, unrestored = find_unfinished_game(settings, args.game)
    from companion.cli.play import resume_game  # type: ignore[import-not-found,import-untyped,unused-ignore]

    return int(resume_game(number, settings, unrestored))


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
