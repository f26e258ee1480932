"""Detects deck pictures that were not cropped to the card.

Somebody who took them by hand may have left the table round it.
"""

import cv2

from companion.vision.decks import Deck
from companion.vision.outlines import Bgr, Contours, Pyramid, find_outlines, median_aspect

MAX_SHAPE_DIFFERENCE = 0.15
"""How much longer or shorter for its width a picture may be than most, as cropping by hand leaves it."""
ASSUMED_ASPECT = 1.4
"""Height by width of a card as nobody knows it; `outlines` finds those from 0.84 to 2.24."""
MIN_TABLE_MARGIN, MIN_CARD_SHARE, MAX_OFF_CENTRE = 0.1, 0.12, 0.1
"""A card with table round it: the part of the picture that is free on each side of it at least, the part that
the card fills at least, and how far its middle is from the picture's at most.

Frames that are printed on cards are found as well. Of the references of eight photographed decks and our own
art 15 of 376 look so, in no deck more than one in seven; of 583 cuts from photographs (none held out) of a
card and the table round it, 1.3 to 2 times as large as the card, 529 do.
"""


def find_oddly_shaped_cards(deck: Deck) -> list[str]:
    """The cards of which a picture is of another shape than most: all cards of a deck have one."""
    usual = median_aspect(deck.pictures)
    found = [abs(p.shape[0] / p.shape[1] / usual - 1) > MAX_SHAPE_DIFFERENCE for p in deck.pictures]
    return list(
        dict.fromkeys(card for card, is_odd in zip(deck.cards_of_pictures, found, strict=True) if is_odd)
    )


def shows_table_around_cards(deck: Deck) -> bool:
    """Do most pictures show the table round the card?"""
    return 2 * sum(map(_has_card_inside, deck.pictures)) > len(deck.pictures)


def _has_card_inside(picture: Bgr) -> bool:
    """Is there an outline of a card well inside a picture (height, width, 3)?"""
    size = picture.shape[1::-1]
    for quad in find_outlines(Contours.of(Pyramid(picture)), ASSUMED_ASPECT):
        low, high = quad.min(axis=0) / size, quad.max(axis=0) / size
        free = min(low.min(), (1 - high).min())
        aside = abs(quad.mean(axis=0) / size - 0.5).max()
        if (
            free >= MIN_TABLE_MARGIN
            and aside < MAX_OFF_CENTRE
            and cv2.contourArea(quad) > MIN_CARD_SHARE * size[0] * size[1]
        ):
            return True
    return False
