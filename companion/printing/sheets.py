"""Prints a deck on sheets in real size, with fronts aligned to their backs."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from companion.printing.deck_file import CardFace, DeckFileError
from companion.printing.pen import (
    CARD_HEIGHT_MM,
    CARD_WIDTH_MM,
    INK,
    PATTERNS,
    WHITE,
    Pen,
    draw_figure,
    load_drawings,
)

_DISC = 16.0
_SIZE = 21.0
_MARKS = 15
_LINE = 5
"""Marks in a row."""


def draw_numeral(pen: Pen, options: Mapping[str, str]) -> None:
    """The number of a card; a lone 6 or 9 is underlined, so that it cannot be read upside down."""
    number, tone = options["number"], options["tone"]
    with pen.transform(0, -4):
        pen.ellipse(0, 0, _DISC, fill=WHITE, line=tone, width=1.6)
        drop = 0.357 * _SIZE
        pen.text(0, drop, number, _SIZE, fill=tone)
        if number in {"6", "9"}:
            pen.rect(-5, drop + 1.4, 10, 1.6, fill=tone, line=None)
    counted = int(options.get("count", number))
    for mark in range(_MARKS):
        row, place = divmod(mark, _LINE)
        x, y = -16.2 + place * 4.1, 15.6 + row * 3.7
        pen.ellipse(x, y, 1.4, fill=tone if mark < counted else WHITE, line=tone, width=0.5)


_STEPS = 10


def _draw_rung(pen: Pen, options: Mapping[str, str]) -> None:
    """A number with a line under it, small in two corners, over a stair: so far up it is in its ten."""
    number, tone = options["number"], options["tone"]
    pen.ellipse(0, -8, _DISC, fill=WHITE, line=tone, width=1.6)
    _draw_underlined(pen, number, tone, 19.0, (0, -2.0))
    with pen.transform(-22.0, -39.0):
        for turn, x, y in ((0, 0.0, 0.0), (180, CARD_WIDTH_MM, CARD_HEIGHT_MM)):
            with pen.transform(x, y, turn=turn):
                pen.rect(-3, -3, 16.6, 13.8, r=2.5, fill=WHITE, line=None)
                _draw_underlined(pen, number, tone, 7.6, (7.8, 8.6))
    for step in range(_STEPS):
        height = 1.6 * (step + 1)
        fill = tone if step <= (int(number) - 1) % _STEPS else WHITE
        pen.rect(-18.2 + 2.5 * step, 24.8 - height, 2.5, height, fill=fill, line=tone, width=0.4)


def _draw_underlined(pen: Pen, number: str, tone: str, size: float, place: tuple[float, float]) -> None:
    """A number whose baseline has its middle at a place; `size` as in `Pen.text`."""
    x, y = place
    half = pen.text(x, y, number, size, fill=tone) / 2
    pen.rect(x - half, y + 0.09 * size, 2 * half, 0.08 * size, fill=tone, line=None)


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


_INDEX = 7.9
"""How far the middle of an index is from the left edge of a playing card."""
_LEFT, _MIDDLE, _RIGHT = 17.2, 22.0, 26.8
_PIPS: Mapping[str, tuple[tuple[float, float], ...]] = MappingProxyType(
    {
        "2": ((_MIDDLE, 0), (_MIDDLE, 1)),
        "3": ((_MIDDLE, 0), (_MIDDLE, 0.5), (_MIDDLE, 1)),
        "4": ((_LEFT, 0), (_RIGHT, 0), (_LEFT, 1), (_RIGHT, 1)),
        "5": ((_LEFT, 0), (_RIGHT, 0), (_MIDDLE, 0.5), (_LEFT, 1), (_RIGHT, 1)),
        "6": tuple((x, y) for x in (_LEFT, _RIGHT) for y in (0, 0.5, 1)),
        "7": (*((x, y) for x in (_LEFT, _RIGHT) for y in (0, 0.5, 1)), (_MIDDLE, 0.25)),
        "8": (*((x, y) for x in (_LEFT, _RIGHT) for y in (0, 0.5, 1)), (_MIDDLE, 0.25), (_MIDDLE, 0.75)),
        "9": (*((x, y) for x in (_LEFT, _RIGHT) for y in (0, 1 / 3, 2 / 3, 1)), (_MIDDLE, 0.5)),
        "10": (
            *((x, y) for x in (_LEFT, _RIGHT) for y in (0, 1 / 3, 2 / 3, 1)),
            (_MIDDLE, 1 / 6),
            (_MIDDLE, 5 / 6),
        ),
    }
)
"""Across in mm, and how far down from the uppermost to the lowest, of the signs of a suit."""
_PIP, _TOP_PIP = 7.0, 13.0
_ROBES: Mapping[str, str] = MappingProxyType({"J": "#48a0d8", "Q": "#c0508f", "K": "#d9902e"})


def _draw_playing_card(pen: Pen, options: Mapping[str, str]) -> None:
    """A card of a French deck, drawn round the motif's place: both halves look alike."""
    rank, tone = options["rank"], options["tone"]
    sign = options["suit"], tone
    with pen.transform(-22.0, -39.0):
        for turn, x, y in ((0, 0.0, 0.0), (180, CARD_WIDTH_MM, CARD_HEIGHT_MM)):
            with pen.transform(x, y, turn=turn):
                _draw_index(pen, sign, rank)
                if rank in _ROBES:
                    with pen.clip(11.6, 4, 20.8, _HALF - 4), pen.transform(22, 19.5, scale=0.34):
                        draw_figure(pen, "cards", f"court-{rank}", tone=tone, robe=_ROBES[rank])
                    _draw_suit(pen, sign, (35.4, 8.6), 7.0)
        if rank == "A":
            _draw_suit(pen, sign, (22, _HALF), 20.0)
        for x, share in _PIPS.get(rank, ()):
            y = _TOP_PIP + share * (CARD_HEIGHT_MM - 2 * _TOP_PIP)
            _draw_suit(pen, sign, (x, y), _PIP, turn=180 if share > 0.5 else 0)


def _draw_index(pen: Pen, sign: tuple[str, str], rank: str) -> None:
    """The rank and below it the suit, in the top left corner; 6 and 9 are underlined."""
    tone = sign[1]
    pen.text(_INDEX, 14.2, rank, 13.0 if len(rank) == 1 else 9.4, fill=tone)
    if rank in {"6", "9"}:
        pen.rect(_INDEX - 3.2, 15.2, 6.4, 1.1, fill=tone, line=None)
    _draw_suit(pen, sign, (_INDEX, 21.4), 7.6)


def _draw_suit(
    pen: Pen, sign: tuple[str, str], place: tuple[float, float], size: float, *, turn: float = 0
) -> None:
    """The sign of a suit in its colour, `size` mm high, its middle at a place."""
    suit, tone = sign
    with pen.transform(*place, turn=turn, scale=size / 100):
        draw_figure(pen, "cards", f"suit-{suit}", tone=tone)


BLEED_MM = 1.5
_BORDER = 2.5
_MOTIF_AT = (22.0, 39.0)

DrawMotif = Callable[[Pen, Mapping[str, str]], None]


_HEAD_POSITIONS: Mapping[str, tuple[float, float, float]] = {
    "sit": (0.0, -9.0, 0.0),
    "wave": (-1.5, -9.0, -7.0),
    "lie": (-6.5, -3.0, -10.0),
    "walk": (-8.5, -8.0, 6.0),
    "peek": (0.0, 0.0, 0.0),
}
"""Where a pet's head sits in each pose, and how it is tilted."""


def _draw_pet(pen: Pen, options: Mapping[str, str]) -> None:
    """A cat or a dog, about 36 mm wide and 46 mm high."""
    kind, pose, marking = options["kind"], options["pose"], options["marking"]
    item, _, colour = options["item"].partition(" ")
    colours = {"coat": options["coat"], "second": options["second"], "eyes": options["eyes"], "item": colour}
    x, y, tilt = _HEAD_POSITIONS[pose]
    with pen.transform(0, 2.5, mirror=options["side"] == "right", scale=0.98):
        draw_figure(pen, "pets", f"{pose}-{kind}", **colours)
        _draw_if_present(pen, f"{pose}-{marking}", colours)
        _draw_if_present(pen, f"{pose}-front", colours)
        with pen.transform(x, y, turn=tilt, scale=1.42 if pose == "peek" else 1.0):
            marked = f"{kind}-head-{marking}"
            draw_figure(pen, "pets", marked if marked in load_drawings("pets") else f"{kind}-head", **colours)
            _draw_if_present(pen, item, colours)
        _draw_if_present(pen, f"{pose}-over", colours)


def _draw_if_present(pen: Pen, name: str, colours: Mapping[str, str]) -> None:
    if name in load_drawings("pets"):
        draw_figure(pen, "pets", name, **colours)


def _draw_mask(pen: Pen, options: Mapping[str, str]) -> None:
    """A mask, about 38 mm wide and 46 mm high, of one choice for each feature."""
    features = (f"{feature}-{options[feature]}" for feature in ("cheek", "brow", "eyes", "mouth"))
    for part in (f"crown-{options['crown']}", "face", *features, "nose"):
        draw_figure(pen, "masks", part, skin=options["skin"], paint=options["paint"])


def _draw_actor(pen: Pen, options: Mapping[str, str]) -> None:
    """An actor without a mask: a robe with wide sleeves, a sash, a bare face, something in hand."""
    for part in ("actor-robe", f"prop-{options['prop']}", "actor-front"):
        draw_figure(pen, "masks", part, robe=options["robe"], sash=options["sash"])


def _draw_home(pen: Pen, options: Mapping[str, str]) -> None:
    """A cat's basket or a dog's kennel."""
    with pen.transform(0, 2.5):
        draw_figure(pen, "homes", options["shape"], wall=options["wall"], trim=options["trim"])


def _draw_picture(pen: Pen, options: Mapping[str, str]) -> None:
    """A picture file over the whole panel."""
    left, top = _BORDER - _MOTIF_AT[0], _BORDER - _MOTIF_AT[1]
    pen.picture(left, top, CARD_WIDTH_MM - 2 * _BORDER, CARD_HEIGHT_MM - 2 * _BORDER, options["file"])


MOTIFS: Mapping[str, DrawMotif] = {
    "pet": _draw_pet,
    "home": _draw_home,
    "mask": _draw_mask,
    "actor": _draw_actor,
    "numeral": draw_numeral,
    "rung": _draw_rung,
    "pair": draw_value_pair,
    "playing_card": _draw_playing_card,
    "picture": _draw_picture,
}
"""Motifs that take options; any other is a drawing of `figures`."""


def draw_face(pen: Pen, face: CardFace, *, bleed: float = 0.0) -> None:
    """Draw a face in its frame, in mm: (0, 0) is the card's top left, (44, 68) its bottom right.

    `bleed`: mm. Raises `DeckFileError` for an unknown motif or a picture that cannot be read.
    """
    try:
        _draw_front(pen, face, bleed)
    except KeyError as unknown:
        what = f"{unknown} is missing or unknown"
        raise DeckFileError(f"card {face.card!r}, motif {face.motif!r}: {what}.") from unknown
    except (OSError, ValueError) as trouble:
        raise DeckFileError(f"card {face.card!r}, motif {face.motif!r}: {trouble}") from trouble


def _draw_front(pen: Pen, face: CardFace, bleed: float) -> None:
    if face.motif == "back":
        _draw_back(pen, face, bleed)
        return
    pen.rect(-bleed, -bleed, CARD_WIDTH_MM + 2 * bleed, CARD_HEIGHT_MM + 2 * bleed, fill=WHITE, line=None)
    panel = (_BORDER, _BORDER, CARD_WIDTH_MM - 2 * _BORDER, CARD_HEIGHT_MM - 2 * _BORDER)
    with pen.clip(*panel, r=2.2):
        pen.rect(*panel, fill=face.ground, line=None)
        name, _, colour = face.pattern.partition(" ")
        PATTERNS[name](pen, colour)
        with pen.transform(*_MOTIF_AT):
            if face.motif in MOTIFS:
                MOTIFS[face.motif](pen, face.options)
            else:
                draw_figure(pen, "figures", face.motif)
    if face.motif != "playing_card":  # which has no frame
        pen.rect(*panel, r=2.2, width=0.5)
    if face.corner:
        _draw_corner_tag(pen, face.corner, size=13.5 if len(face.corner) == 1 else 10.5)
        with pen.transform(CARD_WIDTH_MM, CARD_HEIGHT_MM, turn=180):
            _draw_corner_tag(pen, face.corner, size=8.0)


def _draw_corner_tag(pen: Pen, numbers: tuple[str, ...], *, size: float) -> None:
    """The numbers on a white tag in the top-left corner; a lone 6 or 9 is underlined."""
    digit, gap = 0.572 * size, 0.42 * size
    width = sum(digit * len(number) for number in numbers) + gap * (len(numbers) - 1)
    height = 0.714 * size
    pen.rect(-3, -3, 3 + 2.4 + width + 2.2, 3 + 2.6 + height + 3.2, r=2.5, fill=WHITE, line=None)
    x, baseline = 2.6, 2.8 + height
    for position, number in enumerate(numbers):
        if position:
            pen.ellipse(x + gap / 2, baseline - height / 2, 0.09 * size, fill=INK, line=None)
            x += gap
        pen.text(x, baseline, number, size, anchor="start")
        wide = digit * len(number)
        if number in {"6", "9"}:
            pen.rect(x + 0.1 * wide, baseline + 0.7, 0.8 * wide, 0.11 * size, fill=INK, line=None)
        x += wide


def _draw_back(pen: Pen, face: CardFace, bleed: float) -> None:
    """A back, the same both ways up: paw prints, or eyes, in a frame."""
    pen.rect(
        -bleed, -bleed, CARD_WIDTH_MM + 2 * bleed, CARD_HEIGHT_MM + 2 * bleed, fill=face.ground, line=None
    )
    colour, figure = face.options["trim"], face.options["figure"]
    pen.rect(3.2, 3.2, CARD_WIDTH_MM - 6.4, CARD_HEIGHT_MM - 6.4, r=2, line=colour, width=0.9)
    for row in range(6):
        wide = 4 if min(row, 5 - row) % 2 else 3
        for column in range(wide):
            x = 22 + (column - (wide - 1) / 2) * 9.6
            y = 34 + (row - 2.5) * 10.2
            with pen.transform(x, y, turn=0 if row < 3 else 180, scale=1.25):
                draw_figure(pen, "figures", figure, colour=colour)


POINTS_PER_MM = 72.0 / 25.4
SizeMm = tuple[float, float]
"""Width and height, in mm."""
A4_MM: SizeMm = (210.0, 297.0)
LETTER_MM: SizeMm = (215.9, 279.4)
_COLUMNS, _ROWS = 4, 3
_GAP = 5.0
_CUT_MARK = 4.0


def open_canvas(path: Path, size_mm: SizeMm, fonts: Path) -> Any:
    """A reportlab canvas with our fonts; the same drawing gives the same bytes."""
    from reportlab.pdfbase import pdfmetrics, ttfonts  # noqa: PLC0415 - only who prints has reportlab
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415

    for name in ("NotoSans-Regular", "NotoSans-Bold"):
        pdfmetrics.registerFont(ttfonts.TTFont(name, str(fonts / f"{name}.ttf")))
    size = (size_mm[0] * POINTS_PER_MM, size_mm[1] * POINTS_PER_MM)
    return Canvas(str(path), pagesize=size, invariant=1, pageCompression=1)


class SheetPosition(NamedTuple):
    """Where a face stands on the sheets."""

    card: str
    page: int
    left_mm: float
    top_mm: float


def print_sheets(
    faces: Sequence[CardFace], path: Path, fonts: Path, *, sheet: SizeMm = A4_MM
) -> tuple[SheetPosition, ...]:
    """Write the whole box: a page of fronts, then a page of their backs, and so on; where each face is.

    Turned over the long edge, each back falls on its front.
    """
    by_card = {face.card: face for face in faces}
    fronts = [face for face in faces for _ in range(face.copies)]
    canvas = open_canvas(path, sheet, fonts)
    placed: list[SheetPosition] = []
    for start in range(0, len(fronts), _COLUMNS * _ROWS):
        for backs in (False, True):
            page = canvas.getPageNumber() - 1
            for position, front in enumerate(fronts[start : start + _COLUMNS * _ROWS]):
                row, column = divmod(position, _COLUMNS)
                face = by_card[front.back] if backs else front
                left, top = _corner_mm(_COLUMNS - 1 - column if backs else column, row, sheet)
                pen = Pen(canvas, (left, top), sheet[1])
                with (
                    pen.on_page(),
                    pen.clip(
                        -BLEED_MM, -BLEED_MM, CARD_WIDTH_MM + 2 * BLEED_MM, CARD_HEIGHT_MM + 2 * BLEED_MM
                    ),
                ):
                    draw_face(pen, face, bleed=BLEED_MM)
                placed.append(SheetPosition(face.card, page, left, top))
            _draw_cut_marks(canvas, sheet)
            canvas.showPage()
    canvas.save()
    return tuple(placed)


def print_cards(faces: Sequence[CardFace], path: Path, fonts: Path) -> int:
    """Write each card of the box as two pages of its size and its bleed, front and back: what print shops
    ask for; the number of cards.
    """
    by_card = {face.card: face for face in faces}
    size = (CARD_WIDTH_MM + 2 * BLEED_MM, CARD_HEIGHT_MM + 2 * BLEED_MM)
    canvas = open_canvas(path, size, fonts)
    fronts = [face for face in faces for _ in range(face.copies)]
    for front in fronts:
        for face in (front, by_card[front.back]):
            pen = Pen(canvas, (BLEED_MM, BLEED_MM), size[1])
            with pen.on_page():
                draw_face(pen, face, bleed=BLEED_MM)
            canvas.showPage()
    canvas.save()
    return len(fronts)


def _corner_mm(column: int, row: int, sheet: SizeMm) -> tuple[float, float]:
    """The top left of a card on its sheet."""
    wide = _COLUMNS * CARD_WIDTH_MM + (_COLUMNS - 1) * _GAP
    high = _ROWS * CARD_HEIGHT_MM + (_ROWS - 1) * _GAP
    return (sheet[0] - wide) / 2 + column * (CARD_WIDTH_MM + _GAP), (sheet[1] - high) / 2 + row * (
        CARD_HEIGHT_MM + _GAP
    )


def _draw_cut_marks(canvas: Any, sheet: SizeMm) -> None:
    """Short lines outside the block of cards, where a ruler is laid, and the scale to check the print by."""
    left, top = _corner_mm(0, 0, sheet)
    right, bottom = sheet[0] - left, sheet[1] - top
    pen = Pen(canvas, (0.0, 0.0), sheet[1])
    with pen.on_page():
        for column in range(_COLUMNS):
            for x in (
                left + column * (CARD_WIDTH_MM + _GAP),
                left + column * (CARD_WIDTH_MM + _GAP) + CARD_WIDTH_MM,
            ):
                for y in (top - 2 - _CUT_MARK, bottom + 2):
                    pen.polygon([(x, y), (x, y + _CUT_MARK)], width=0.15)
        for row in range(_ROWS):
            for y in (
                top + row * (CARD_HEIGHT_MM + _GAP),
                top + row * (CARD_HEIGHT_MM + _GAP) + CARD_HEIGHT_MM,
            ):
                for x in (left - 2 - _CUT_MARK, right + 2):
                    pen.polygon([(x, y), (x + _CUT_MARK, y)], width=0.15)
        middle, ruler = sheet[0] / 2, sheet[1] - 13
        pen.polygon([(middle - 50, ruler), (middle + 50, ruler)], width=0.2)
        for x in (middle - 50, middle + 50):
            pen.polygon([(x, ruler - 1.5), (x, ruler + 1.5)], width=0.2)
        pen.text(
            middle, ruler + 4.5, "100 mm: print at 100 %, both sides, flip on the long edge", 3.0, bold=False
        )


PAGE_MM = 60.0
"""Each token stands in the middle of a square page of its own."""


@dataclass(frozen=True, slots=True)
class PrintedToken:
    """One kind of token."""

    name: str
    motif: str
    file: str = ""
    """A picture instead of a motif, by its whole path."""


def load_tokens(path: Path) -> tuple[PrintedToken, ...]:
    """The tokens that a deck names, in the order of its file; `DeckFileError` names what cannot be used."""
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("token", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DeckFileError(f"{path}: its tokens are called [[token]].")
    return tuple(_parse_token(row, path) for row in rows)


def _parse_token(row: Mapping[str, object], path: Path) -> PrintedToken:
    name, motif, file = (str(row.get(key, "")) for key in ("name", "motif", "file"))
    if not name.isidentifier():
        raise DeckFileError(f'{path}: a [[token]] has no plain name, such as name = "coin".')
    if not file and motif not in load_drawings("figures"):
        raise DeckFileError(f"{path}, token {name!r}: motif {motif!r} is missing or unknown.")
    return PrintedToken(name, motif, str(path.parent / file) if file else "")


def print_tokens(tokens: Sequence[PrintedToken], path: Path, fonts: Path) -> None:
    """Write each token on a page of its own, on nothing."""
    canvas = open_canvas(path, (PAGE_MM, PAGE_MM), fonts)
    for token in tokens:
        pen = Pen(canvas, (PAGE_MM / 2, PAGE_MM / 2), PAGE_MM)
        with pen.on_page():
            _draw_token(pen, token)
        canvas.showPage()
    canvas.save()


def _draw_token(pen: Pen, token: PrintedToken) -> None:
    if not token.file:
        draw_figure(pen, "figures", token.motif)
        return
    try:
        pen.picture(-15, -15, 30, 30, token.file)
    except (OSError, ValueError) as trouble:
        raise DeckFileError(f"token {token.name!r}: {trouble}") from trouble
