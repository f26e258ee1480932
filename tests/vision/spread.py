"""Photos of a deck that is spread out, as its owner takes them to have it learned."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from companion.camera.enrolment_task import list_cards
from companion.games import deck_file
from companion.vision.decks import Deck


def photograph_spread(folder: Path, without: int = 0) -> None:
    """Four photos of a deck of 52 on green cloth, one of each suit; the last one has its back, too."""
    shipped = Deck.load(deck_file("hearts"))
    order, chance = list_cards("hearts"), np.random.default_rng(1)
    for number in range(4):
        photo = np.full((1500, 2200, 3), (70, 110, 40), np.uint8)
        suit = order[13 * number : 13 * number + 13] + order[52:] * (number == 3)
        for place, card in enumerate(suit[: len(suit) - without]):
            face = shipped.pictures[shipped.owners.index(shipped.cards.index(card))]
            face = cv2.resize(face, (250, 350))
            middle = 180 + 305 * (place % 7) + chance.integers(-9, 9), 330 + 600 * (place // 7)
            turn = cv2.getRotationMatrix2D((125, 175), chance.uniform(-6, 6), 1.0)
            turn[:, 2] += np.subtract(middle, (125, 175))
            cv2.warpAffine(face, turn, (2200, 1500), photo, borderMode=cv2.BORDER_TRANSPARENT)
        seen = cv2.GaussianBlur(photo, (0, 0), 1.2) + chance.normal(0, 4, photo.shape)
        cv2.imwrite(str(folder / f"{number}.jpg"), np.clip(seen, 0, 255))
