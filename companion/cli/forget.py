"""`companion forget`: what is stored about people, and how it goes away."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from pathlib import Path

from companion.errors import InputError
from companion.settings import Settings

NAME = "forget"
HELP = "list what is stored about people, or take a name out of everything"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="whom to forget; without it, who is known")
    parser.add_argument("--pictures", action="store_true", help="throw every picture of a ruling away")


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.cli._evidence import pictures, thrown_away
    from companion.cli._games import store_of, told
    from companion.settings_files import save

    folder = settings.store_folder()
    if args.pictures:
        with told(str(folder)):
            count = thrown_away(pictures(folder))
        print(f"{count} picture{'' if count == 1 else 's'} of rulings thrown away.")
        if args.name is None:
            return 0
    names = settings.table.names
    origin = settings.origins.get("table.names", "default")
    with store_of(settings) as store:
        known = store.people()
        if args.name is None:
            _list(known, names, origin, str(store.path))
            _list_pictures(folder)
            return 0
        if args.name not in known and args.name not in names:
            close = get_close_matches(args.name, {*known, *names}, n=1)
            raise InputError(
                f"{args.name} is not known at this table"
                + (f"; did you mean {close[0]}?" if close else ", neither in its games nor in its settings.")
            )
        if args.name in known:
            theirs = {game.game for game in store.games(kind=None) if args.name in dict(game.names).values()}
            with told(str(store.path)):
                count = thrown_away(picture for picture in pictures(folder) if picture.game in theirs)
                games = store.forget(args.name)
            if count:
                print(f"{count} picture{'' if count == 1 else 's'} of rulings in their games thrown away.")
            print(f"{args.name} is taken out of {games} game{'' if games == 1 else 's'} in {store.path}.")
    if args.name in names:
        file = Path(origin)
        if not file.is_file():
            raise InputError(
                f"{args.name} is also in table.names, which the {origin} sets; take it out there."
            )
        kept = ["" if name == args.name else name for name in names]
        while kept and not kept[-1]:
            kept.pop()
        save(file, {"table.names": kept or None})
        print(f"{args.name} is taken out of table.names in {file}.")
    print("Files that were exported, recorded or backed up elsewhere are yours to delete.")
    return 0


def _list(known: dict[str, int], names: tuple[str, ...], origin: str, store: str) -> None:
    if not known and not any(names):
        print("No names are stored at this table.")
    for name, games in known.items():
        print(f"{name}: in {games} game{'' if games == 1 else 's'}")
    for chair, name in enumerate(names, start=1):
        if name:
            print(f"{name}: chair {chair} in table.names ({origin})")
    print(
        "\nStored about people: the names typed at set-up and the chairs' presses with their times, in"
        f"\n{store}; names in the settings."
        "\nNo pictures unless storage.evidence or --record asks for them; no sound, ever."
    )


def _list_pictures(folder: Path) -> None:
    from companion.cli._evidence import pictures

    kept = pictures(folder)
    if kept:
        games = len({picture.game for picture in kept})
        print(
            f"{len(kept)} picture{'' if len(kept) == 1 else 's'} of rulings in {games} "
            f"game{'' if games == 1 else 's'}, in {folder / 'evidence'}: they may show hands. "
            "companion forget --pictures throws them away."
        )
