"""Draws on a PDF canvas in millimetres: vector shapes, figures from SVG files, background patterns of cards.

An editor or a browser shows each SVG file whole; a drawing is an element with an `id`, in mm round its own
origin. Of SVG we read what the files use: shapes with fill, stroke and width, paths of M and C, groups,
`use`, and a nested `svg`, which clips. A colour is `#rrggbb`, none, or one of the card, `var(--name)`.
Patterns differ so that no two faces differ by colour alone.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypedDict, Unpack
from xml.etree import ElementTree

Point = tuple[float, float]

INK = "#2b2633"
WHITE = "#ffffff"
LINE_MM = 0.7
_POINTS_PER_MM = 72.0 / 25.4


class StrokeStyle(TypedDict, total=False):
    """How a figure is drawn: `fill` (none if not said) and `line` are `#rrggbb` or None, `width` is in mm."""

    fill: str | None
    line: str | None
    width: float


def _font_name(*, bold: bool) -> str:
    return "NotoSans-Bold" if bold else "NotoSans-Regular"


class Pen:
    """Draws vectors on a reportlab canvas; x to the right and y down, both in mm from the current origin."""

    def __init__(self, canvas: Any, origin_mm: Point, page_height_mm: float) -> None:
        self._canvas = canvas
        self._origin = origin_mm
        self._page_height = page_height_mm

    @contextmanager
    def on_page(self) -> Iterator[None]:
        """Everything drawn inside lies at this pen's origin on the page."""
        self._canvas.saveState()
        self._canvas.scale(_POINTS_PER_MM, -_POINTS_PER_MM)
        self._canvas.translate(self._origin[0], self._origin[1] - self._page_height)
        self._canvas.setLineJoin(1)
        self._canvas.setLineCap(1)
        yield
        self._canvas.restoreState()

    @contextmanager
    def transform(
        self, x: float, y: float, *, turn: float = 0.0, scale: float = 1.0, mirror: bool = False
    ) -> Iterator[None]:
        """Move the origin to (x, y), turn by degrees clockwise, scale, and perhaps mirror left and right."""
        self._canvas.saveState()
        self._canvas.translate(x, y)
        self._canvas.rotate(turn)
        self._canvas.scale(-scale if mirror else scale, scale)
        yield
        self._canvas.restoreState()

    @contextmanager
    def clip(self, x: float, y: float, w: float, h: float, r: float = 0.0) -> Iterator[None]:
        """Clip to this rectangle, with corners of radius `r`; all in millimetres."""
        self._canvas.saveState()
        path = self._canvas.beginPath()
        path.roundRect(x, y, w, h, r)
        self._canvas.clipPath(path, stroke=0, fill=0)
        yield
        self._canvas.restoreState()

    def _stroke_and_fill(
        self, path: Any, *, fill: str | None = None, line: str | None = INK, width: float = LINE_MM
    ) -> None:
        if fill:
            self._canvas.setFillColor(fill)
        if line:
            self._canvas.setStrokeColor(line)
            self._canvas.setLineWidth(width)
        self._canvas.drawPath(path, stroke=int(bool(line)), fill=int(bool(fill)))

    def rect(
        self, x: float, y: float, w: float, h: float, *, r: float = 0.0, **strokes: Unpack[StrokeStyle]
    ) -> None:
        """A rectangle by its top-left corner, with corners of radius `r`; all in millimetres."""
        path = self._canvas.beginPath()
        if r:
            path.roundRect(x, y, w, h, r)
        else:
            path.rect(x, y, w, h)
        self._stroke_and_fill(path, **strokes)

    def ellipse(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float | None = None,
        *,
        turn: float = 0.0,
        **strokes: Unpack[StrokeStyle],
    ) -> None:
        """An ellipse (a circle without `ry`) by its centre and radii in mm, turned by `turn` degrees."""
        ry = rx if ry is None else ry
        with self.transform(x, y, turn=turn):
            path = self._canvas.beginPath()
            path.ellipse(-rx, -ry, 2 * rx, 2 * ry)
            self._stroke_and_fill(path, **strokes)

    def polygon(self, points: Sequence[Point], **strokes: Unpack[StrokeStyle]) -> None:
        """A closed figure with straight sides; points in millimetres."""
        path = self._canvas.beginPath()
        path.moveTo(*points[0])
        for point in points[1:]:
            path.lineTo(*point)
        path.close()
        self._stroke_and_fill(path, **strokes)

    def path(self, parts: Sequence[Sequence[Point]], **strokes: Unpack[StrokeStyle]) -> None:
        """A figure from the point in `parts[0]`: one more point is a line, three are a Bézier; in mm."""
        path = self._canvas.beginPath()
        path.moveTo(*parts[0][0])
        for part in parts[1:]:
            go = path.lineTo if len(part) == 1 else path.curveTo
            go(*(number for point in part for number in point))
        self._stroke_and_fill(path, **strokes)

    def curve(self, points: Sequence[Point], *, line: str = INK, width: float = LINE_MM) -> None:
        """An open smooth curve through the points, in millimetres (a Catmull-Rom spline)."""
        through = [points[0], *points, points[-1]]
        parts = [[points[0]]]
        for before, start, end, after in zip(through, through[1:], through[2:], through[3:], strict=False):
            leaves = start[0] + (end[0] - before[0]) / 6, start[1] + (end[1] - before[1]) / 6
            comes = end[0] - (after[0] - start[0]) / 6, end[1] - (after[1] - start[1]) / 6
            parts.append([leaves, comes, end])
        self.path(parts, line=line, width=width)

    def star(
        self,
        x: float,
        y: float,
        outer: float,
        inner: float,
        rays: int,
        *,
        turn: float = 0.0,
        **strokes: Unpack[StrokeStyle],
    ) -> None:
        """A star with its first ray up, turned by degrees clockwise."""
        corners = []
        for step in range(2 * rays):
            angle = math.radians(turn - 90 + step * 180 / rays)
            radius = inner if step % 2 else outer
            corners.append((x + radius * math.cos(angle), y + radius * math.sin(angle)))
        self.polygon(corners, **strokes)

    def picture(self, x: float, y: float, w: float, h: float, file: str) -> None:
        """A PNG or JPEG file, stretched to this rectangle; in millimetres."""
        with self.transform(x, y + h):
            self._canvas.scale(1, -1)
            self._canvas.drawImage(file, 0, 0, w, h, mask="auto")

    def text_width(self, words: str, size: float, *, bold: bool = True) -> float:
        """How wide `text` would write these words, in mm."""
        return float(self._canvas.stringWidth(words, _font_name(bold=bold), size))

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        *,
        fill: str = INK,
        bold: bool = True,
        anchor: str = "middle",
    ) -> float:
        """Write on the baseline y, letters `size` mm high (an em); the width in mm."""
        width = self.text_width(words, size, bold=bold)
        left = x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        self._canvas.saveState()
        self._canvas.translate(left, y)
        self._canvas.scale(1, -1)
        self._canvas.setFillColor(fill)
        self._canvas.setFont(_font_name(bold=bold), size)
        self._canvas.drawString(0, 0, words)
        self._canvas.restoreState()
        return width


_SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"-?[\d.]+")
_TRANSFORM = re.compile(r"(\w+)\(([^)]*)\)")
_COLOUR = re.compile(r"var\(--(\w+)\)")


@cache
def load_drawings(file: str) -> Mapping[str, ElementTree.Element]:
    """The drawings of `art/<file>.svg` by their names."""
    tree = ElementTree.parse(Path(__file__).parent / "art" / f"{file}.svg")  # noqa: S314 - our own file
    return {node.attrib["id"]: node for node in tree.iter() if "id" in node.attrib}


def draw_figure(pen: Pen, file: str, name: str, **colours: str) -> None:
    """Draw `name` of `file` round the origin; `KeyError` names a drawing or colour that is missing."""
    _draw_node(pen, load_drawings(file), load_drawings(file)[name], colours)


def _draw_node(
    pen: Pen,
    known: Mapping[str, ElementTree.Element],
    node: ElementTree.Element,
    colours: Mapping[str, str],
) -> None:
    with ExitStack() as placed:
        for kind, numbers in _TRANSFORM.findall(node.get("transform", "")):
            _apply_transform(pen, placed, kind, [float(number) for number in _NUMBER.findall(numbers)])
        match node.tag.removeprefix(_SVG):
            case "g":
                for part in node:
                    _draw_node(pen, known, part, colours)
            case "svg":
                placed.enter_context(pen.clip(*_read_numbers(node, "x", "y", "width", "height")))
                for part in node:
                    _draw_node(pen, known, part, colours)
            case "use":
                _draw_node(pen, known, known[node.attrib["href"].removeprefix("#")], colours)
            case shape:
                _draw_shape(pen, shape, node, colours)


def _apply_transform(pen: Pen, placed: ExitStack, kind: str, numbers: list[float]) -> None:
    if kind == "translate":
        placed.enter_context(pen.transform(numbers[0], numbers[1]))
    elif kind == "rotate":
        turn, x, y = [*numbers, 0.0, 0.0][:3]
        placed.enter_context(pen.transform(x, y, turn=turn))
        placed.enter_context(pen.transform(-x, -y))
    else:
        placed.enter_context(pen.transform(0, 0, scale=abs(numbers[0]), mirror=numbers[0] < 0))


def _draw_shape(pen: Pen, shape: str, node: ElementTree.Element, colours: Mapping[str, str]) -> None:
    fill, line = (
        _resolve_colour(node.get(key, usual), colours) for key, usual in (("fill", ""), ("stroke", INK))
    )
    width = float(node.get("stroke-width", LINE_MM))
    match shape:
        case "rect":
            box = _read_numbers(node, "x", "y", "width", "height")
            pen.rect(*box, r=float(node.get("rx", 0)), fill=fill, line=line, width=width)
        case "circle":
            pen.ellipse(*_read_numbers(node, "cx", "cy", "r"), fill=fill, line=line, width=width)
        case "ellipse":
            pen.ellipse(*_read_numbers(node, "cx", "cy", "rx", "ry"), fill=fill, line=line, width=width)
        case "line":
            (x1, y1), (x2, y2) = _to_points(_read_numbers(node, "x1", "y1", "x2", "y2"))
            pen.path([[(x1, y1)], [(x2, y2)]], line=line, width=width)
        case "polygon":
            corners = _to_points(map(float, _NUMBER.findall(node.attrib["points"])))
            pen.polygon(list(corners), fill=fill, line=line, width=width)
        case "path":
            parts = re.split("[MC]", node.attrib["d"])[1:]
            numbers = (map(float, _NUMBER.findall(part)) for part in parts)
            pen.path([list(_to_points(part)) for part in numbers], fill=fill, line=line, width=width)
        case unknown:
            raise KeyError(unknown)


def _resolve_colour(colour: str, colours: Mapping[str, str]) -> str | None:
    named = _COLOUR.fullmatch(colour)
    return colours[named[1]] if named else colour.replace("none", "") or None


def _read_numbers(node: ElementTree.Element, *names: str) -> list[float]:
    return [float(node.attrib[name]) for name in names]


def _to_points(numbers: Iterable[float]) -> Iterable[Point]:
    return zip(*[iter(numbers)] * 2, strict=True)


CARD_WIDTH_MM, CARD_HEIGHT_MM = 44.0, 68.0

DrawPattern = Callable[[Pen, str], None]


def _grid_points(step_x: float, step_y: float) -> list[tuple[float, float]]:
    spots = []
    for row in range(math.ceil(CARD_HEIGHT_MM / step_y) + 1):
        shift = step_x / 2 if row % 2 else 0.0
        spots += [
            (column * step_x + shift, row * step_y) for column in range(math.ceil(CARD_WIDTH_MM / step_x) + 1)
        ]
    return spots


def plain(pen: Pen, colour: str) -> None:
    """Nothing but the ground."""


def stripes(pen: Pen, colour: str) -> None:
    """Diagonal stripes."""
    for start in range(-68, 60, 12):
        pen.polygon([(start, 68), (start + 68, 0), (start + 74, 0), (start + 6, 68)], fill=colour, line=None)


def bars(pen: Pen, colour: str) -> None:
    """Horizontal bars."""
    for row in range(0, 70, 10):
        pen.rect(0, row, CARD_WIDTH_MM, 5, fill=colour, line=None)


def columns(pen: Pen, colour: str) -> None:
    """Vertical columns."""
    for column in range(1, 46, 8):
        pen.rect(column, 0, 4, CARD_HEIGHT_MM, fill=colour, line=None)


def dots(pen: Pen, colour: str) -> None:
    """Large staggered dots."""
    for x, y in _grid_points(11, 8):
        pen.ellipse(x, y, 2.6, fill=colour, line=None)


def checks(pen: Pen, colour: str) -> None:
    """A chequered cloth."""
    for x, y in _grid_points(14, 7):
        pen.rect(x - 3, y - 1, 7, 7, fill=colour, line=None)


def waves(pen: Pen, colour: str) -> None:
    """Rolling waves."""
    for y in range(0, 72, 9):
        pen.curve([(x, y + (2.2 if x // 6 % 2 else -2.2)) for x in range(-6, 56, 6)], line=colour, width=2.6)


def rays(pen: Pen, colour: str) -> None:
    """Rays from behind the motif."""
    for step in range(12):
        angle, wide = math.radians(30 * step), math.radians(7.5)
        points = [(22 + 60 * math.cos(a), 38 + 60 * math.sin(a)) for a in (angle - wide, angle + wide)]
        pen.polygon([(22, 38), *points], fill=colour, line=None)


def triangles(pen: Pen, colour: str) -> None:
    """Small hills in rows."""
    for x, y in _grid_points(11, 9):
        pen.polygon([(x - 4, y + 3), (x, y - 4), (x + 4, y + 3)], fill=colour, line=None)


def stars(pen: Pen, colour: str) -> None:
    """Five-pointed stars."""
    for x, y in _grid_points(13, 10):
        pen.star(x, y, 3.6, 1.5, 5, turn=x * 5, fill=colour, line=None)


def diamonds(pen: Pen, colour: str) -> None:
    """A net of diamonds."""
    for x, y in _grid_points(12, 9):
        pen.polygon([(x - 4, y), (x, y - 6), (x + 4, y), (x, y + 6)], fill=colour, line=None)


def bricks(pen: Pen, colour: str) -> None:
    """A brick wall."""
    for x, y in _grid_points(14, 7):
        pen.rect(x - 6.3, y - 2.8, 12.6, 5.6, r=0.8, fill=colour, line=None)


def crosses(pen: Pen, colour: str) -> None:
    """Plus signs."""
    for x, y in _grid_points(12, 9):
        pen.rect(x - 3, y - 1, 6, 2, fill=colour, line=None)
        pen.rect(x - 1, y - 3, 2, 6, fill=colour, line=None)


def rings(pen: Pen, colour: str) -> None:
    """Rings round the motif."""
    for radius in range(6, 66, 10):
        pen.ellipse(22, 38, radius, line=colour, width=4)


def zigzag(pen: Pen, colour: str) -> None:
    """Upright zigzags."""
    for x in range(0, 50, 9):
        points = [(x + (2.5 if step % 2 else -2.5), step * 6) for step in range(13)]
        for start, end in pairwise(points):
            pen.curve([start, end], line=colour, width=2.4)


def leaves(pen: Pen, colour: str) -> None:
    """Scattered leaves."""
    for x, y in _grid_points(12, 10):
        pen.ellipse(x, y, 4.6, 1.9, turn=35 + x * 9, fill=colour, line=None)


def hearts(pen: Pen, colour: str) -> None:
    """Hearts in rows."""
    for x, y in _grid_points(13, 11):
        pen.ellipse(x - 1.6, y - 1, 2, fill=colour, line=None)
        pen.ellipse(x + 1.6, y - 1, 2, fill=colour, line=None)
        pen.polygon([(x - 3.4, y - 0.2), (x + 3.4, y - 0.2), (x, y + 4)], fill=colour, line=None)


def hills(pen: Pen, colour: str) -> None:
    """A lawn with two hills, for what stands on the ground."""
    pen.ellipse(9, 66, 24, 22, fill=colour, line=None)
    pen.ellipse(38, 68, 22, 20, fill=colour, line=None)


PATTERNS: Mapping[str, DrawPattern] = {
    pattern.__name__: pattern
    for pattern in (
        plain, stripes, bars, columns, dots, checks, waves, rays, triangles, stars, diamonds, bricks, crosses,
        rings, zigzag, leaves, hearts, hills,
    )
}  # fmt: skip
