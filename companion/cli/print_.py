"""`companion print`: a game's cards, its mat and what is read beside them as PDF, in real size."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import CompanionError, InputError
from companion.settings.extras import to_add
from companion.settings.model import Settings
from companion.settings.progress import working
from companion.settings.terminal import say

if TYPE_CHECKING:
    from companion.core.game import Game
    from companion.ui.language import Language

SHEETS = ("deck", "mat", "quickstart", "buttons", "first-evening")
"""What is printed where nobody says what."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to print of one game, and where to."""

    game: Game
    out: Path
    words: Language
    paper: str = ""
    """`A4`, `A2` or `Letter`; empty: cards on A4, the mat on A2 and on A4."""

    @property
    def fonts(self) -> Path:
        from companion.games import paths

        return paths.assets() / "fonts"

    @property
    def deck(self) -> Path:
        """The file with the faces of its cards; `InputError` where it has none."""
        from companion.games import assets

        deck = assets(self.game.name) / "decks" / f"{self.game.name}.toml"
        if not deck.exists():
            raise InputError(f"{self.game.name} has no deck to print: add {deck} with its faces.")
        return deck

    def file(self, part: str = "") -> Path:
        return self.out / f"{self.game.name}{part}.pdf"


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Draw what is asked for into a folder, each as a PDF.

    Raises `CompanionError` where reportlab is not installed, `InputError` for a deck that cannot be drawn.
    """
    from companion.games import GAMES, mats
    from companion.games.asked import game_named
    from companion.ui.language import Language

    wanted = mats() if args.game is None else (game_named(args.game).name,)
    if find_spec("reportlab") is None:
        raise CompanionError(f"Printing needs the library reportlab. Install it: {to_add('print')}")
    args.out.mkdir(parents=True, exist_ok=True)
    from companion.printing.deck import DeckError

    words = Language(settings.table.language)
    asked = (args.what,) if args.what else SHEETS
    for game in wanted:
        order = Order(GAMES[game], args.out, words, args.paper or "")
        try:
            for what in asked:
                if what in OF_A_GAME:
                    with working(f"Drawing {game}: {what}"):
                        said = tuple(OF_A_GAME[what](order))
                    say(*said)
            if args.remake:
                remake(order)
        except DeckError as trouble:
            raise InputError(str(trouble)) from trouble
    if "buttons" in asked:
        say(*print_buttons(args.out, words))
    if "first-evening" in asked:
        say(*print_first_evening(args.out, words, args.paper or "A4"))
    return 0


def print_deck(order: Order) -> Iterator[str]:
    from companion.printing.deck import load_deck
    from companion.printing.sheets import A4_MM, LETTER_MM, print_sheets

    letter = order.paper == "Letter"
    cards = order.file("-letter" if letter else "")
    faces = load_deck(order.deck)
    placed = print_sheets(faces, cards, order.fonts, sheet=LETTER_MM if letter else A4_MM)
    yield f"{cards}: {len(placed) // 2} cards; print two-sided, flip on the long edge, at 100 %"


def print_single_cards(order: Order) -> Iterator[str]:
    from companion.printing.deck import load_deck
    from companion.printing.sheets import print_cards

    cards = order.file("-cards")
    count = print_cards(load_deck(order.deck), cards, order.fonts)
    yield f"{cards}: {count} cards, front and back on pages of their own, with 1.5 mm of bleed"


def print_mats(order: Order, *, marks: bool = True) -> Iterator[str]:
    from companion.games import full_mat
    from companion.printing.mat import print_mat, print_mat_tiles
    from companion.printing.sheets import A4_MM, LETTER_MM

    layout, draw = full_mat(order.game.name), order.game.draw_mat
    name = "-mat" if marks else "-plain-mat"
    what = "the table mat" if marks else "the mat without marks, for a table without a camera"
    for paper in (order.paper,) if order.paper else ("A2", "A4"):
        file = order.file(f"{name}-{paper.lower()}")
        if paper == "A2":
            print_mat(file, order.fonts, layout, draw, marks=marks)
            yield f"{file}: {what} on one A2 page"
            continue
        size = LETTER_MM if paper == "Letter" else A4_MM
        pages = print_mat_tiles(file, order.fonts, layout, draw, page=size, marks=marks)
        yield f"{file}: {what} on {pages} {paper} pages"


def print_plain_mats(order: Order) -> Iterator[str]:
    yield from print_mats(order, marks=False)


def print_quickstart(order: Order) -> Iterator[str]:
    """Side one: what the game is and how a turn goes; side two: the button. A game without words has none."""
    from companion.printing.leaflet import Part, Side, print_leaflet

    game, words = order.game.name, order.words

    def told(*keys: str) -> tuple[str, ...]:
        """The sentences that the game has."""
        return tuple(words.tr(key) for key in keys if key in words)

    about = told(f"{game}.about.who", *(f"{game}.about.goal.{number}" for number in (1, 2, 3)))
    turn = told(*(f"{game}.sheet.turn.{number}" for number in (1, 2, 3, 4)))
    button = told(*(f"{game}.sheet.button.{number}" for number in (1, 2, 3)))
    if not about:
        yield f"{game}: it has no sentences for a quick-start card"
        return
    (title,), line = told(f"{game}.name") or (game,), "".join(told(f"{game}.line"))
    rules = (Part("", about), *((Part(words.tr("ui.print.turn"), turn),) if turn else ()))
    hands = (Part(title, button), Part(words.tr("ui.print.every"), everybody(words)))
    sides = (Side(title, line, rules), Side(words.tr("ui.print.buttons"), "", hands if button else hands[1:]))
    card = order.file("-quickstart")
    print_leaflet(card, order.fonts, sides)
    yield f"{card}: the rules and the button on one A6 card; print two-sided"


def everybody(words: Language) -> tuple[str, ...]:
    """What a button does in every game."""
    return tuple(words.tr(f"ui.print.{part}") for part in ("sit", "lamp", "two", "more"))


def print_buttons(out: Path, words: Language) -> Iterator[str]:
    from companion.games import paths
    from companion.printing.leaflet import Part, Side, print_leaflet

    table = (words.tr("ui.print.screen"), words.tr("ui.off.lead"), words.tr("ui.print.keys"))
    card = out / "buttons.pdf"
    side = Side(words.tr("ui.print.buttons"), "", (Part("", everybody(words)), Part("", table)))
    print_leaflet(card, paths.assets() / "fonts", (side,))
    yield f"{card}: the buttons on one A6 card"


def print_first_evening(out: Path, words: Language, paper: str) -> Iterator[str]:
    """One sheet: set up, check, play, and what to do when something goes wrong."""
    from companion.games import paths
    from companion.printing.leaflet import Part, Side, print_leaflet
    from companion.printing.sheets import A4_MM, LETTER_MM

    named = {
        part: words.tr(f"ui.{part}") for part in ("calibrate", "enrol", "why", "take_back", "menu", "correct")
    }
    named |= {part: words.tr(f"ui.home.{part}") for part in ("learn", "continue")}

    def told(*parts: str) -> tuple[str, ...]:
        return tuple(words.tr(f"ui.print.evening.{part}", **named) for part in parts)

    headings = told("set_up", "check", "play", "wrong")
    sentences = (
        told("mat", "plugs", "home", "language"),
        told("camera", "cards", "missing"),
        (*told("new", "choose"), *everybody(words)),
        (*told("why", "misread", "power"), words.tr("ui.off.lead")),
    )
    steps = zip(headings, sentences, strict=True)
    parts = tuple(Part(f"{number}. {heading}", told) for number, (heading, told) in enumerate(steps, 1))
    title, line = words.tr("ui.print.evening"), words.tr("ui.print.evening.line")
    page, size = out / "first-evening.pdf", LETTER_MM if paper == "Letter" else A4_MM
    print_leaflet(page, paths.assets() / "fonts", (Side(title, line, parts),), sheet=size, scale=1.4)
    yield f"{page}: from the box to the first game, on one sheet"


OF_A_GAME: Mapping[str, Callable[[Order], Iterator[str]]] = {
    "deck": print_deck,
    "mat": print_mats,
    "quickstart": print_quickstart,
    "cards": print_single_cards,
    "plain-mat": print_plain_mats,
}


def remake(order: Order) -> None:
    """Overwrite what the assets have of a game with what is drawn now."""
    from companion.games import full_mat
    from companion.printing.deck import load_deck
    from companion.printing.mat import print_mat
    from companion.printing.pictures import enrolment_pictures, renderer_textures, token_pictures
    from companion.printing.sheets import print_sheets
    from companion.printing.tokens import load_tokens, print_tokens
    from companion.vision.decks import enrol, pictures_from

    game, deck = order.game, order.deck
    cards, mat, folder = order.file(), order.file("-mat-a2"), deck.parent / order.game.name
    placed = print_sheets(load_deck(deck), cards, order.fonts)
    print_mat(mat, order.fonts, full_mat(game.name), game.draw_mat)
    enrolment_pictures(cards, placed, folder / "enrol")
    enrolled = enrol(pictures_from(folder / "enrol"), name=game.name, complete=True)
    enrolled.save(folder / f"{game.name}.deck")
    renderer_textures(cards, placed, mat).save(folder)
    tokens, drawn = load_tokens(deck), order.file("-tokens")
    print_tokens(tokens, drawn, order.fonts)
    token_pictures(drawn, [token.name for token in tokens], folder / "tokens")
