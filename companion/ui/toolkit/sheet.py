"""A page while it is painted: its pixels, touch targets, lines of text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import pygame

from companion.core.actions import Chair, Value
from companion.core.view import Sentence
from companion.language.language import Translator
from companion.system.terminal import to_printable
from companion.ui.commands import Command
from companion.ui.frame import PageFrame
from companion.ui.layout import FILL, Box, Natural, rows
from companion.ui.toolkit import picture_cache
from companion.ui.toolkit.sprites import (
    Point,
    Shadow,
    draw_line,
    draw_polygon,
    draw_rounded_rect,
    draw_shadow,
)
from companion.ui.toolkit.text_painter import Align, TextPainter
from companion.ui.toolkit.theme import (
    BUTTON_EDGE,
    CHAIR,
    DARK,
    EDGE,
    GOLD,
    INK,
    LOOK,
    NOTICE,
    PANEL,
    PAPER,
    RAISED,
    SHADE,
    SHAPES,
    SOFT,
    TEXT,
    Colour,
    font_size,
    ink_on,
)

EM_PER_U = LOOK.text["smallest"] / 100
"""Converts lengths of the design, in u (1 % of the screen's height), to em (the smallest text size)."""
MARK = EM_PER_U * LOOK.line["asked"]
"""Border width, in em, of the choice that a chair has stepped to."""


class TouchAction(Value, frozen=True):
    """What activating a target does: commands for the app, and changes to the UI state (`UiState`)."""

    commands: tuple[Command, ...] = ()
    changes: tuple[tuple[str, Any], ...] = ()
    lifted: tuple[Command, ...] = ()
    """Commands sent when the finger is lifted."""
    leads: str = ""
    """Key of the target that gets the focus afterwards, if a key activated it; empty: the focus stays."""


def touch_action(*commands: Command, **changes: Any) -> TouchAction:
    """A `TouchAction` of these commands and changes."""
    return TouchAction(commands, tuple(changes.items()))


@dataclass(frozen=True, slots=True)
class Target:
    """An area that can be touched, focused and activated."""

    key: str
    rect: pygame.Rect
    action: TouchAction
    takes_focus: bool = True
    """Whether moving the focus through the page stops here."""
    mark: "Callable[[Sheet], object] | None" = field(default=None, compare=False)
    """Draws it as it looks when it is marked; None: a ring does."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text on the page, as tests and reading aloud need it."""

    string: str
    size: int
    """Font size in pixels."""
    colour: Colour
    grounds: tuple[Colour, ...]
    """The colours behind it."""
    rect: pygame.Rect
    cut: bool
    """Whether the text it belongs to was shortened."""
    breaks_syllable: bool = False
    """Whether a word is broken inside a syllable."""
    continues: bool = False
    """Whether it goes on with the sentence of the line before."""


class Placed(NamedTuple):
    """A thing of the game on the page."""

    rect: Box
    what: tuple[str | int, ...]
    """What it shows; empty: nothing lies there."""
    picture: pygame.Surface | None = None
    """It alone; None: what is painted in its place is all of it."""
    under: pygame.Surface | None = None
    """What is seen in its place without it; None: what was seen there before."""


@dataclass(slots=True)
class Sheet:
    """A page being painted. It records every target and every line of text."""

    surface: pygame.Surface
    painter: TextPainter
    art: picture_cache.PictureCache
    words: Translator
    frame: PageFrame
    targets: list[Target] = field(default_factory=list)
    text_lines: list[TextLine] = field(default_factory=list)
    moving: dict[str, Box] = field(default_factory=dict)
    """Areas of moving parts, which are drawn in every frame: `count`, `winner`, `camera`…"""
    placed: dict[str, Placed] = field(default_factory=dict)
    """Where cards, tokens, hands and people are, each by a name that it keeps wherever it is painted."""
    covered_lines: int = 0
    """How many of the lines in `written`, counted from the first, an overlay covers."""

    @property
    def rect(self) -> Box:
        return Box(0, 0, *self.surface.get_size())

    @property
    def unit(self) -> int:
        """One em: the size of the smallest text, in pixels."""
        return self.painter.unit

    def em(self, share: float) -> int:
        """A length in em (the size of the smallest text), in pixels."""
        return round(self.painter.unit * share)

    def u(self, share: float) -> int:
        """A length in u (1 % of the height), in pixels."""
        return round(self.painter.height * share / 100)

    @property
    def min_touch_height(self) -> int:
        """Least height of a touch target in pixels on small displays; 0 on larger ones and in a demo."""
        small = self.painter.height <= LOOK.stage["touched"]
        return self.u(LOOK.stage["finger"]) if small and getattr(self.frame, "demo", None) is None else 0

    def on_screen(self, surface: pygame.Surface) -> "Sheet":
        """For what moves, or is marked: it draws on `surface`, and what it records is nobody's."""
        return replace(self, surface=surface, targets=[], text_lines=[], moving={}, placed={})

    # Words ------------------------------------------------------------------------------------------------

    def tr(self, key: str, **parts: str | int) -> str:
        """The sentence of a catalogue key, in the language of the page."""
        return self.words.tr(key, **parts)

    def name(self, chair: Chair) -> str:
        """The player's name, or the colour of the chair."""
        return to_printable(self.frame.names.get(chair, "")) or self.tr(
            f"ui.colour.{self.frame.colours[chair]}"
        )

    def colour(self, chair: Chair) -> Colour:
        """The colour of a chair."""
        return CHAIR[self.frame.colours[chair]]

    def sentence(self, said: Sentence) -> str:
        """A sentence in the language of the page, with the players' names."""
        return self.words.text(said, self.frame.names)

    # Boxes and text ---------------------------------------------------------------------------------------

    def box(
        self,
        rect: Box,
        fill: Colour | None = PANEL,
        edge: Colour | None = None,
        *,
        radius: float = EM_PER_U * LOOK.radius["button"],
        width: float = EM_PER_U * LOOK.line["edge"],
    ) -> None:
        """A rounded rectangle (`rect` in pixels); `radius` and `width` in em."""
        thick = max(2, self.em(width))
        draw_rounded_rect(
            self.surface, self.art.sprites, rect, fill, edge, radius=self.em(radius), width=thick
        )

    def shadow(self, rect: Box, kind: str, radius: int, colour: Colour = DARK) -> None:
        """What a thing throws on what is below it, painted before the thing.

        `kind`: in `tokens.json`, `elevation`; `radius` of its corners in pixels.
        """
        drop, reach, strength = LOOK.elevation[kind]
        shadow = Shadow(max(1, self.u(reach)), self.u(drop), strength, colour)
        draw_shadow(self.surface, self.art.sprites, rect, shadow, radius=radius)

    def fill(self, rect: Box, fill: Colour) -> None:
        """A filled rectangle."""
        self.surface.fill(fill, rect)

    def pill(self, rect: Box, fill: Colour) -> None:
        """A bar with round ends."""
        draw_rounded_rect(self.surface, self.art.sprites, rect, fill, radius=min(rect.w, rect.h) // 2)

    def disc(self, centre: Point, radius: int, fill: Colour | None, edge: Colour | None = None) -> None:
        """A disc, or, without a fill, a ring; `radius` in pixels."""
        self.picture(self.art.sprites.disc(radius, fill, edge, 0), (round(centre[0]), round(centre[1])))

    def polygon(self, fill: Colour, corners: Sequence[Point]) -> None:
        """A filled polygon; corners as (x, y) in pixels."""
        draw_polygon(self.surface, fill, corners)

    def line(self, colour: Colour, width: float, *points: Point) -> None:
        """A line through all points; `width` in em."""
        draw_line(self.surface, colour, points, max(2, self.em(width)))

    def text(
        self,
        rect: Box,
        string: str,
        scale: float = 1.0,
        colour: Colour = TEXT,
        *,
        bold: bool = False,
        align: Align = "left",
        middle: bool = True,
        least: float = 1.0,
        struck: bool = False,
        grows: bool = True,
    ) -> Box:
        """Write `string` into `rect`, wrapped and shrunk to fit; returns the area it covers.

        `scale`, and `least`, below which it is not shrunk, are in em. `grows`: whether the setting
        `large_text` may enlarge it, which a label inside a fixed shape must not allow.
        """
        wanted = scale
        if self.frame.ui_state.large and grows:  # as far as one line fits the height
            wanted = max(scale, min(scale * LOOK.text["large"], rect.h / self.painter.line_height(1.0)))
        fitted = self.painter.fit_text(string, rect.w, rect.h, wanted, bold=bold, least=least)
        line = self.painter.line_height(fitted.scale)
        height = line * len(fitted.lines)
        top = rect.y + max(0, (rect.h - height) // 2 if middle else 0)
        covered: list[pygame.Rect] = []
        for number, words in enumerate(fitted.lines):
            if not words:
                continue
            width, tall = self.painter.font(fitted.scale, bold=bold).size(words)
            left = {
                "left": rect.x,
                "center": rect.x + (rect.w - width) // 2,
                "right": rect.right - width,
            }[align]
            place = pygame.Rect(left, top + number * line + (line - tall) // 2, width, tall)
            self._record_line(
                words, place, colour, scale=fitted.scale, cut=fitted.cut, torn=fitted.breaks_syllable
            )
            if number:
                self.text_lines[-1] = replace(self.text_lines[-1], continues=True)
            self.surface.blit(self.painter.render_text(words, fitted.scale, colour, bold=bold), place)
            if struck:
                y = place.centery
                self.line(colour, 0.08, (place.x, y), (place.right, y))
            covered.append(place)
        return Box(*(covered[0].unionall(covered[1:]) if covered else (rect.x, rect.y, 0, 0)))

    @property
    def line_height(self) -> int:
        """The height of a line of the smallest text, in pixels."""
        return self.painter.line_height(1.0)

    def text_width(self, string: str, scale: float = 1.0, *, bold: bool = False) -> int:
        """How wide a text is in one line, in pixels; `scale` in em."""
        return self.painter.font(scale, bold=bold).size(string)[0]

    def text_height(self, string: str, *, most: int, pad: int = 0, bold: bool = False) -> Natural:
        """A natural size for `rows`: what the smallest text needs in a box so wide, and `pad` pixels more.

        `most`: how many lines at most.
        """

        def needed(width: int) -> int:
            fitted = self.painter.fit_text(string, width, most * self.line_height, 1.0, bold=bold)
            return len(fitted.lines) * self.line_height + pad

        return needed

    def _record_line(
        self, words: str, place: pygame.Rect, colour: Colour, *, scale: float, cut: bool, torn: bool
    ) -> None:
        inside = place.clip(self.rect)
        spots = {inside.center, inside.midleft, (inside.right - 1, inside.centery)} if inside.w else set()
        grounds = {self._colour_at(spot) for spot in spots}
        size = font_size(self.painter.height, scale)
        self.text_lines.append(TextLine(words, size, colour, tuple(grounds), place, cut, torn))

    def _colour_at(self, spot: tuple[int, int]) -> Colour:
        red, green, blue, _ = self.surface.get_at(spot)
        return (red, green, blue)

    # What can be touched ----------------------------------------------------------------------------------

    def target(
        self,
        key: str,
        rect: Box,
        does: TouchAction,
        *,
        walked: bool = True,
        mark: "Callable[[Sheet], object] | None" = None,
    ) -> None:
        """Make `rect` a target."""
        self.targets.append(Target(key, pygame.Rect(rect), does, walked, mark))

    def button(
        self,
        rect: Box,
        label: str,
        key: str,
        does: TouchAction | None,
        *,
        fill: Colour = RAISED,
        scale: float = 1.0,
        bold: bool = False,
        chosen: bool = False,
        marked: bool = False,
    ) -> None:
        """A button in `rect` (pixels), its label `scale` em high at most.

        Without a deed it is drawn as disabled. `chosen`: filled. `marked`: a chair has stepped to it; filled,
        with a gold border.
        """
        fill = PAPER if chosen or marked else fill
        colour = SOFT if does is None else ink_on(fill)
        if does is None:
            self.box(rect, None, RAISED)
        else:
            self.shadow(rect, "button", self.u(LOOK.radius["button"]))
        if does is not None and marked:
            self.box(rect, fill, GOLD, width=MARK)
        elif does is not None:
            self.box(rect, fill, BUTTON_EDGE if fill == RAISED else None)
        if does is not None:
            self.target(key, rect, does)
        pad = self.em(0.3)
        strong = bold or chosen or marked
        if self.painter.fit_text(label, rect.w - 2 * pad, rect.h, 1.0, bold=strong).broken:
            pad = self.em(0.1)  # less padding rather than a broken word
        self.text(rect.inflate(-2 * pad, 0), label, scale, colour, bold=strong, align="center")

    def cover_page(self) -> None:
        """Prepare for an overlay: darken the page, and drop its targets and the camera's picture."""
        dim = pygame.Surface(self.surface.get_size(), pygame.SRCALPHA)
        dim.fill((*SHADE, round(255 * LOOK.share["shade"])))
        self.surface.blit(dim, (0, 0))
        self.targets.clear()
        self.moving.pop("camera", None)
        self.covered_lines = len(self.text_lines)

    # Read aloud -------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The first line of the page, or of the overlay that covers it."""
        return next((one.string for one in self.text_lines[self.covered_lines :] if one.string), "")

    def label(self, target: Target) -> str:
        """The text of a target, as it is read aloud."""
        shown = self.text_lines[self.covered_lines :]
        words = list[str]()
        for one in shown:
            if one.string and target.rect.collidepoint(one.rect.center):
                words += [f"{words.pop()} {one.string}" if one.continues and words else one.string]
        kind, _, which = target.key.partition(":")
        if kind == "chair" and (name := self.name(int(which))) not in words:
            words.append(name)  # a free chair has only a number and a colour
        return ", ".join(words)

    # Pictures ---------------------------------------------------------------------------------------------

    def shape(self, centre: tuple[int, int], radius: int, chair: Chair, *, edge: Colour = PAPER) -> None:
        """A chair's colour and shape; the caller writes the number next to it."""
        self.picture(self.art.chair_shape(SHAPES[chair], radius, self.colour(chair), edge, INK), centre)

    def badge(self, centre: tuple[int, int], radius: int, chair: Chair, *, edge: Colour = PAPER) -> None:
        """A chair's colour, shape and number, if chairs have any here."""
        self.shape(centre, radius, chair, edge=edge)
        if not self.frame.numbers_chairs:
            return
        scale = max(1.0, radius * 1.05 / self.unit)
        side = radius * 2
        self.text(
            Box(centre[0] - radius, centre[1] - radius, side, side),
            str(chair + 1),
            scale,
            ink_on(self.colour(chair)),
            bold=True,
            align="center",
            grows=False,
        )

    def card(self, box: Box, face: str, *, ring: bool = False) -> None:
        """A card as its deck has it on paper; where no picture of it is shipped, its back or its number.

        `ring`: it lies in a ring of its own, and throws no shadow on that.
        """
        if not ring:
            self.card_shadow(box)
        drawn = self.art.printed_face(face, box.size)
        if drawn is None:
            art = self.art
            drawn = art.card_back(box.size) if face.startswith("back:") else art.card_face(face, box.size)
        self.surface.blit(drawn, box)

    def card_shadow(self, box: Box) -> None:
        """What a card in the middle of `box` throws on the felt; before the card."""
        card = self.art.card_rect(box)
        self.shadow(card, "card", round(card.w * LOOK.radius["card"]))

    def place(
        self,
        name: str,
        rect: Box,
        what: tuple[str | int, ...] = (),
        *drawn: pygame.Surface | None,
    ) -> None:
        """Say where a thing of the game is, so that it is seen to move when it is elsewhere next.

        `drawn`: as in `Placed`.
        """
        self.placed[name] = Placed(rect, what, *drawn)

    def picture(self, picture: pygame.Surface, centre: tuple[int, int]) -> None:
        """Put a picture on the sheet, unscaled, with its middle at `centre` (x, y) in pixels."""
        self.surface.blit(picture, picture.get_rect(center=centre))

    def paint_warning(self, rect: Box, string: str, fill: Colour = NOTICE, colour: Colour = INK) -> Box:
        """A warning at the foot of `rect`, or in quieter colours some news; returns the area above it."""
        pad = self.em(0.25)
        height = self.text_height(string, most=3, pad=2 * pad, bold=True)(rect.w - self.em(1))
        rest, strip = rows(rect, FILL, height, gap=pad)
        self.box(strip, fill)
        self.text(strip.inflate(-self.em(1), -2 * pad), string, 1.0, colour, bold=True, align="center")
        return rest

    def divider(self, y: int, left: int, right: int) -> None:
        self.line(EDGE, 0.05, (left, y), (right, y))
