"""Every screen in every size, language and letter: looked at as pictures, and checked by what was painted.

`make album` draws them into build/album, a contact sheet for each size and language, and names what is small,
pale, cut, off the screen, over another text, or too small for a finger. It ends with 1 if it finds any.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pygame
from msgspec.structs import replace

from companion.ui.toolkit.sheet import Sheet, Target, TextLine
from companion.ui.toolkit.theme import contrast_ratio
from tests.ui import shown
from tests.ui.board import test_kabuki_screens, test_kobayakawa_screens, test_sets
from tests.ui.table_games import (
    dice_frames,
    euchre_frames,
    hearts_frames,
    in_order_frames,
    roses_frames,
    spades_frames,
    table_frames,
)

FOLDER = Path("build") / "album"
SIZES = ((800, 480), (1024, 600), (1280, 720), (1920, 1080), (3840, 2160), (1080, 1920))
DISPLAY_MM, FINGER_MM = 155, 9
"""How wide a display of 7 inches is, and how wide a finger: WCAG 2.2 asks for less."""
SEVEN_INCHES = SIZES[:2]
"""The sizes that such displays have."""
LEAST_CONTRAST = 4.5
LINES = 24
"""So many of the smallest letters fill the height; an upright screen is measured by its width."""
SMALL = 240
"""How wide a picture is on the contact sheet."""
COLUMNS = 12


class Fault(NamedTuple):
    """What is wrong where."""

    page: str
    what: str
    words: str


def everything(language: str) -> Iterator[tuple[str, str, Any]]:
    """What it is called, its page, and the frame."""
    for page, frame in shown.everything(language):
        phase = getattr(getattr(frame, "view", None), "phase", "")
        yield f"{page} {phase} {frame.ui_state.overlay}".strip(), page, frame
    for name, page, frame in test_kabuki_screens.everything(language):
        yield f"kabuki {name}", page, frame
    for name, page, frame in test_kobayakawa_screens.everything(language):
        yield f"kobayakawa {name}", page, frame
    for name, frame in test_sets.frames(language):
        yield f"dnup {name}", "game", frame
    for name, frame in table_frames(language):
        yield f"any game {name}", "game", frame
    for name, frame in dice_frames(language):
        yield f"liars dice {name}", "game", frame
    for name, frame in spades_frames(language):
        yield f"spades {name}", "game", frame
    for name, frame in euchre_frames(language):
        yield f"euchre {name}", "game", frame
    for name, frame in hearts_frames(language):
        yield f"hearts {name}", "game", frame
    for name, frame in roses_frames(language):
        yield f"roses {name}", "game", frame
    for name, frame in in_order_frames(language):
        yield f"in order {name}", "game", frame


@cache
def pages(size: tuple[int, int]) -> Any:
    return shown.pages(size)


def sheet_of(page: str, frame: Any, size: tuple[int, int], *, large: bool) -> Sheet:
    """The painted page, with these letters."""
    shot = dataclasses.replace(frame, ui_state=replace(frame.ui_state, large=large))
    sheet: Sheet = pages(size)[page].painted_sheet(shot)
    return sheet


def faults(name: str, page: str, sheet: Sheet, size: tuple[int, int]) -> Iterator[Fault]:
    """What the draw list says that nobody may say of a screen."""
    screen = pygame.Rect((0, 0), size)
    for text in sheet.text_lines:
        for what, wrong in (
            ("small", text.size * LINES < sheet.painter.height),
            (
                "pale",
                min((contrast_ratio(text.colour, g) for g in text.grounds), default=99) < LEAST_CONTRAST,
            ),
            ("cut", text.cut),
            ("torn within a syllable", text.breaks_syllable),
            ("off the screen", not screen.contains(text.rect)),
        ):
            if wrong:
                yield Fault(name, what, text.string)
    if not pages(size)[page].active_overlay(sheet.frame):  # under a sheet there are words too
        for one, other in combinations(sheet.text_lines, 2):
            if _covers(one, other):
                yield Fault(name, "one over the other", f"{one.string} | {other.string}")
    for target in sheet.targets:
        if not screen.contains(target.rect):
            yield Fault(name, "target off the screen", target.key)
        elif (
            size in SEVEN_INCHES
            and getattr(sheet.frame, "demo", None) is None
            and not for_a_finger(target, sheet.targets, size)
        ):
            yield Fault(name, "small for a finger", f"{target.key} {target.rect.size}")


def _covers(one: TextLine, other: TextLine) -> bool:
    common = one.rect.clip(other.rect)
    return common.w > 2 and common.h > min(one.rect.h, other.rect.h) // 2


def for_a_finger(target: Target, others: list[Target], size: tuple[int, int]) -> bool:
    """Whether a finger that aims at it is nowhere nearer to another."""
    reach = FINGER_MM * size[0] / DISPLAY_MM / 2
    x, y = target.rect.center
    for other in others:
        if other is target or other.rect.contains(target.rect) or target.rect.contains(other.rect):
            continue  # a plate and the words on it: both are that player's
        gap_x = max(other.rect.x - x, x - other.rect.right, 0)
        gap_y = max(other.rect.y - y, y - other.rect.bottom, 0)
        if max(gap_x, gap_y) < reach:
            return False
    return True


def drawn(size: tuple[int, int], language: str, *, large: bool, keep: bool) -> Iterator[Fault]:
    """Draw all of them, keep the contact sheet, and say what is wrong."""
    found: list[pygame.Surface] = []
    small = (SMALL, SMALL * size[1] // size[0])
    surface = pygame.Surface(size)
    for name, page, frame in everything(language):
        shot = dataclasses.replace(frame, ui_state=replace(frame.ui_state, large=large))
        if keep:
            pages(size)[page].draw(surface, shot, 0)
            found.append(pygame.transform.smoothscale(surface, small))
        yield from faults(name, page, pages(size)[page].painted_sheet(shot), size)
    if keep:
        rows = -(-len(found) // COLUMNS)
        album = pygame.Surface((COLUMNS * (small[0] + 4), rows * (small[1] + 4)))
        for place, picture in enumerate(found):
            album.blit(picture, (place % COLUMNS * (small[0] + 4), place // COLUMNS * (small[1] + 4)))
        which = f"{size[0]}x{size[1]}-{language}{'-large' if large else ''}"
        pygame.image.save(album, str(FOLDER / f"{which}.png"))


def main() -> int:
    asked = argparse.ArgumentParser(prog="make album", description=__doc__)
    asked.add_argument("--size", action="append", help="only this one, such as 800x480")
    asked.add_argument("--language", action="append", choices=shown.LANGUAGES)
    asked.add_argument("--no-pictures", action="store_true", help="only what is wrong")
    given = asked.parse_args()
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.display.init()
    pygame.font.init()
    FOLDER.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for size in SIZES:
        if given.size and f"{size[0]}x{size[1]}" not in given.size:
            continue
        for language in given.language or shown.LANGUAGES:
            for large in (False, True):
                which = f"{size[0]}x{size[1]} {language}{' large' if large else ''}"
                seen = dict.fromkeys(drawn(size, language, large=large, keep=not given.no_pictures))
                for fault in seen:
                    print(f"{which}: {fault.page}: {fault.what}: {fault.words}")
                print(f"{which}: {len(seen)} found", flush=True)
                wrong += len(seen)
    print(f"{wrong} in all; the pictures are in {FOLDER}.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
