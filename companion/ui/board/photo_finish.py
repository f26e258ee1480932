"""Draws a photo finish: every press on a time line, its decisive moment enlarged."""

from collections.abc import Callable, Mapping

from companion.core.actions import Chair, Micros
from companion.core.exhibits import PhotoFinish, PressVerdict, TimelinePress
from companion.ui.frame import PageFrame
from companion.ui.layout import FILL, Box, Share, columns, grid, rows
from companion.ui.toolkit.sheet import MARK, Sheet
from companion.ui.toolkit.theme import (
    EDGE,
    GOLD,
    INK,
    NOTICE,
    PANEL,
    PAPER,
    RAISED,
    SHAPES,
    SOFT,
    TEXT,
    Colour,
    blend,
    plate_ground,
)
from companion.ui.toolkit.widgets import paint_avatar

ABREAST, WORDED = 6, 0.45
"""More lanes of the order than these stand in two columns; what words take of a lane's width at most."""
FAR = 0.85
"""How large it says how far away a press was, beside what became of it."""
LEADS, FOLLOWS = 8, 5
"""How high the lane of the press that counts is, beside the others."""
MS: Micros = 1_000
ENLARGED_SPANS = tuple(step * MS for step in (2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000))
"""What the enlarged part may show, from the first press on."""
VERDICT_ORDER: tuple[PressVerdict, ...] = (
    "counts", "equal", "void", "pending", "withdrawn", "own", "early", "late", "cold", "again"
)  # fmt: skip
"""Which of a chair's presses its row tells of."""
COLOURS: Mapping[PressVerdict, Colour] = {"counts": GOLD, "equal": TEXT}


def paint_finish(sheet: Sheet, rect: Box, found: PhotoFinish, frame: PageFrame, game: str) -> None:
    """Paint a finish into `rect`: axis, rows, and the rule that decided."""
    close = f"{found.resolution / MS:g}"
    friendly = f"{sheet.tr('shared.friendly')} " if found.friendly else ""
    rule = friendly + sheet.tr(f"{game}.finish.rule", ms=close)
    line = sheet.line_height
    if sheet.text_height(rule, most=3)(rect.w) > 2 * line:
        rule = friendly + sheet.tr(f"{game}.finish.rule.short", ms=close)
    chairs = _sort_chairs(found)
    needed = sheet.text_height(rule, most=3)
    head, body, _, foot = rows(rect, sheet.em(1.35), FILL, sheet.em(0.3), needed)
    height = min(body.h // max(1, len(chairs)), sheet.em(2.2))
    verdicts = {sheet.tr(f"ui.finish.{press.verdict}") for press in found.presses}
    size = max(1.0, min(1.25, height * 0.8 / sheet.unit))
    named = max(sheet.text_width(words, bold=True) for words in verdicts) + sheet.em(0.3)
    timed, gap = sheet.em(5.4), sheet.em(0.4)
    tracks = rect.w - 2 * height - named - timed - 4 * gap
    sizes = (2 * height, tracks * 2 // 5, gap, tracks - tracks * 2 // 5, gap, timed, gap, FILL)
    start, end = _whole_span(found)
    span = _enlarged_span(found)
    _, whole, _, near, *_ = columns(head, *sizes)
    _paint_axis(sheet, whole, "ui.finish.whole", f"{round((end - start) / MS)}")
    _paint_axis(sheet, near, "ui.finish.near", f"{span / MS:g}")
    for row, chair in zip(rows(body, *[height] * len(chairs)), chairs, strict=True):
        badge, left, _, right, _, distance, _, verdict = columns(row, *sizes)
        mine = [press for press in found.presses if press.chair == chair]
        best = _decisive_press(found, chair)
        if best.verdict == "counts":
            sheet.box(row.inflate(0, -sheet.em(0.1)), blend(PANEL, GOLD, 0.22), radius=0.3)
        sheet.badge((badge.x + height, row.centery), height * 42 // 100, chair)
        _paint_track(sheet, left)
        _paint_landing(sheet, left, found, start, end)
        _paint_track(sheet, right)
        _paint_equal_presses(sheet, right, found, span)
        for press in mine:
            _paint_press(sheet, left, press, lambda at: (at - start) / (end - start))
            _paint_press(sheet, right, press, lambda at: _track_share(at - found.zero_time, span))
        sheet.text(distance, _distance_words(sheet, found, best), size, TEXT, bold=True, align="right")
        colour = COLOURS.get(best.verdict, SOFT)
        sheet.text(verdict, sheet.tr(f"ui.finish.{best.verdict}"), size, colour, bold=True)
    sheet.text(foot, rule, 1.0, SOFT)


def paint_order(sheet: Sheet, rect: Box, found: PhotoFinish, game: str) -> None:
    """A lane for everybody who pressed, the earliest first: when that was, what became of it, how far away.

    The lines of time in full are a touch away, in the help and in the log.
    """
    rule = sheet.tr(f"{game}.finish.rule.short", ms=f"{found.resolution / MS:g}")
    rule = f"{sheet.tr('shared.friendly')} {rule}" if found.friendly else rule
    presses = [_decisive_press(found, chair) for chair in _sort_chairs(found)]
    if found.friendly or any(press.verdict == "equal" for press in presses):
        rect, foot = rows(rect, FILL, sheet.text_height(rule, most=3), gap=sheet.em(0.2))
        sheet.text(foot, rule, 1.0, SOFT, align="center")
    gap, many = sheet.em(0.2), len(presses)
    lanes = grid(rect, many, 2, gap=gap, most=sheet.em(3.2))
    if many <= ABREAST or rect.h > rect.w:
        shares = [Share(LEADS if press.verdict == "counts" else FOLLOWS) for press in presses]
        lanes = rows(rect._replace(h=min(rect.h, many * sheet.em(3.2))), *shares, gap=gap)
    verdicts = [one.verdict for one in presses]
    told = [
        # What became of several presses in the same way is said once.
        ("" if verdict == above else sheet.tr(f"ui.finish.{verdict}"), _distance_words(sheet, found, press))
        for press, verdict, above in zip(presses, verdicts, ["", *verdicts], strict=False)
    ]
    widest = [
        max(sheet.text_width(words, bold=True) for words in column) for column in zip(*told, strict=True)
    ]
    most = max(1.0, min(2.0, lanes[0].w * WORDED / sum(widest)))
    sizes = [round(wide * most) + sheet.em(0.2) for wide in widest]
    reach = max(lane.h for lane in lanes) // 2
    first, last = presses[0].at, max(presses[-1].at, presses[0].at + MS)
    for lane, press, (verdict, distance) in zip(lanes, presses, told, strict=True):
        counts = press.verdict == "counts"
        ground = PAPER if counts else plate_ground(sheet.colour(press.chair))
        sheet.box(lane, ground, GOLD if counts else None, radius=0.4, width=MARK)
        ink, side = INK if counts else TEXT, min(lane.h * 23 // 20, sheet.em(3.4))
        inner = lane.inset(left=2 * gap, right=2 * gap)
        track, said, ms = columns(inner, FILL, *sizes, gap=2 * gap)
        size = max(1.0, min(most, lane.h * 0.85 / sheet.line_height))
        start, end = track.x + reach, track.right - reach
        sheet.line(blend(ink, ground, 0.5), 0.12, (start, lane.centery), (end, lane.centery))
        zero, here = (
            start + (end - start) * (at - first) // (last - first) for at in (found.zero_time, press.at)
        )
        sheet.line(GOLD, 0.2, (zero, lane.y), (zero, lane.bottom))
        paint_avatar(sheet, (here, lane.centery), side, press.chair, lit=counts)
        sheet.text(said, verdict, size, ink, bold=True, grows=False)
        sheet.text(ms, distance, max(1.0, FAR * size), ink, bold=True, align="right", grows=False)


def _decisive_press(found: PhotoFinish, chair: Chair) -> TimelinePress:
    """The press of a chair that matters most."""
    mine = (press for press in found.presses if press.chair == chair)
    return min(mine, key=lambda press: VERDICT_ORDER.index(press.verdict))


def _distance_words(sheet: Sheet, found: PhotoFinish, press: TimelinePress) -> str:
    """How long after the first press that could count, or before it."""
    away = press.at - found.zero_time
    figure = f"{away / MS:+.1f}" if abs(away) < 100 * MS else f"{away / MS:+.0f}"
    return sheet.tr("ui.finish.ms", ms=figure if away else "0")


def paint_lanes(sheet: Sheet, rect: Box, found: PhotoFinish) -> None:
    """The whole finish without a word, as on a picture of it: a lane for everybody who pressed."""
    chairs, (start, end) = _sort_chairs(found), _whole_span(found)
    high = min(sheet.em(2.6), rect.h // len(chairs))
    lanes = rows(rect, *[high] * len(chairs), justify="center")
    for lane, chair in zip(lanes, chairs, strict=True):
        badge, track = columns(lane, lane.h, FILL, gap=sheet.em(0.2))
        sheet.badge(badge.center, lane.h * 42 // 100, chair)
        _paint_track(sheet, track)
        _paint_landing(sheet, track, found, start, end)
        for press in found.presses:
            if press.chair == chair:
                _paint_press(sheet, track, press, lambda at: (at - start) / (end - start))


def _whole_span(found: PhotoFinish) -> tuple[Micros, Micros]:
    """From the last picture without the mask, or the first press, to the last press."""
    start = min(found.clear_until, found.presses[0].at)
    return start, max(found.presses[-1].at, start + MS)


def _sort_chairs(found: PhotoFinish) -> list[Chair]:
    """Who pressed, in the order in which they are listed: by the press that matters most."""
    return sorted(found.chairs, key=lambda chair: _decisive_press(found, chair).at)


def _enlarged_span(found: PhotoFinish) -> Micros:
    """How much of the line is enlarged: enough to see the nearest rival, and the resolution."""
    rivals = [
        abs(press.at - found.zero_time)
        for press in found.presses
        if press.verdict in {"counts", "equal", "void", "own"} and press.at != found.zero_time
    ]
    wanted = max(min(rivals, default=found.resolution) * 3 // 2, found.resolution * 2)
    return next((span for span in ENLARGED_SPANS if span >= wanted), ENLARGED_SPANS[-1])


def _track_share(away: Micros, span: Micros) -> float:
    """Where a press stands on the enlarged line, which begins a tenth before the first."""
    return (away + span / 10) / (span * 1.1)


def _paint_axis(sheet: Sheet, track: Box, key: str, ms: str) -> None:
    """What a track shows and how long that is; with less room how long alone, or nothing."""
    words = sheet.tr(key, ms=ms)
    if sheet.text_width(words) > track.w:
        words = sheet.tr("ui.finish.ms", ms=ms)
    if sheet.text_width(words) <= track.w:
        sheet.text(track._replace(h=sheet.em(1.3)), words, 1.0, SOFT, align="center")


def _paint_track(sheet: Sheet, track: Box) -> None:
    box = track.inflate(0, -max(4, track.h * 3 // 10))
    sheet.box(box, INK, radius=0.15)
    sheet.line(EDGE, 0.05, (box.x, box.centery), (box.right - 1, box.centery))


def _paint_band(sheet: Sheet, track: Box, shares: tuple[float, float], high: int, colour: Colour) -> None:
    """A part of a track, `high` pixels high, from one share of its length to another."""
    first, last = (track.x + round(track.w * share) for share in shares)
    sheet.fill(Box(first, track.centery - high // 2, max(2, last - first), high), colour)


def _paint_landing(sheet: Sheet, track: Box, found: PhotoFinish, start: Micros, end: Micros) -> None:
    """Grey: while the mask came to lie; the first picture with it is the band's end."""
    first, last = ((at - start) / (end - start) for at in (found.clear_until, found.lies_since))
    _paint_band(sheet, track, (first, min(1.0, last)), max(3, track.h * 28 // 100), EDGE)


def _paint_equal_presses(sheet: Sheet, track: Box, found: PhotoFinish, span: Micros) -> None:
    """Gold: presses in here cannot be told from the first."""
    shares = (_track_share(0, span), min(1.0, _track_share(found.resolution, span)))
    _paint_band(sheet, track, shares, max(4, track.h // 2), blend(RAISED, GOLD, 0.35))


def _paint_interval(sheet: Sheet, track: Box, first: float, last: float) -> None:
    """A bar: the press fell somewhere in it, for it was found by its level, or a phone told it."""
    first, last = (min(1.0, max(0.0, share)) for share in (first, last))
    if first < last:
        wide = max(2, round(track.w * (last - first)))
        high = max(3, track.h // 5)
        left = track.x + round(track.w * first)
        sheet.fill(Box(left, track.centery - high // 2, wide, high), SOFT)


def _paint_press(sheet: Sheet, track: Box, press: TimelinePress, along: Callable[[Micros], float]) -> None:
    """The chair's shape where it pressed, `along` the track; an arrow at the edge where that lies beyond."""
    share = along(press.at)
    if press.since is not None:
        _paint_interval(sheet, track, along(press.since), share)
    if press.within is not None:
        _paint_interval(sheet, track, *map(along, press.within))
    radius = max(5, track.h * 30 // 100)
    colour = sheet.colour(press.chair)
    y = track.centery
    if 0 <= share <= 1:
        x = min(max(track.x + round(track.w * share), track.x + radius), track.right - radius)
        stem = track.x + round(track.w * share)
        sheet.line(TEXT, 0, (stem, y - track.h * 2 // 5), (stem, y + track.h * 2 // 5))
        sheet.picture(sheet.art.chair_shape(SHAPES[press.chair], radius, colour, TEXT), (x, y))
        return
    side = 1 if share > 1 else -1
    edge = track.right - 2 if share > 1 else track.x + 2
    tip = [(edge, y), (edge - side * radius, y - radius), (edge - side * radius, y + radius)]
    sheet.polygon(NOTICE if press.verdict == "own" else colour, tip)
