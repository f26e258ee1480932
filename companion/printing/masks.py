"""Masks and actors: painted faces put together from a few features, our own designs.

Masks of one colour share their ground and their skin on purpose: only brows, eyes, mouth and marks differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from companion.printing.pen import INK, WHITE, Pen

Feature = Callable[[Pen, str], None]
_SIDES = (-1, 1)
_FACE = ((0, -21), (-11, -20), (-16, -13), (-16.5, -2), (-14, 9), (-8.5, 17), (0, 20.5))


def mask(pen: Pen, options: Mapping[str, str]) -> None:
    """A painted face, 33 mm wide and 42 mm high."""
    skin, paint = options["skin"], options["paint"]
    _CROWNS[options["crown"]](pen, paint)
    right = [(-x, y) for x, y in reversed(_FACE[1:-1])]
    pen.blob([*_FACE, *right], fill=skin, width=0.9)
    for feature, shapes in (("cheek", _CHEEKS), ("brow", _BROWS), ("eyes", _EYES), ("mouth", _MOUTHS)):
        shapes[options[feature]](pen, paint)
    pen.curve([(-1.6, -3), (-2.6, 3.4), (0, 4.6), (2.6, 3.4), (1.6, -3)], width=0.9)


def _nothing(pen: Pen, paint: str) -> None:
    """Nothing at all."""


def _both(draw: Callable[[Pen, str], None]) -> Feature:
    """The feature on the right side of the face, and mirrored on the left."""

    def drawn(pen: Pen, paint: str) -> None:
        for side in _SIDES:
            with pen.at(0, 0, mirror=side < 0):
                draw(pen, paint)

    return drawn


def _horn(pen: Pen, paint: str) -> None:
    pen.polygon([(5, -18), (13, -14), (14.5, -27)], fill="#f3e3b3")


def _tuft(pen: Pen, paint: str) -> None:
    for x, y in ((0, -26), (6, -25.5), (11.5, -22.5), (15.5, -17.5)):
        pen.ellipse(x, y, 4.4, fill=paint)


def _ear(pen: Pen, paint: str) -> None:
    pen.ellipse(13.5, -17.5, 5.2, fill=paint)
    pen.ellipse(13.5, -17.5, 2.6, fill=WHITE, width=0.4)


def _hair(pen: Pen, paint: str) -> None:
    pen.blob([(0, -27), (11, -25), (18.6, -16), (19, 6), (15, 8), (14, -8), (0, -17)], fill=INK, line=None)


def _flame_brow(pen: Pen, paint: str) -> None:
    pen.blob([(2.5, -8), (5, -13), (9, -13), (14.5, -19), (13, -11), (8, -9)], fill=paint, width=0.5)


def _round_brow(pen: Pen, paint: str) -> None:
    pen.ellipse(7, -12.5, 3.2, 2.3, fill=paint, line=None)


def _straight_brow(pen: Pen, paint: str) -> None:
    pen.rect(2.6, -12.6, 11, 3.0, r=0.6, fill=paint, line=None)


def _sad_brow(pen: Pen, paint: str) -> None:
    pen.curve([(3, -14), (8, -13), (13.5, -9)], line=paint, width=2.2)


def _stare(pen: Pen, paint: str) -> None:
    pen.ellipse(7.2, -4.6, 4.3, fill=WHITE)
    pen.ellipse(7.2, -4.6, 1.7, fill=INK, line=None)


def _slit(pen: Pen, paint: str) -> None:
    pen.blob([(2.6, -4), (7.5, -6.6), (13, -7), (8.5, -3)], fill=WHITE, width=0.8)
    pen.ellipse(7.6, -4.9, 1.4, fill=INK, line=None)


def _closed(pen: Pen, paint: str) -> None:
    pen.curve([(2.8, -4.4), (7.4, -2.6), (12, -5)], width=1.4)
    for x, y in ((5, -2.6), (8, -1.8), (10.8, -2.8)):
        pen.curve([(x, y - 0.6), (x + 0.4, y + 1.6)], width=0.8)


def _glare(pen: Pen, paint: str) -> None:
    pen.polygon([(2.4, -2.6), (12.6, -8.6), (12, -2.4)], fill="#ffe36e", width=0.8)
    pen.ellipse(9, -4.6, 1.6, fill=INK, line=None)


def _stripes(pen: Pen, paint: str) -> None:
    for drop in (0.0, 4.2, 8.4):
        pen.curve([(6, 2 + drop), (10, 1 + drop), (14.4 - drop * 0.4, -2 + drop)], line=paint, width=1.7)


def _swirl(pen: Pen, paint: str) -> None:
    pen.curve([(12.6, -1), (13, 6), (7.6, 8), (6.4, 4), (9.8, 3.4)], line=paint, width=1.7)


def _blush(pen: Pen, paint: str) -> None:
    pen.ellipse(9.6, 4.4, 3.6, fill=paint, line=None)


def _freckles(pen: Pen, paint: str) -> None:
    for x, y in ((6.6, 3), (10, 1.8), (12.6, 4), (8.6, 6.6), (11.4, 7.6)):
        pen.ellipse(x, y, 1.0, fill=paint, line=None)


def _tears(pen: Pen, paint: str) -> None:
    pen.polygon([(7.2, 1), (9.4, 8), (7.2, 10.4), (5, 8)], fill=paint, width=0.4)


def _grin(pen: Pen, paint: str) -> None:
    pen.blob([(-9, 8), (0, 10.4), (9, 8), (6, 14), (0, 16), (-6, 14)], fill=WHITE, width=0.9)
    for x in (-4.6, -1.6, 1.6, 4.6):
        pen.curve([(x, 9.8), (x, 14.4)], width=0.6)


def _fangs(pen: Pen, paint: str) -> None:
    pen.blob([(-8.6, 9), (0, 7.6), (8.6, 9), (7, 14.6), (0, 13), (-7, 14.6)], fill="#8d1020", width=0.9)
    for x in (-5.4, 5.4):
        pen.polygon([(x - 1.7, 8.8), (x + 1.7, 8.8), (x, 14.4)], fill=WHITE, width=0.5)


def _pout(pen: Pen, paint: str) -> None:
    pen.ellipse(0, 11.4, 3.2, 2.4, fill="#c2183a")


def _gape(pen: Pen, paint: str) -> None:
    pen.ellipse(0, 11.8, 4.4, 5, fill="#5a0f1c")


def _moustache(pen: Pen, paint: str) -> None:
    for side in _SIDES:
        with pen.at(0, 0, mirror=side < 0):
            pen.blob([(0.4, 7.4), (6, 6.4), (12, 10.4), (5.4, 10)], fill=INK, line=None)
    pen.curve([(-4, 13), (0, 14.2), (4, 13)], width=1.4)


def _tongue(pen: Pen, paint: str) -> None:
    pen.curve([(-8, 8.4), (0, 10.4), (8, 8.4)], width=1.6)
    pen.rect(-2.8, 10.2, 5.6, 7, r=2.6, fill="#e0526e")


_CROWNS: Mapping[str, Feature] = MappingProxyType(
    {
        "none": _nothing,
        "horns": _both(_horn),
        "mane": _both(_tuft),
        "ears": _both(_ear),
        "hair": _both(_hair),
    }
)
_BROWS: Mapping[str, Feature] = MappingProxyType(
    {
        "flame": _both(_flame_brow),
        "round": _both(_round_brow),
        "straight": _both(_straight_brow),
        "sad": _both(_sad_brow),
    }
)
_EYES: Mapping[str, Feature] = MappingProxyType(
    {"stare": _both(_stare), "slit": _both(_slit), "closed": _both(_closed), "glare": _both(_glare)}
)
_CHEEKS: Mapping[str, Feature] = MappingProxyType(
    {
        "stripes": _both(_stripes),
        "swirl": _both(_swirl),
        "blush": _both(_blush),
        "freckles": _both(_freckles),
        "tears": _both(_tears),
    }
)
_MOUTHS: Mapping[str, Feature] = MappingProxyType(
    {
        "grin": _grin,
        "fangs": _fangs,
        "pout": _pout,
        "gape": _gape,
        "moustache": _moustache,
        "tongue": _tongue,
    }
)


def _fan(pen: Pen, colour: str) -> None:
    pen.polygon([(0, 3), (-8, -9), (-3, -12), (3, -12), (8, -9)], fill=colour)
    for x in (-4.6, 0, 4.6):
        pen.curve([(0, 3), (x, -10.6)], width=0.5)


def _lantern(pen: Pen, colour: str) -> None:
    pen.ellipse(0, -7, 5.4, 7, fill=colour)
    for y in (-10.5, -7, -3.5):
        pen.curve([(-5, y), (0, y + 0.8), (5, y)], width=0.5)
    pen.rect(-2, -15.4, 4, 2, fill=INK, line=None)


def _sword(pen: Pen, colour: str) -> None:
    pen.polygon([(-1.2, 2), (-1.2, -20), (0, -23), (1.2, -20), (1.2, 2)], fill=WHITE)
    pen.rect(-4, 1, 8, 1.8, fill=colour)


def _drum(pen: Pen, colour: str) -> None:
    pen.ellipse(0, -5, 7, fill=colour)
    pen.ellipse(0, -5, 4.8, fill=WHITE, width=0.5)
    pen.ellipse(0, -5, 1.6, fill=INK, line=None)


_PROPS: Mapping[str, Feature] = MappingProxyType(
    {"fan": _fan, "lantern": _lantern, "sword": _sword, "drum": _drum}
)


def actor(pen: Pen, options: Mapping[str, str]) -> None:
    """An actor without a mask: a robe with wide sleeves, a sash, a bare face, something in hand."""
    robe, sash = options["robe"], options["sash"]
    pen.polygon([(-6, -8), (6, -8), (12, 22), (-12, 22)], fill=robe)
    for side in _SIDES:
        with pen.at(0, 0, mirror=side < 0):
            pen.polygon([(4, -8), (11, -6), (18, 9), (9, 12), (6, 2)], fill=robe)
            pen.ellipse(13.6, 11, 2.3, fill="#f4c7a1")
    with pen.at(13.6, 9, turn=8):
        _PROPS[options["prop"]](pen, sash)
    pen.rect(-8.6, 3, 17.2, 5.6, fill=sash)
    pen.polygon([(-5, -8.4), (0, -1), (5, -8.4)], fill=WHITE, width=0.5)
    pen.ellipse(0, -14, 6.4, 7.2, fill="#f4c7a1")
    pen.blob([(-6.8, -13), (-5.6, -21), (0, -24.6), (5.6, -21), (6.8, -13), (0, -18)], fill=INK, line=None)
    pen.ellipse(0, -24.4, 2.6, fill=INK, line=None)


def eyes(pen: Pen, colour: str) -> None:
    """A pair of eyes behind a mask, 6 mm wide: the pattern of the masks' back."""
    for side in _SIDES:
        with pen.at(0, 0, mirror=side < 0):
            pen.blob([(0.4, 0), (1.6, -1.2), (3, -1), (2, 0.6)], fill=colour, line=None)
    pen.curve([(-1.4, 2), (0, 2.6), (1.4, 2)], line=colour, width=0.4)
