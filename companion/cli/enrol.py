"""`companion enrol`: learn a deck, live before the camera or from a folder of pictures."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from companion.core.errors import InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.progress import count
from companion.settings.terminal import say, writing

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
    _check(args)
    if args.source is None:
        from companion.run.enrol import live

        return live(settings, args.game, simulate=args.simulate)
    from companion.vision.cropped import odd, table_round
    from companion.vision.decks import DeckError, enrol, pictures_from
    from companion.vision.limits import SAME

    refused: list[DeckError] = []
    known = _cards_of(args.game)
    try:
        found = pictures_from(args.source, known=known, refused=refused.append)
        pictures = _told(found, refused, args.source)
        name = args.name or args.source.resolve().name
        deck = enrol(pictures, name=name, complete=not args.partial)
    except DeckError as trouble:
        raise InputError(f"{args.source}: {trouble}.") from trouble
    except OSError as trouble:
        raise InputError(f"can't read {args.source} ({trouble.strerror}); name another folder.") from trouble
    hardest = deck.look_alikes(SHOWN)
    with writing(args.out):
        deck.save(args.out)
    without = f"; {len(refused)} could not be used" if refused else ""
    learnt = f"{counted(len(deck.cards), 'card')} from {counted(len(deck.pictures), 'picture')}"
    say(f"{args.out}: {learnt}{without}")
    if deck.complete:
        say("  treated as the whole deck; if there are more cards, add --partial")
    else:
        most = max(deck.limits.flaws)
        say(f"  a card you left out may be taken for one of these if the two differ by less than {most:.2f}")
    if strange := [card for card in deck.cards if known and card not in known]:
        say(
            f"  {args.game} has no {_several(strange)}: name its photos like {known[0].replace(':', '_')}.jpg"
        )
    if missing := [card for card in known if card not in deck.cards]:
        say(f"  {args.game} also has {_several(missing)}: add their photos")
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


def _check(args: argparse.Namespace) -> None:
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


def _several(cards: Sequence[str]) -> str:
    """The first few cards, and how many there are besides."""
    more = f" and {len(cards) - SHOWN} more" if len(cards) > SHOWN else ""
    return f"{', '.join(cards[:SHOWN])}{more}"


def _cards_of(game: str | None) -> tuple[str, ...]:
    """The ids of a game's cards, as the deck that comes with the program has them."""
    from companion.games import assets
    from companion.games.asked import game_named
    from companion.vision.decks import Deck

    if game is None:
        return ()
    shipped = assets(game_named(game).name) / "decks" / game / f"{game}.deck"
    if not shipped.exists():
        raise InputError(f"The cards of {game} are not known here; leave its name out.")
    return Deck.load(shipped).cards


def _told(
    pictures: Iterable[tuple[str, Picture]], refused: Sequence[Exception], folder: Path
) -> Iterator[tuple[str, Picture]]:
    """The pictures, counted on a terminal; then what was refused, a line each; raises if nothing is left."""
    number = 0
    for number, picture in enumerate(pictures, 1):
        count(number, "pictures")
        yield picture
    if not (number or refused):
        raise InputError(
            f"There is no photo in {folder}; put one of each card there, named after it: KS.jpg."
        )
    told = refused if number else refused[:-1]
    for trouble in told:
        say(f"companion: {trouble}.", error=True)
    if len(told) < len(refused):
        raise InputError(f"{refused[-1]}.")
