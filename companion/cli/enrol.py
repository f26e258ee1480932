"""`companion enrol`: learn a deck, live before the camera or from a folder of pictures."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.errors import InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.progress import count
from companion.settings.terminal import say

SHOWN = 5
UNREADABLE = 2
"""What the command ends with when a picture could not be used; the deck was made of the others."""
EASY = 0.15
"""Faces that differ by so much are not mistaken for each other."""
Picture = Any
"""Height × width × 3, BGR: numpy is imported when the verb runs."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Learn a deck at the screen, or from the pictures in a folder; `UNREADABLE` if some could not be used.

    Raises `InputError` for --from without --out or the reverse, and where folder, pictures or file are of no
    use.
    """
    if (args.source is None) != (args.out is None):
        raise InputError("use --from and --out together, or leave out both to use the camera.")
    if args.source is not None and not args.source.is_dir():
        raise InputError(f"There is no folder {args.source}; name one with a photo of each card.")
    if args.source is None:
        from companion.run.enrol import live

        return live(settings, args.game, simulate=args.simulate)
    from companion.vision.cropped import odd, table_round
    from companion.vision.decks import DeckError, enrol, pictures_from
    from companion.vision.limits import SAME

    refused: list[DeckError] = []
    try:
        found = pictures_from(args.source, known=_cards_of(args.game), refused=refused.append)
        pictures = _told(found, refused)
        name = args.name or args.source.resolve().name
        deck = enrol(pictures, name=name, complete=not args.partial)
        hardest = deck.look_alikes(SHOWN)
        deck.save(args.out)
    except DeckError as trouble:
        raise InputError(f"{args.source}: {trouble}.") from trouble
    except OSError as trouble:
        raise InputError(
            f"{trouble.filename or args.out}: {trouble.strerror}; choose another file."
        ) from trouble
    without = f"; {len(refused)} could not be used" if refused else ""
    learnt = f"{counted(len(deck.cards), 'card')} from {counted(len(deck.pictures), 'picture')}"
    say(f"{args.out}: {learnt}{without}")
    if deck.complete:
        say("  treated as the whole deck; if there are more cards, add --partial")
    else:
        most = max(deck.limits.flaws)
        say(f"  a card that is missing here may be taken for one if they differ by less than {most:.2f}")
    if table_round(deck):
        say("  most pictures show the table round the card: crop them to the card's edges, then enrol again")
    for card in odd(deck):
        say(f"  the picture of {card} has another shape than the others: crop it to the card")
    for card, shown in deck.mistaken():
        say(f"  the second picture of {card} shows {shown or 'another card'}: check the files")
    for one, other, difference in hardest:
        if difference < SAME:
            verdict = "the same card under two names: remove one"
        elif difference >= EASY:
            verdict = "easy to tell apart"
        elif len(deck.pictures) < 2 * len(deck.cards):
            verdict = "add a second photo of each"
        else:
            verdict = "hard: use more light"
        say(f"  {one} and {other} differ by {difference:.2f}: {verdict}")
    return UNREADABLE if refused else 0


def _cards_of(game: str | None) -> tuple[str, ...]:
    """The ids of a game's cards, as the deck that comes with the program has them."""
    from companion.games import assets
    from companion.vision.decks import Deck

    if game is None:
        return ()
    shipped = assets(game) / "decks" / game / f"{game}.deck"
    if "/" in game or not shipped.exists():
        raise InputError(f"There is no game {game} with known cards; for other cards, leave the name out.")
    return Deck.load(shipped).cards


def _told(
    pictures: Iterable[tuple[str, Picture]], refused: Sequence[Exception]
) -> Iterator[tuple[str, Picture]]:
    """The pictures, counted on a terminal; then what was refused, a line each; it raises if all was."""
    number = 0
    for number, picture in enumerate(pictures, 1):
        count(number, "pictures")
        yield picture
    told = refused if number else refused[:-1]
    for trouble in told:
        say(f"companion: {trouble}.", error=True)
    if len(told) < len(refused):
        raise InputError(f"{refused[-1]}.")
