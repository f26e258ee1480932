"""Draws vector shapes in millimetres on a PDF canvas."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypedDict, Unpack

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
