"""Fonts with a cache of rendered text."""

from __future__ import annotations

from typing import Literal

import pygame

from companion.language.installed_languages import break_points
from companion.system import asset_paths
from companion.system.terminal import to_printable
from companion.ui.toolkit.theme import LOOK, Colour, font_size

Align = Literal["left", "center", "right"]
_KEPT = 400
"""Pieces of text kept; a page shows fewer than a hundred."""


class TextPainter:
    """Owns the fonts for one height of the screen and the text drawn with them."""

    def __init__(self, height: int) -> None:
        pygame.font.init()
        self.height = height
        self.unit = font_size(height)
        self._fonts: dict[tuple[int, bool], pygame.font.Font] = {}
        self._texts: dict[tuple[str, int, bool, Colour], pygame.Surface] = {}
        self._fitted: dict[tuple[str, str, int, int, float, bool, int], FittedText] = {}
        self.language = "en"
        """By whose syllables words are broken."""

    def font(self, scale: float = 1.0, *, bold: bool = False) -> pygame.font.Font:
        """The font for text `scale` em high, rounded to whole pixels; no other function opens one."""
        size = font_size(self.height, scale)
        if (size, bold) not in self._fonts:
            file = (
                asset_paths.bundled_assets_folder()
                / "fonts"
                / f"NotoSans-{'Bold' if bold else 'Regular'}.ttf"
            )
            self._fonts[size, bold] = pygame.font.Font(str(file) if file.exists() else None, size)
        return self._fonts[size, bold]

    def render_text(
        self, string: str, scale: float = 1.0, colour: Colour = (255, 255, 255), *, bold: bool = False
    ) -> pygame.Surface:
        """`string` in one line, `scale` em high; control characters are made visible, as in `fit_text`."""
        key = (string, font_size(self.height, scale), bold, colour)
        if key not in self._texts:
            if len(self._texts) > _KEPT:
                self._texts.clear()
            self._texts[key] = self.font(scale, bold=bold).render(to_printable(string), True, colour)  # noqa: FBT003 (pygame)
        return self._texts[key]

    def line_height(self, scale: float) -> int:
        """The height of a line of text `scale` em high, in pixels."""
        return round(font_size(self.height, scale) * LOOK.text["line"])

    def fit_text(
        self,
        string: str,
        width: int,
        height: int,
        scale: float = 1.0,
        *,
        bold: bool = False,
        least: float = 1.0,
    ) -> FittedText:
        """`string` broken into lines that fit into `width` × `height` pixels.

        As large as `scale` (in em) if it fits, else smaller, but not below `least` and never below the
        smallest size.
        """
        key = (self.language, string, width, height, scale, bold, round(least * 100))
        if key not in self._fitted:
            if len(self._fitted) > 4 * _KEPT:
                self._fitted.clear()
            self._fitted[key] = self._fit_text(string, width, height, scale, bold=bold, least=least)
        return self._fitted[key]

    def _fit_text(
        self, string: str, width: int, height: int, scale: float, *, bold: bool, least: float
    ) -> FittedText:
        while True:
            font = self.font(scale, bold=bold)
            lines, broken, torn = _wrap(string, width, font, self.language)
            room = max(1, height // self.line_height(scale))
            if (len(lines) <= room and not broken) or scale <= least:
                break
            scale = max(least, scale * LOOK.text["step"])
        if len(lines) <= room:
            lines = lines if broken else _even_lines(string, lines, font, self.language)
            return FittedText(tuple(lines), scale, cut=False, broken=broken, breaks_syllable=torn)
        kept = lines[:room]
        while kept[-1] and font.size(kept[-1] + "…")[0] > width:
            kept[-1] = kept[-1][:-1]
        return FittedText((*kept[:-1], kept[-1] + "…"), scale, cut=True, broken=broken, breaks_syllable=torn)


MIN_LETTERS_LEFT = 3
"""Letters of a broken word that go to the next line at least: mostly a syllable."""
FEW_LINES, SHORT_LINE = 3, 0.45
"""In so few lines none is shorter than this share of the others, where words allow it."""
CLINGING = frozenset({":", ";", "?", "!", "»", "%", "×"})
"""What begins no line: French writes a space before its marks."""
LEADING = frozenset({"«", "×"})
"""What ends no line."""


class FittedText:
    """A text that found its size: its lines, and whether some of it had to be cut, or a word of it broken.

    `breaks_syllable`: such a word is broken within a syllable.
    """

    __slots__ = ("breaks_syllable", "broken", "cut", "lines", "scale")

    def __init__(
        self,
        lines: tuple[str, ...],
        scale: float,
        *,
        cut: bool,
        broken: bool = False,
        breaks_syllable: bool = False,
    ) -> None:
        self.lines = lines
        self.scale = scale
        self.cut = cut
        self.broken = broken
        self.breaks_syllable = breaks_syllable


def _words(paragraph: str, width: int, font: pygame.font.Font) -> list[str]:
    """What stays on one line: a French mark with the word before it, `3 × 2` as a whole, where it fits."""
    words: list[str] = []
    before = ""
    for word in paragraph.split(" "):
        clings = words and (word in CLINGING or before in LEADING)
        if clings and font.size(f"{words[-1]} {word}")[0] <= width:
            words[-1] += f" {word}"
        else:
            words.append(word)
        before = word
    return words


def _wrap(string: str, width: int, font: pygame.font.Font, language: str) -> tuple[list[str], bool, bool]:
    """`string` in lines of at most `width`; whether a word had to be broken, and within a syllable."""
    lines: list[str] = []
    broken = torn = False
    for paragraph in map(to_printable, string.split("\n")):
        line = ""
        for word in _words(paragraph, width, font):
            longer = f"{line} {word}" if line else word
            if font.size(longer)[0] <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            line = word
            while font.size(line)[0] > width and len(line) > 1:
                broken = True
                begins, line, whole = _break_word(word, line, width, font, language)
                torn = torn or not whole
                lines.append(begins)
        lines.append(line)
    return lines, broken, torn


def _even_lines(string: str, lines: list[str], font: pygame.font.Font, language: str) -> list[str]:
    """As many lines, but of about one length where the last of a few would be far shorter."""
    widest, last = max(font.size(line)[0] for line in lines), font.size(lines[-1])[0]
    if not 1 < len(lines) <= FEW_LINES or "\n" in string or last >= widest * SHORT_LINE:
        return lines
    least, most = max(last, widest // 2), widest
    while least < most:
        middle = (least + most) // 2
        narrower, broken, _ = _wrap(string, middle, font, language)
        if broken or len(narrower) > len(lines):
            least = middle + 1
        else:
            most, lines = middle, narrower
    return lines


def _break_word(
    word: str, rest: str, width: int, font: pygame.font.Font, language: str
) -> tuple[str, str, bool]:
    """As much of the `rest` of a word as fits a line, what is left, and whether that ends a syllable."""
    gone = len(word) - len(rest)
    fits = [
        (end - gone, mark)
        for end, mark in break_points(word, language)
        if end > gone and font.size(rest[: end - gone] + mark)[0] <= width
    ]
    if fits:  # two even parts, if that is enough; else as much as there is room for
        whole = [end for end in fits if font.size(rest[end[0] :])[0] <= width]
        end, mark = min(whole, key=lambda one: abs(2 * one[0] - len(rest)), default=fits[-1])
        return rest[:end] + mark, rest[end:], True
    most = len(rest) - (MIN_LETTERS_LEFT if len(rest) > 2 * MIN_LETTERS_LEFT else 1)
    cut = next((n for n in range(most, 1, -1) if font.size(rest[:n] + "-")[0] <= width), 1)
    return rest[:cut] + "-", rest[cut:], False
