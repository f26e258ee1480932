"""The screen's design: its tokens, read from `tokens.json`, and colours with contrast as WCAG 2 has it."""

import math
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from companion.core.actions import Micros

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
    elevation: Mapping[str, tuple[float, float, float]]
    """What things throw on what is below them: how much lower, how far beyond their edges, both in u, and how
    strong at the edge, 0 to 1. `felt`: what the rim throws on the felt."""
    avatar: Mapping[str, float]
    """Diameters; how much an asked one grows; its two outlines as shares of it."""
    stage: Mapping[str, float]
    """The table's grid: across in hundredths of the width, upright in u; screens from `large` points of
    height have room for the log, those up to `small` a higher toolbar; those up to `touched` may be 7 inches
    wide: one of several answers is then `finger` high, 9 mm."""
    home: Mapping[str, float]
    """The home page: edges, gaps, letters and avatars in u, `split` and `start` in hundredths of the width,
    `art`: the least height of a cover's picture, `square`: of the round table, `rays`: how many."""
    prepare: Mapping[str, float]
    """A table that is made ready, in u: the edges of the felt, the words below a picture and the number
    beside them, the arrow to the next, the gaps."""
    choice: Mapping[str, float]
    """A choice on the felt, in u: its edges, gaps, the words below the cards and their corners; as shares:
    its width to its height, how much smaller cards are than the marked one, a sign to its card, the step from
    card to card of a fan, and its height to that of the room."""
    moment: Mapping[str, float]
    """A verdict: heights in u, places across in hundredths of the width; `flood`, and `stop` where a finish
    stands under it: of the height."""
    fan: Mapping[str, float]
    """A hand: its share of the felt, also while places are chosen from; sets that lie alone; what may be done
    beside the hand, a few things and many, and one of them; the owner beside it, what is said of it (em),
    cards, from card to card, degrees a card and in all, how much deeper the outer hang; sets above it."""
    practice: Mapping[str, float]
    """Practice: the strip's edges, what is free below it, its height; above the sentence; gaps, the felt's
    edge; the others' plates in a row and in two, from back to back and from face to face as shares of a card,
    a coin, the own plate, and without anything to press; avatars; as shares of the width the own plate, a
    hand and few cards; the words above the hand."""
    coach: Mapping[str, float]
    """The strip below a lesson: its edges, the badge, a card, its least and greatest height, the words (em),
    the line of progress, the edge of the felt, the buttons' share of the width, an answer in words, these
    words and those of the golden button (em), the bar of what is watched, the words under cards (em), a card
    of an answer, and the sign on a wrong one (em)."""
    lesson_end: Mapping[str, float]
    """The end of a lesson: the buttons, the gaps, the felt's edge, the words below what was learned (em), the
    tick on it, and the words of the buttons (em)."""
    drill: Mapping[str, float]
    """Timing practice: edges, the buttons, the mask on top, the one behind as a share of it and spread,
    degrees, the time, points and lines of a curve, avatars."""
    demo: Mapping[str, float]
    """What stands below a demo's stage: its edges and heights, with few people and with many; the camera's
    card, its width and shape, how it is turned, its edge as a share of it; the row of controls, the gaps and
    the line of what was told; where the picture is large, its share of the width and its label's height."""
    motion: Mapping[str, int]
    """Frames a second while something moves; how many pieces of paper fall; thousandths of a second that a
    colour takes to come in, and that a verdict stands; that a card takes to be turned and to slide, a
    token to fly, a hand to go up; that cards take to be riffled and one to be dealt, from one to the next,
    all of a long deal, from one that is laid to the next, and before it begins anew."""

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


LOOK = load_design_tokens()
"""All of `tokens.json`: colours, sizes, shares, widths."""
REVEAL_TIME: Micros = LOOK.motion["flood"] * 1_000
"""How long a verdict's colour takes to come in."""
VERDICT_TIME: Micros = LOOK.motion["moment"] * 1_000
"""How long a verdict has the screen."""

GROUND = LOOK.colour("room")
PANEL = LOOK.colour("panel")
RAISED = LOOK.colour("raised")
"""Buttons, chips."""
EDGE = LOOK.colour("edge")
BUTTON_EDGE = LOOK.colour("button_edge")
TEXT = LOOK.colour("text")
SOFT = LOOK.colour("soft")
"""Secondary text."""
GOLD = LOOK.colour("asked")
"""A player is asked; also the primary button, marked places and the count."""
GOOD = LOOK.colour("done")
"""A step of a lesson is done."""
BAD = LOOK.colour("error")
"""A broken rule; used for nothing else."""
NOTICE = LOOK.colour("notice")
"""Hints, and messages about the machine itself."""
INK = LOOK.colour("ink")
"""Text on bright backgrounds."""
PAPER = LOOK.colour("paper")
"""The plate of the player whose turn it is, and whatever is selected."""
FELT = LOOK.colour("felt")
"""The felt in the middle of the table."""
BLUE_BACK = LOOK.colour("back")
SHADE = LOOK.colour("shade")
DARK = LOOK.colour("dark")

CHAIR: Mapping[str, Colour] = {seat.name: parse_colour(seat.fill) for seat in LOOK.seats}
"""A chair's colours, found by search: any two differ by ΔE ≥ 15, also as seen with each of the three
kinds of colour blindness."""
SHAPES = tuple(seat.shape for seat in LOOK.seats)
"""Shape of each chair, chair 1 first, so that chairs never differ by colour alone."""


@lru_cache(maxsize=1024)
def font_size(height: int, scale: float = 1.0) -> int:
    """Font size in pixels of text `scale` times the smallest, on a display `height` pixels high."""
    smallest = height / LOOK.text["smallest"]
    return max(math.ceil(smallest), round(smallest * scale))


def type_scale(role: str) -> float:
    """Scale in em, relative to the smallest text, of a role in the type scale."""
    return LOOK.type[role] * LOOK.text["smallest"] / 100


@lru_cache(maxsize=1024)
def luminance(colour: Colour) -> float:
    """Relative luminance, 0 to 1, as defined by WCAG 2."""
    parts = [c / 255 for c in colour]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast_ratio(one: Colour, other: Colour) -> float:
    """Contrast ratio, 1 to 21, as defined by WCAG 2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@lru_cache(maxsize=1024)
def ink_on(fill: Colour) -> Colour:
    """The text colour with the higher contrast on `fill`."""
    return max((INK, TEXT), key=lambda colour: contrast_ratio(colour, fill))


@lru_cache(maxsize=1024)
def blend(one: Colour, other: Colour, share: float) -> Colour:
    """A linear blend of two colours; `share` of `other`, 0 to 1."""
    r, g, b = (round(a + (c - a) * share) for a, c in zip(one, other, strict=True))
    return (r, g, b)


def plate_ground(colour: Colour) -> Colour:
    """A chair's colour as the background of its plate, dark enough for white text."""
    return blend(PANEL, colour, LOOK.share["tint"])


def plate_edge(colour: Colour) -> Colour:
    """The border of a plate whose background is `quiet(colour)`."""
    return blend(PANEL, colour, LOOK.share["tint_edge"])
