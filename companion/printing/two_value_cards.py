"""Draws the motif of cards that carry two values, one for each way up."""

from collections.abc import Mapping
from types import MappingProxyType

from companion.printing.patterns import CARD_HEIGHT_MM, CARD_WIDTH_MM, PATTERNS
from companion.printing.pen import INK, WHITE, Pen
from companion.printing.svg_art import draw_figure

VALUE_STYLES: Mapping[str, tuple[str, str, str]] = MappingProxyType(
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
_HALF = CARD_HEIGHT_MM / 2
_BAND = 5.2
"""Half the height of the band between the values, where the symbols stand."""
_BAND_COLOURS: Mapping[str, str] = MappingProxyType(
    {"none": WHITE, "star": INK, "neutral": "#c9ccd3", "smile": "#ffe27a", "sad": "#a9c8ee"}
)


def draw_value_pair(pen: Pen, options: Mapping[str, str]) -> None:
    """Both halves and the band between them; drawn round the motif's place."""
    with pen.transform(-22.0, -39.0):
        _draw_value(pen, options["up"])
        with pen.transform(CARD_WIDTH_MM, CARD_HEIGHT_MM, turn=180):
            _draw_value(pen, options["down"])
        pen.rect(0, _HALF - _BAND, CARD_WIDTH_MM, 2 * _BAND, fill=_BAND_COLOURS[options["symbol"]], width=0.5)
        for x in (9.5, 22.0, 34.5):
            with pen.transform(x, _HALF):
                if options["symbol"] != "none":
                    draw_figure(pen, "figures", options["symbol"])


def _draw_value(pen: Pen, value: str) -> None:
    ground, pattern, colour = VALUE_STYLES[value]
    with pen.clip(0, 0, CARD_WIDTH_MM, _HALF):
        pen.rect(0, 0, CARD_WIDTH_MM, _HALF, fill=ground, line=None)
        PATTERNS[pattern](pen, colour)
    pen.rect(9.5, 4.4, 25, 22.6, r=6, fill=WHITE, line=INK, width=0.6)
    pen.text(22, 22.6, value, 20.0)
    if value in {"6", "9"}:
        pen.rect(15.8, 24.0, 12.4, 1.5, fill=INK, line=None)
