"""`python -m companion.printing`: writes what is printed, and with --assets the pictures made from it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from companion.games import mats
from companion.paths import assets
from companion.printing.deck import load_deck
from companion.printing.mat import print_mat, print_mat_tiles
from companion.printing.pictures import enrolment_pictures, renderer_textures
from companion.printing.sheets import print_sheets
from companion.vision.decks import enrol, pictures_from

GAMES = mats()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the decks and the mats; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m companion.printing", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("build/print"), help="folder of the PDFs (%(default)s)"
    )
    parser.add_argument("--game", choices=GAMES, help="only this one's (all)")
    parser.add_argument(
        "--assets", action="store_true", help="also remake the enrolment pictures and the renderer's textures"
    )
    options = parser.parse_args(arguments)
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    for game in [options.game] if options.game else GAMES:
        _print(game, out, remake=options.assets)
    return 0


def _print(game: str, out: Path, *, remake: bool) -> None:
    fonts = assets() / "fonts"
    cards, mat, tiles = out / f"{game}.pdf", out / f"{game}-mat-a2.pdf", out / f"{game}-mat-a4.pdf"
    placed = print_sheets(load_deck(assets() / "decks" / f"{game}.toml"), cards, fonts)
    print_mat(mat, fonts, game)
    pages = print_mat_tiles(tiles, fonts, game)
    if remake:
        folder = assets() / "decks" / game
        enrolment_pictures(cards, placed, folder / "enrol")
        enrol(pictures_from(folder / "enrol"), name=game).save(folder / f"{game}.deck")
        renderer_textures(cards, placed, mat).save(folder)
    sys.stdout.write(
        f"{cards}: {len(placed) // 2} cards, print on both sides, flip on the long edge, at 100 %\n"
        f"{mat}: the table mat on one A2 page\n{tiles}: the same mat on {pages} A4 pages\n"
    )


if __name__ == "__main__":
    sys.exit(main())
