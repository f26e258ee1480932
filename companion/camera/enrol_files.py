"""The pictures of a deck that is being enrolled: each is a file once it is taken, so nothing is lost."""

import logging
import tomllib
from pathlib import Path

from companion.games import asset_folders, assets
from companion.referee.owners import make_folder
from companion.vision.decks import Deck, file_stem, pictures_from
from companion.vision.locate import Bgr
from companion.vision.pictures import PictureError, opened, written

log = logging.getLogger(__name__)
WANTED = 2
"""Pictures of each card: the second is the cheapest gain there is (wrong cards fell from 11 to 3 of 280)."""


def games() -> tuple[str, ...]:
    """Every game whose faces are known by name."""
    return tuple(sorted(path.stem for folder in asset_folders() for path in folder.glob("decks/*.toml")))


def cards_of(game: str) -> tuple[str, ...]:
    """Every face of a game, in the order in which the plain deck lists them."""
    with (assets(game) / "decks" / f"{game}.toml").open("rb") as stream:
        return tuple(str(card["id"]) for card in tomllib.load(stream)["card"])


def plain_faces(game: str) -> dict[str, Bgr]:
    """A picture (uint8, BGR) of each card in the plain deck, to show which one is meant."""
    deck = Deck.load(assets(game) / "decks" / game / f"{game}.deck")
    return {deck.cards[owner]: picture for owner, picture in zip(deck.owners, deck.pictures, strict=True)}


class Shelf:
    """A folder of pictures, and the deck that is made of them."""

    def __init__(self, folder: Path, game: str) -> None:
        """`folder` is the table's."""
        self.game = game
        self._pictures = folder / "enrol" / game
        self.deck = folder / "decks" / f"{game}.deck"

    def pictures(self, cards: tuple[str, ...]) -> list[tuple[str, Bgr]]:
        """The pictures (uint8, BGR) of each card that has all of them; a card with fewer is started over."""
        if not self._pictures.is_dir():
            return []
        self._without_damage()
        found = list(pictures_from(self._pictures, known=cards))
        count = {card: sum(name == card for name, _ in found) for card in cards}
        whole = [(name, picture) for name, picture in found if count.get(name, 0) >= WANTED]
        for card in {name for name, _ in found} - {name for name, _ in whole}:
            self.drop(card)
        return whole

    def _without_damage(self) -> None:
        """Throw away what is no picture any more, as a bad memory card leaves it: it is asked for again."""
        for path in self._pictures.glob("*.png"):
            try:
                opened(path)
            except PictureError as trouble:
                log.warning("%s: it is taken again", trouble)
                path.unlink()

    def keep(self, card: str, number: int, picture: Bgr) -> None:
        """A card's `number`-th picture; whole or not at all."""
        make_folder(self._pictures)
        written(self._pictures / f"{file_stem(card, number)}.png", picture)

    def drop(self, card: str) -> None:
        """Forget a card's pictures."""
        for number in range(1, WANTED + 1):
            (self._pictures / f"{file_stem(card, number)}.png").unlink(missing_ok=True)

    def save(self, deck: Deck) -> None:
        """The whole deck, to be used in place of the plain one from the next game on."""
        make_folder(self.deck.parent)
        deck.save(self.deck)
