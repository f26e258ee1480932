"""`companion print`: a game's cards and its mat as PDF, in real size."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings
from companion.settings.terminal import say

if TYPE_CHECKING:
    from companion.core.game import Game

NAME = "print"
HELP = "make PDFs of the cards and the mat, in real size"
GROUP = "Set up"
EXAMPLES = ("companion print", "companion print GAME")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", help="only this game (default: all)")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        default=Path("build/print"),
        help="folder for the PDFs (default: %(default)s)",
    )
    parser.add_argument(
        "--remake",
        action="store_true",
        help="(developer) also remake the pictures and the deck in the game's assets",
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.games import GAMES, mats
    from companion.games.asked import game_named

    wanted = mats() if args.game is None else (game_named(args.game).name,)
    if find_spec("reportlab") is None:
        raise CompanionError(
            "Printing needs two more libraries. Install them: pip install reportlab pypdfium2"
        )
    args.out.mkdir(parents=True, exist_ok=True)
    from companion.printing.deck import DeckError

    for game in wanted:
        try:
            write(GAMES[game], args.out, remake=args.remake)
        except DeckError as trouble:
            raise InputError(str(trouble)) from trouble
    return 0


def write(game: Game, out: Path, *, remake: bool = False) -> None:
    """The sheets of one game; `remake` also overwrites what the assets have of it."""
    from companion.games import assets, full_mat, paths
    from companion.printing.deck import load_deck
    from companion.printing.mat import print_mat, print_mat_tiles
    from companion.printing.sheets import print_sheets

    fonts, decks, layout = paths.assets() / "fonts", assets(game.name) / "decks", full_mat(game.name)
    cards, mat, tiles = (out / f"{game.name}{part}.pdf" for part in ("", "-mat-a2", "-mat-a4"))
    deck = decks / f"{game.name}.toml"
    if not deck.exists():
        raise InputError(f"{game.name} has no deck to print: add {deck} with its faces.")
    placed = print_sheets(load_deck(deck), cards, fonts)
    print_mat(mat, fonts, layout, game.draw_mat)
    pages = print_mat_tiles(tiles, fonts, layout, game.draw_mat)
    if remake:
        from companion.printing.pictures import enrolment_pictures, renderer_textures, token_pictures
        from companion.printing.tokens import load_tokens, print_tokens
        from companion.vision.decks import enrol, pictures_from

        folder = decks / game.name
        enrolment_pictures(cards, placed, folder / "enrol")
        enrolled = enrol(pictures_from(folder / "enrol"), name=game.name, complete=True)
        enrolled.save(folder / f"{game.name}.deck")
        renderer_textures(cards, placed, mat).save(folder)
        tokens, drawn = load_tokens(deck), out / f"{game.name}-tokens.pdf"
        print_tokens(tokens, drawn, fonts)
        token_pictures(drawn, [token.name for token in tokens], folder / "tokens")
    say(f"{cards}: {len(placed) // 2} cards; print two-sided, flip on the long edge, at 100 %")
    say(f"{mat}: the table mat on one A2 page")
    say(f"{tiles}: the same mat on {pages} A4 pages")
