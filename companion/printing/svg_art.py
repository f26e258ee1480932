"""Draws named figures from the project's SVG files in the colours of a card.

An editor or a browser shows each file whole; a drawing is an element with an `id`, in mm round its own
origin. Of SVG we read what the files use: shapes with fill, stroke and width, paths of M and C, groups,
`use`, and a nested `svg`, which cuts off what is outside. A colour is `#rrggbb`, none, or one of the card,
`var(--name)`.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from companion.printing.pen import INK, LINE_MM, Pen, Point

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
        for kind, told in _TRANSFORM.findall(node.get("transform", "")):
            _apply_transform(pen, placed, kind, [float(number) for number in _NUMBER.findall(told)])
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


def _apply_transform(pen: Pen, placed: ExitStack, kind: str, told: list[float]) -> None:
    if kind == "translate":
        placed.enter_context(pen.transform(told[0], told[1]))
    elif kind == "rotate":
        turn, x, y = [*told, 0.0, 0.0][:3]
        placed.enter_context(pen.transform(x, y, turn=turn))
        placed.enter_context(pen.transform(-x, -y))
    else:
        placed.enter_context(pen.transform(0, 0, scale=abs(told[0]), mirror=told[0] < 0))


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


def _resolve_colour(told: str, colours: Mapping[str, str]) -> str | None:
    named = _COLOUR.fullmatch(told)
    return colours[named[1]] if named else told.replace("none", "") or None


def _read_numbers(node: ElementTree.Element, *names: str) -> list[float]:
    return [float(node.attrib[name]) for name in names]


def _to_points(numbers: Iterable[float]) -> Iterable[Point]:
    return zip(*[iter(numbers)] * 2, strict=True)
