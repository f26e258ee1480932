"""`companion enrol`: enrols a deck, live with the camera or from a folder of pictures."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, draw_count, explain_write_errors, print_lines

MAX_SHOWN_CARDS = 5
UNREADABLE_EXIT_CODE = 2
"""What the command ends with when a picture could not be used; the deck was made of the others."""
HEIC_SUFFIXES = (".heic", ".heif")
HEIC_REMEDY = (
    "HEIC, which is not read: save them as JPEG (iPhone: Settings, Camera, Formats, Most Compatible)"
)
EASY_PAIR_DIFFERENCE = 0.15
"""Faces that differ by so much are not mistaken for each other."""
Picture = Any
"""Height × width × 3, BGR: numpy is imported when the verb runs."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Learn a deck at the screen, or from the pictures in a folder; `UNREADABLE_EXIT_CODE` if some could
    not be used.

    Raises `InputError` for --from without --out or the reverse, and where folder, pictures or file are of no
    use.
    """
    _check_arguments(args)
    if args.source is None:
        from companion.programs.camera_programs import run_enrolment

        return run_enrolment(settings, args.game, simulate=args.simulate)
    from companion.vision.acceptance import SAME_FACE_FLAW
    from companion.vision.crop_check import find_oddly_shaped_cards, shows_table_around_cards
    from companion.vision.decks import DeckError, build_deck, read_card_pictures

    refused: list[DeckError] = []
    known = _list_card_ids(args.game)
    try:
        if heic := sum(path.suffix.lower() in HEIC_SUFFIXES for path in args.source.iterdir()):
            refused.append(DeckError(f"{count_with_noun(heic, 'photo is', 'photos are')} {HEIC_REMEDY}"))
        found = read_card_pictures(args.source, known=known, refused=refused.append)
        pictures = _count_pictures(found, refused, args.source)
        name = args.name or args.source.resolve().name
        deck = build_deck(pictures, name=name, complete=not args.partial)
    except DeckError as trouble:
        raise InputError(f"{args.source}: {trouble}.") from trouble
    except OSError as trouble:
        raise InputError(f"can't read {args.source} ({trouble.strerror}); name another folder.") from trouble
    hardest = deck.find_look_alikes(MAX_SHOWN_CARDS)
    with explain_write_errors(args.out):
        deck.save(args.out)
    without = f"; {len(refused) + max(heic - 1, 0)} could not be used" if refused else ""
    learnt = (
        f"{count_with_noun(len(deck.cards), 'card')} from {count_with_noun(len(deck.pictures), 'picture')}"
    )
    print_lines(f"{args.out}: {learnt}{without}")
    if deck.complete:
        print_lines("  treated as the whole deck; if there are more cards, add --partial")
    else:
        most = max(deck.limits.flaws)
        print_lines(
            f"  a card you left out may be taken for one of these if the two differ by less than {most:.2f}"
        )
    if strange := [card for card in deck.cards if known and card not in known]:
        print_lines(
            f"  {args.game} has no {_join_some(strange)}: "
            f"name its photos like {known[0].replace(':', '_')}.jpg"
        )
    if missing := [card for card in known if card not in deck.cards]:
        print_lines(f"  {args.game} also has {_join_some(missing)}: add their photos")
    if shows_table_around_cards(deck):
        print_lines(
            "  most pictures show the table round the card: crop them to the card's edges, then enrol again"
        )
    for card in find_oddly_shaped_cards(deck):
        print_lines(f"  the picture of {card} has another shape than the others: crop it to the card")
    for card, shown in deck.find_swapped_pictures():
        print_lines(f"  the second picture of {card} shows {shown or 'another card'}: check the files")
    for one, other, difference in hardest:
        if difference < SAME_FACE_FLAW:
            verdict = "the same card under two names: remove one"
        elif difference >= EASY_PAIR_DIFFERENCE:
            verdict = "easy to tell apart"
        elif len(deck.pictures) < 2 * len(deck.cards):
            verdict = "add a second photo of each"
        else:
            verdict = "hard: use more light"
        print_lines(f"  {one} and {other} differ by {difference:.2f}: {verdict}")
    return UNREADABLE_EXIT_CODE if refused else 0


def _check_arguments(args: argparse.Namespace) -> None:
    """Raise `InputError` unless the options go together, and folder and file may be what they have to be."""
    if (args.source is None) != (args.out is None):
        raise InputError("use --from and --out together, or leave out both to use the camera.")
    if args.source is None:
        if args.partial or args.name:
            raise InputError("--partial and --name are for photos: use them with --from and --out.")
        return
    if args.simulate:
        raise InputError("use either --simulate or --from, not both.")
    if args.source.is_file():
        raise InputError(f"{args.source} is a file; name the folder it is in, with a photo of each card.")
    if not args.source.is_dir():
        raise InputError(f"There is no folder {args.source}; name one with a photo of each card.")
    if args.out.is_dir():
        raise InputError(f"{args.out} is a folder; name a file in it, such as {args.out / 'my.deck'}.")


def _join_some(cards: Sequence[str]) -> str:
    """The first few cards, and how many there are besides."""
    more = f" and {len(cards) - MAX_SHOWN_CARDS} more" if len(cards) > MAX_SHOWN_CARDS else ""
    return f"{', '.join(cards[:MAX_SHOWN_CARDS])}{more}"


def _list_card_ids(game: str | None) -> tuple[str, ...]:
    """The ids of a game's cards, as the deck that comes with the program has them."""
    from companion.games import deck_file, find_game_rules
    from companion.vision.decks import Deck

    if game is None:
        return ()
    shipped = deck_file(find_game_rules(game).name)
    if not shipped.exists():
        raise InputError(f"The cards of {game} are not known here; leave its name out.")
    return Deck.load(shipped).cards


def _count_pictures(
    pictures: Iterable[tuple[str, Picture]], refused: Sequence[Exception], folder: Path
) -> Iterator[tuple[str, Picture]]:
    """The pictures, counted on a terminal; then what was refused, a line each; raises if nothing is left."""
    number = 0
    for number, picture in enumerate(pictures, 1):
        draw_count(number, "pictures")
        yield picture
    if not (number or refused):
        raise InputError(
            f"There is no photo in {folder}; put one of each card there, named after it: KS.jpg."
        )
    told = refused if number else refused[:-1]
    for trouble in told:
        print_lines(f"companion: {trouble}.", error=True)
    if len(told) < len(refused):
        raise InputError(f"{refused[-1]}.")
