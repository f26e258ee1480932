"""Cards and tokens on the screen: the deck's own art, in its proportions, with numbers that can be read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pygame
import pytest

from companion.system.asset_paths import bundled_assets_folder
from companion.ui.toolkit.picture_cache import WIDE, PictureCache
from companion.ui.toolkit.text_painter import TextPainter
from companion.ui.toolkit.theme import INK, PAPER

HEIGHTS = (480, 720, 1080)
FACES = sorted((bundled_assets_folder() / "decks").glob("*/enrol/*.jpg"))
TOKENS = sorted((bundled_assets_folder() / "decks").glob("*/tokens/*.png"))
Pixels = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def art(height: int = 720) -> PictureCache:
    return PictureCache(TextPainter(height))


def pixels(picture: pygame.Surface) -> Pixels:
    return pygame.surfarray.array3d(picture).astype(np.int64)


def covered(picture: pygame.Surface) -> pygame.Rect:
    return picture.get_bounding_rect(min_alpha=128)


def inked(picture: pygame.Surface, share: float = 0.45) -> pygame.Rect:
    """What the letters in this share of the height, from above, cover: ink on paper, without its edge."""
    half = pixels(picture)[:, : round(picture.get_height() * share)]
    paper = np.abs(half - PAPER).max(axis=2) < 3
    columns, rows = np.flatnonzero(paper.any(axis=1)), np.flatnonzero(paper.any(axis=0))
    within = half[columns[0] : columns[-1] + 1, rows[0] : rows[-1] + 1]
    ink = np.abs(within - INK).max(axis=2) < 40
    return pygame.Rect(0, 0, int(ink.any(axis=1).sum()), int(ink.any(axis=0).sum()))


@pytest.mark.parametrize("file", FACES, ids=lambda file: file.stem)
def test_a_card_on_the_screen_is_the_deck_s_own_picture(file: Path) -> None:
    drawn = art().card_face(file.stem.replace("%3a", ":"), (194, 300))
    inside = (slice(12, -12), slice(12, -12))
    assert np.abs(pixels(drawn)[inside] - pixels(pygame.image.load(file))[inside]).mean() < 1


@pytest.mark.parametrize("size", [(300, 200), (58, 56), (90, 300)])
def test_a_card_keeps_its_proportions_in_whatever_room_it_gets(size: tuple[int, int]) -> None:
    for name in ("mask:demon", "nowhere:far"):
        face = covered(art().card_face(name, size))
        assert face.w / face.h == pytest.approx(WIDE, rel=0.05)
        assert face.w == size[0] or face.h == size[1]
    assert covered(art().card_back(size, "back:blue")) == covered(art().card_back(size))


@pytest.mark.parametrize("height", HEIGHTS)
@pytest.mark.parametrize("card", ["animal:12", "object:5-6", "object:15-16"])
def test_the_number_of_a_small_card_is_as_large_as_the_smallest_text(card: str, height: int) -> None:
    painter, tall = TextPainter(height), height * 14 // 100
    digits = painter.font(1.0, bold=True).render("1", True, INK).get_bounding_rect()
    drawn = PictureCache(painter).card_face(card, (round(tall * 1.2), tall))
    assert inked(drawn).h >= digits.h - 2


@pytest.mark.parametrize(("card", "share"), [("animal:12", 0.22), ("object:5-6", 0.28)])
def test_a_large_card_shows_its_printed_number_and_no_other(card: str, share: float) -> None:
    size = (round(720 * share * WIDE), round(720 * share))
    pictures = art()
    printed = pictures.printed_face(card, size)
    assert printed is not None
    assert (pixels(pictures.card_face(card, size)) == pixels(printed)).all()


def test_a_lone_number_is_as_large_as_its_plain_card_and_6_or_9_is_underlined() -> None:
    for size in ((44, 68), (70, 100)):
        seven, nine = (inked(art().card_face(f"nowhere:{number}", size), 0.9).h for number in (7, 9))
        assert nine > seven > size[1] * 0.45


def test_numbers_without_room_beside_each_other_stand_one_over_the_other() -> None:
    for size in ((36, 55), (58, 55)):
        drawn = art(480).card_face("object:15-16", size)
        assert drawn.get_size() == size
    narrow, wide = (covered(art(480).card_face("object:15-16", size)).w for size in ((36, 55), (64, 55)))
    assert (narrow, wide > 50) == (36, True)


def test_masks_of_one_colour_are_told_apart_when_they_are_small() -> None:
    sun, lion = (pixels(art(480).card_face(f"mask:{name}", (39, 60))) for name in ("sun", "lion"))
    assert np.abs(sun - lion).mean() > 8


def test_a_pair_lies_on_its_object_and_leaves_the_number_free() -> None:
    size = (120, 120)
    alone = art().card_face("object:5-6", size)
    paired = art().card_face("object:5-6", size, ("animal:5", "shelter:5"))
    apart = np.abs(pixels(alone) - pixels(paired)).max(axis=(0, 2))
    assert apart[:59].max() == 0
    assert apart[64:].min() > 0


def test_every_token_is_opened_as_large_as_it_is_wanted_and_no_two_are_alike() -> None:
    pictures = art()
    seen = {pygame.image.tobytes(pictures.motif(file.stem, 24), "RGBA") for file in TOKENS}
    assert len(seen) == len(TOKENS) >= 11
    counter = pygame.image.tobytes(pictures.motif("counter", 24), "RGBA")
    assert counter not in seen
    assert pygame.image.tobytes(pictures.motif("never heard of", 24), "RGBA") == counter


@pytest.mark.parametrize("name", ["sheep", "crest", "smile"])
def test_what_a_token_does_not_cover_leaves_no_trace_in_its_edges(name: str) -> None:
    token = art().motif(name, 40)
    colours, cover = pixels(token), pygame.surfarray.array_alpha(token)
    edge = colours[(cover > 40) & (cover < 215)]
    assert edge.max(axis=1).min() >= min(INK) - 12  # nothing is darker than the ink of the outline


def test_no_picture_is_opened_before_it_is_wanted() -> None:
    fresh = art()
    assert fresh.sprites.points == 0
    fresh.card_face("animal:3", (60, 90))
    assert fresh.sprites.points < 5 * 60 * 90
