"""Two values on one card, each upright when its half is on top; every value has its colour and pattern."""

from collections.abc import Mapping
from types import MappingProxyType

from companion.printing.art import draw
from companion.printing.patterns import HEIGHT, PATTERNS, WIDTH
from companion.printing.pen import INK, WHITE, Pen

LOOKS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "1": ("#d9434a", "plain", "#d9434a"),
        "2": ("#f19a3e", "dots", "#f6b873"),
        "3": ("#f2cd3d", "checks", "#f7df83"),
        "4": ("#93c954", "waves", "#b4db87"),
        "5": ("#2f9a62", "triangles", "#5bb385"),
        "6": ("#35b5bd", "bars", "#72cdd2"),
        "7": ("#3f7fd6", "diamonds", "#719fe0"),
        "8": ("#6a55c2", "crosses", "#9083d2"),
        "9": ("#c652ad", "zigzag", "#d683c4"),
        "10": ("#80583c", "bricks", "#a07d65"),
    }
)
"""Value → ground, pattern and its colour: a 6 is no 9 by any of the three."""
_HALF = HEIGHT / 2
_BAND = 5.2
"""Half the height of the band between the values, where the symbols stand."""
_BANDS: Mapping[str, str] = MappingProxyType(
    {"none": WHITE, "star": INK, "neutral": "#c9ccd3", "smile": "#ffe27a", "sad": "#a9c8ee"}
)


def pair(pen: Pen, options: Mapping[str, str]) -> None:
    """Both halves and the band between them; drawn round the motif's place."""
    with pen.at(-22.0, -39.0):
        _value(pen, options["up"])
        with pen.at(WIDTH, HEIGHT, turn=180):
            _value(pen, options["down"])
        pen.rect(0, _HALF - _BAND, WIDTH, 2 * _BAND, fill=_BANDS[options["symbol"]], width=0.5)
        for x in (9.5, 22.0, 34.5):
            with pen.at(x, _HALF):
                if options["symbol"] != "none":
                    draw(pen, "figures", options["symbol"])


def _value(pen: Pen, value: str) -> None:
    ground, pattern, colour = LOOKS[value]
    with pen.inside(0, 0, WIDTH, _HALF):
        pen.rect(0, 0, WIDTH, _HALF, fill=ground, line=None)
        PATTERNS[pattern](pen, colour)
    pen.rect(9.5, 4.4, 25, 22.6, r=6, fill=WHITE, line=INK, width=0.6)
    pen.text(22, 22.6, value, 20.0)
    if value in {"6", "9"}:
        pen.rect(15.8, 24.0, 12.4, 1.5, fill=INK, line=None)
