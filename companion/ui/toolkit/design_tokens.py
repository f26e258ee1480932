"""Design tokens of the screen, read from `tokens.json`."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

Colour = tuple[int, int, int]


class SeatStyle(msgspec.Struct, frozen=True):
    """What a chair is known by."""

    name: str
    """Of its colour."""
    shape: str
    fill: str


class DesignTokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One look. Sizes are in u, 1 % of the screen's height."""

    unit: str
    colours: Mapping[str, str]
    seats: tuple[SeatStyle, ...]
    share: Mapping[str, float]
    """How much of one colour is in another, and how strong a light is."""
    text: Mapping[str, float]
    """Letters: the smallest are this part of the height; line, large text, a step smaller: as factors."""
    type: Mapping[str, float]
    """Sizes of letters by what they are for."""
    radius: Mapping[str, float]
    """Of corners; a card's is a share of its width."""
    line: Mapping[str, float]
    avatar: Mapping[str, float]
    """Diameters; how much an asked one grows; its two outlines as shares of it."""
    stage: Mapping[str, float]
    """The table's grid: across in hundredths of the width, upright in u; screens from `large` points of
    height have room for the log, those up to `small` a higher toolbar; those up to `touched` may be 7 inches
    wide: one of several answers is then `finger` high, 9 mm."""
    home: Mapping[str, float]
    """The home page: edges, gaps, letters and avatars in u, `split` and `start` in hundredths of the width,
    `art`: the least height of a cover's picture, `square`: of the round table, `rays`: how many."""
    moment: Mapping[str, float]
    """A verdict: heights in u, places across in hundredths of the width; `flood`, and `stop` where a finish
    stands under it: of the height."""
    fan: Mapping[str, float]
    """A hand: height above the toolbar, cards, from card to card, degrees a card and in all, how much
    deeper the outer ones hang; and the share of the middle that sets have above what the hand can do."""
    motion: Mapping[str, int]
    """Frames a second while something moves; how many pieces of paper fall; thousandths of a second that a
    colour takes to come in, and that a verdict stands."""

    def colour(self, name: str) -> Colour:
        """A named colour as red, green and blue."""
        return parse_colour(self.colours[name])


def parse_colour(colour: str) -> Colour:
    """`#FFD35C` as red, green and blue."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return (red, green, blue)


@cache
def load_design_tokens() -> DesignTokens:
    """The one look there is."""
    return msgspec.json.decode((Path(__file__).parent / "tokens.json").read_bytes(), type=DesignTokens)
