"""`companion print`: prints a game's cards, mats or leaflets as PDF."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings
from companion.system.extras import install_command
from companion.system.terminal import print_lines, show_activity

if TYPE_CHECKING:
    from companion.core.game import Game
    from companion.language.language import Language
    from companion.printing.deck_file import CardFace

DEFAULT_PARTS = ("deck", "mat", "quickstart", "buttons", "first-evening")
"""What is printed where nobody says what."""


@dataclass(frozen=True, slots=True)
class PrintJob:
    """What to print of one game, and where to."""

    game: Game
    out: Path
    language: Language
    paper: str = ""
    """`A4`, `A2` or `Letter`; empty: cards on A4, the mat on A2 and on A4."""

    @property
    def fonts(self) -> Path:
        from companion.system import asset_paths

        return asset_paths.bundled_assets_folder() / "fonts"

    @property
    def deck_path(self) -> Path:
        """The file with the faces of its cards; `InputError` where it has none."""
        from companion.games import deck_folder

        deck = deck_folder(self.game.name).with_suffix(".toml")
        if not deck.exists():
            raise InputError(f"{self.game.name} has no deck to print: add {deck} with its faces.")
        return deck

    def load_faces(self) -> tuple[CardFace, ...]:
        """What is printed of its deck, with the backs; `DeckFileError` names what cannot be used."""
        from companion.printing.deck_file import load_deck

        cards = self.game.cards
        return tuple(
            face for face in load_deck(self.deck_path) if not cards or face.card in cards or not face.copies
        )

    def output_path(self, part: str = "") -> Path:
        return self.out / f"{self.game.name}{part}.pdf"


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Draw what is asked for into a folder, each as a PDF.

    Raises `CompanionError` where reportlab is not installed, `InputError` for a deck that cannot be drawn.
    """
    from companion.games import GAMES, find_game_rules, games_with_mat
    from companion.language.language import Language

    wanted = games_with_mat() if args.game is None else (find_game_rules(args.game).name,)
    if find_spec("reportlab") is None:
        raise CompanionError(f"Printing needs the library reportlab. Install it: {install_command('print')}")
    args.out.mkdir(parents=True, exist_ok=True)
    from companion.printing.deck_file import DeckFileError

    words = Language(settings.table.language)
    asked = (args.what,) if args.what else DEFAULT_PARTS
    for game in wanted:
        order = PrintJob(GAMES[game], args.out, words, args.paper or "")
        try:
            for what in asked:
                if what in GAME_PRINTERS:
                    with show_activity(f"Drawing {game}: {what}"):
                        said = tuple(GAME_PRINTERS[what](order))
                    print_lines(*said)
            if args.remake:
                rebuild_assets(order)
        except DeckFileError as trouble:
            raise InputError(str(trouble)) from trouble
    if "buttons" in asked:
        print_lines(*print_buttons(args.out, words))
    if "first-evening" in asked:
        print_lines(*print_first_evening(args.out, words, args.paper or "A4"))
    return 0


def print_deck(order: PrintJob) -> Iterator[str]:
    from companion.printing.sheets import A4_MM, LETTER_MM, print_sheets

    letter = order.paper == "Letter"
    cards = order.output_path("-letter" if letter else "")
    placed = print_sheets(order.load_faces(), cards, order.fonts, sheet=LETTER_MM if letter else A4_MM)
    yield f"{cards}: {len(placed) // 2} cards; print two-sided, flip on the long edge, at 100 %"


def print_single_cards(order: PrintJob) -> Iterator[str]:
    from companion.printing.sheets import print_cards

    cards = order.output_path("-cards")
    count = print_cards(order.load_faces(), cards, order.fonts)
    yield f"{cards}: {count} cards, front and back on pages of their own, with 1.5 mm of bleed"


def print_mats(order: PrintJob, *, marks: bool = True) -> Iterator[str]:
    from companion.games import printed_mat
    from companion.printing.mat import print_mat, print_mat_tiles
    from companion.printing.sheets import A4_MM, LETTER_MM

    layout, draw = printed_mat(order.game.name), order.game.draw_mat
    name = "-mat" if marks else "-plain-mat"
    what = "the table mat" if marks else "the mat without marks, for a table without a camera"
    for paper in (order.paper,) if order.paper else ("A2", "A4"):
        file = order.output_path(f"{name}-{paper.lower()}")
        if paper == "A2":
            print_mat(file, order.fonts, layout, draw, marks=marks)
            yield f"{file}: {what} on one A2 page"
            continue
        size = LETTER_MM if paper == "Letter" else A4_MM
        pages = print_mat_tiles(file, order.fonts, layout, draw, page=size, marks=marks)
        yield f"{file}: {what} on {pages} {paper} pages"


def print_plain_mats(order: PrintJob) -> Iterator[str]:
    yield from print_mats(order, marks=False)


def print_quickstart(order: PrintJob) -> Iterator[str]:
    """Side one: what the game is and how a turn goes; side two: the button. A game without words has none."""
    from companion.printing.leaflet import LeafletPage, LeafletSection, print_leaflet

    game, words = order.game.name, order.language

    def existing_sentences(*keys: str) -> tuple[str, ...]:
        """The sentences that the game has."""
        return tuple(words.tr(key) for key in keys if key in words)

    about = existing_sentences(f"{game}.about.who", *(f"{game}.about.goal.{number}" for number in (1, 2, 3)))
    turn = existing_sentences(*(f"{game}.sheet.turn.{number}" for number in (1, 2, 3, 4)))
    button = existing_sentences(*(f"{game}.sheet.button.{number}" for number in (1, 2, 3)))
    if not about:
        yield f"{game}: it has no sentences for a quick-start card"
        return
    (title,), line = (
        existing_sentences(f"{game}.name") or (game,),
        "".join(existing_sentences(f"{game}.line")),
    )
    rules = (LeafletSection("", about), *((LeafletSection(words.tr("ui.print.turn"), turn),) if turn else ()))
    hands = (
        LeafletSection(title, button),
        LeafletSection(words.tr("ui.print.every"), common_button_sentences(words)),
    )
    sides = (
        LeafletPage(title, line, rules),
        LeafletPage(words.tr("ui.print.buttons"), "", hands if button else hands[1:]),
    )
    card = order.output_path("-quickstart")
    print_leaflet(card, order.fonts, sides)
    yield f"{card}: the rules and the button on one A6 card; print two-sided"


def common_button_sentences(words: Language) -> tuple[str, ...]:
    """What a button does in every game."""
    return tuple(words.tr(f"ui.print.{part}") for part in ("sit", "lamp", "two", "more"))


def print_buttons(out: Path, words: Language) -> Iterator[str]:
    from companion.printing.leaflet import LeafletPage, LeafletSection, print_leaflet
    from companion.system import asset_paths

    table = (words.tr("ui.print.screen"), words.tr("ui.off.lead"), words.tr("ui.print.keys"))
    card = out / "buttons.pdf"
    side = LeafletPage(
        words.tr("ui.print.buttons"),
        "",
        (LeafletSection("", common_button_sentences(words)), LeafletSection("", table)),
    )
    print_leaflet(card, asset_paths.bundled_assets_folder() / "fonts", (side,))
    yield f"{card}: the buttons on one A6 card"


def print_first_evening(out: Path, words: Language, paper: str) -> Iterator[str]:
    """One sheet: set up, check, play, and what to do when something goes wrong."""
    from companion.printing.leaflet import LeafletPage, LeafletSection, print_leaflet
    from companion.printing.sheets import A4_MM, LETTER_MM
    from companion.system import asset_paths

    named = {part: words.tr(f"ui.{part}") for part in ("why", "take_back", "menu", "correct")}
    for part in ("calibrate", "enrol"):
        named[part] = f"{words.tr('ui.camera')}, {words.tr(f'ui.{part}.short')}"
    named |= {part: words.tr(f"ui.home.{part}") for part in ("learn", "continue")}
    named["right"] = words.tr("ui.menu.wrong")

    def sentences_of(*parts: str) -> tuple[str, ...]:
        return tuple(words.tr(f"ui.print.evening.{part}", **named) for part in parts)

    headings = sentences_of("set_up", "check", "play", "wrong")
    sentences = (
        sentences_of("mat", "plugs", "home", "language"),
        sentences_of("camera", "cards", "missing"),
        (*sentences_of("new", "choose"), *common_button_sentences(words)),
        (*sentences_of("why", "misread", "power"), words.tr("ui.off.lead")),
    )
    steps = zip(headings, sentences, strict=True)
    parts = tuple(
        LeafletSection(f"{number}. {heading}", sentences_of)
        for number, (heading, sentences_of) in enumerate(steps, 1)
    )
    title, line = words.tr("ui.print.evening"), words.tr("ui.print.evening.line")
    page, size = out / "first-evening.pdf", LETTER_MM if paper == "Letter" else A4_MM
    print_leaflet(
        page,
        asset_paths.bundled_assets_folder() / "fonts",
        (LeafletPage(title, line, parts),),
        sheet=size,
        scale=1.4,
    )
    yield f"{page}: from the box to the first game, on one sheet"


GAME_PRINTERS: Mapping[str, Callable[[PrintJob], Iterator[str]]] = {
    "deck": print_deck,
    "mat": print_mats,
    "quickstart": print_quickstart,
    "cards": print_single_cards,
    "plain-mat": print_plain_mats,
}


def rebuild_assets(order: PrintJob) -> None:
    """Overwrite what the assets have of a game with what is drawn now."""
    from companion.games import printed_mat
    from companion.printing.deck_file import is_light, load_deck
    from companion.printing.deck_pictures import make_textures, write_enrolment_pictures, write_token_pictures
    from companion.printing.mat import print_mat
    from companion.printing.sheets import load_tokens, print_sheets, print_tokens
    from companion.vision.decks import TrainedDeck, build_deck, read_card_pictures

    game, deck = order.game, order.deck_path
    cards, mat, folder = order.output_path(), order.output_path("-mat-a2"), deck.parent / order.game.name
    placed = print_sheets(load_deck(deck), cards, order.fonts)
    print_mat(mat, order.fonts, printed_mat(game.name), game.draw_mat)
    write_enrolment_pictures(cards, placed, folder / "enrol", light=is_light(deck))
    enrolled = build_deck(read_card_pictures(folder / "enrol"), name=game.name, complete=True)
    if is_light(deck):
        trained = TrainedDeck.train(enrolled.pictures, enrolled.cards_of_pictures).lighten()
        enrolled = replace(enrolled, trained_features=trained)
    enrolled.save(folder / f"{game.name}.deck")
    make_textures(cards, placed, mat).save(folder)
    tokens, drawn = load_tokens(deck), order.output_path("-tokens")
    print_tokens(tokens, drawn, order.fonts)
    write_token_pictures(drawn, [token.name for token in tokens], folder / "tokens")
