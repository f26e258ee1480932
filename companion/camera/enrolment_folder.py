"""Stores the pictures of an unfinished enrolment as files, so that an interruption loses nothing."""

import logging
import tomllib
from pathlib import Path

from companion.games import all_asset_folders, game_assets_folder
from companion.system.file_owner import make_folder
from companion.vision.decks import Deck, file_stem, read_card_pictures
from companion.vision.outlines import Bgr
from companion.vision.pictures import PictureError, read_picture, write_picture

log = logging.getLogger(__name__)
PICTURES_PER_CARD = 2
"""Pictures of each card: the second is the cheapest gain there is (wrong cards fell from 11 to 3 of 280)."""


def enrollable_games() -> tuple[str, ...]:
    """Every game whose faces are known by name."""
    return tuple(sorted(path.stem for folder in all_asset_folders() for path in folder.glob("decks/*.toml")))


def list_cards(game: str) -> tuple[str, ...]:
    """Every face of a game, in the order in which the plain deck lists them."""
    with (game_assets_folder(game) / "decks" / f"{game}.toml").open("rb") as stream:
        return tuple(str(card["id"]) for card in tomllib.load(stream)["card"])


def load_shipped_faces(game: str) -> dict[str, Bgr]:
    """A picture (uint8, BGR) of each card in the plain deck, to show which one is meant."""
    deck = Deck.load(game_assets_folder(game) / "decks" / game / f"{game}.deck")
    return {deck.cards[owner]: picture for owner, picture in zip(deck.owners, deck.pictures, strict=True)}


class EnrolmentFolder:
    """A folder of pictures, and the deck that is made of them."""

    def __init__(self, folder: Path, game: str) -> None:
        """`folder` is the table's."""
        self.game = game
        self._pictures = folder / "enrol" / game
        self.deck_path = folder / "decks" / f"{game}.deck"

    def load_pictures(self, cards: tuple[str, ...]) -> list[tuple[str, Bgr]]:
        """The pictures (uint8, BGR) of each card that has all of them; a card with fewer is started over."""
        if not self._pictures.is_dir():
            return []
        self._delete_damaged()
        found = list(read_card_pictures(self._pictures, known=cards))
        count = {card: sum(name == card for name, _ in found) for card in cards}
        whole = [(name, picture) for name, picture in found if count.get(name, 0) >= PICTURES_PER_CARD]
        for card in {name for name, _ in found} - {name for name, _ in whole}:
            self.delete_pictures(card)
        return whole

    def _delete_damaged(self) -> None:
        """Throw away what is no picture any more, as a bad memory card leaves it: it is asked for again."""
        for path in self._pictures.glob("*.png"):
            try:
                read_picture(path)
            except PictureError as trouble:
                log.warning("%s: it is taken again", trouble)
                path.unlink()

    def save_picture(self, card: str, number: int, picture: Bgr) -> None:
        """A card's `number`-th picture; whole or not at all."""
        make_folder(self._pictures)
        write_picture(self._pictures / f"{file_stem(card, number)}.png", picture)

    def delete_pictures(self, card: str) -> None:
        """Forget a card's pictures."""
        for number in range(1, PICTURES_PER_CARD + 1):
            (self._pictures / f"{file_stem(card, number)}.png").unlink(missing_ok=True)

    def save_deck(self, deck: Deck) -> None:
        """The whole deck, to be used in place of the plain one from the next game on."""
        make_folder(self.deck_path.parent)
        deck.save(self.deck_path)
