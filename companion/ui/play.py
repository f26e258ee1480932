"""The table stage, painted: the one sentence, the felt and what lies on it, plates, avatars, the log."""

from collections.abc import Callable

import pygame

from companion.core.view import BotView, ChairView, Guidance
from companion.ui import stage
from companion.ui.answers import plate_for
from companion.ui.count import invited, place_count
from companion.ui.decks import around_table, bot_panel
from companion.ui.exhibits import exhibit, shows_stop, stop
from companion.ui.frame import GameFrame, window_open
from companion.ui.hand import asks, deeds, fanned, foot, hand
from companion.ui.headline import broken, headline, said_low, subject
from companion.ui.kit import Plate, felt, halo
from companion.ui.laid import laid, lays, without
from companion.ui.middle import middle
from companion.ui.overlays.log import worded
from companion.ui.panels import Dock, panel, state_of
from companion.ui.sheet import Sheet
from companion.ui.stacks import is_stacked, stacks
from companion.ui.theme import FELT, LOOK, SOFT, TEXT, mixed

Bar = Callable[[Sheet, pygame.Rect, GameFrame], pygame.Rect]


def table(sheet: Sheet, area: pygame.Rect, frame: GameFrame, bar: Bar) -> None:
    """Everything of a running game; `bar` paints the toolbar and gives back what it leaves free."""
    own = frame.guide if frame.guide is not None and fanned(frame, area) else None
    if frame.demo is not None or (frame.guide is not None and own is None):
        _narrow(sheet, area, frame, bar)
        return
    stood = around_table(frame.view, frame.glass)
    u = sheet.u(100) / 100
    low = 0 if own is None else foot(sheet, own)
    needs = [plate_for(sheet, one, frame) if isinstance(one, ChairView) else 0 for one in stood]
    at = stage.seated(len(stood), area, u, foot=low, needs=needs)
    free = bar(sheet, at.bar, frame)
    if own is not None:
        free = asks(sheet, free)
    if shows_stop(frame) and frame.trouble is None:
        stop(sheet, area, at.bar, frame)
        return
    above = said_low(sheet, free, frame)
    head = at.head
    if broken(frame):  # the whole width, up to the felt
        top = min(at.rim.y, *(plate.y for plate in at.plates))
        head = pygame.Rect(area.x, area.y, area.w, top - area.y - sheet.em(0.15))
    headline(sheet, head, frame, said=above)
    if frame.trouble is not None:
        field = pygame.Rect(area.x, at.head.bottom, area.w, at.bar.y - at.head.bottom - sheet.em(0.2))
        left = sheet.alarm(field, sheet.words.text(frame.trouble, frame.names))
        end = max(at.rim.bottom, *(plate.bottom for plate in at.plates))
        low += max(0, end + sheet.em(0.3) - left.bottom) if own is None else 0
        at = stage.seated(len(stood), area, u, foot=low, needs=needs)
    if frame.exhibit is not None and not window_open(frame.view):
        low = max(plate.bottom for plate in at.plates)
        exhibit(sheet, pygame.Rect(at.head.x, at.rim.y, at.head.w, low - at.rim.y), frame)
        return
    _stage(sheet, at, stood, frame, own)
    if own is not None:
        top = at.rim.bottom + sheet.em(0.2)
        hand(sheet, pygame.Rect(at.head.x, top, at.head.w, at.bar.y - sheet.em(0.2) - top), frame, own)
    if at.log.w:
        _log(sheet, at.log, frame)


def _stage(
    sheet: Sheet,
    at: stage.Stage,
    stood: tuple[ChairView | BotView, ...],
    frame: GameFrame,
    own: Guidance | None,
) -> None:
    lit = [
        place
        for place, one in enumerate(stood)
        if isinstance(one, ChairView) and state_of(one, frame) is Plate.ASKED
    ]
    called = subject(sheet, frame)
    bright = [
        place
        for place, one in enumerate(stood)
        if place in lit or (isinstance(one, ChairView) and one.chair == called)
    ]
    felt(sheet, at.rim, [at.lights[place] for place in bright])
    if at.docks:
        for place in bright:
            halo(sheet, at.docks[place], at.avatar)
    felted = lays(frame, at)
    rest = laid(sheet, at, stood) if felted else at.middle
    if own is not None and own.answers:
        deeds(sheet, at.middle, frame, own)
    else:
        _middle(sheet, rest, frame, docked=True)
    for place in sorted(range(len(stood)), key=lambda place: place in lit):
        rect, one = at.plates[place], stood[place]
        if isinstance(one, BotView):
            bot_panel(sheet, rect, one, frame)
            continue
        column = sum(other.x == rect.x for other in at.plates)
        if place in lit and len(lit) == 1 and column > 2 and at.docks and not plate_for(sheet, one, frame):
            rect = rect.inflate(0, sheet.u(LOOK.stage["grown"]))
            if sheet.finger:  # and leaves the toolbar to those who aim at it
                rect.h = min(rect.bottom, max(plate.bottom for plate in at.plates)) - rect.y
        plated = without(one) if felted else one
        panel(sheet, rect, plated, frame, Dock(at.docks[place], at.avatar) if at.docks else None)


def _log(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """What was ruled last, the newest first and brightest, as many as are read to the end."""
    top, line = rect.y, sheet.painter.line(1.0)
    for place, one in enumerate(reversed([line for line in frame.log if not line.retracted])):
        words = worded(sheet, one)
        fitted = sheet.painter.fit(words, rect.w, rect.bottom - top, 1.0)
        if fitted.cut or top + line > rect.bottom:
            return
        row = pygame.Rect(rect.x, top, rect.w, len(fitted.lines) * line)
        sheet.text(row, words, 1.0, SOFT if place else TEXT)
        sheet.divider(row.bottom + sheet.em(0.15), rect.x, rect.right)
        top = row.bottom + sheet.em(0.3)


def _middle(sheet: Sheet, rect: pygame.Rect, frame: GameFrame, *, docked: bool) -> None:
    """The one thing that everybody looks at."""
    if is_stacked(frame):
        stacks(sheet, rect if docked else rect.inflate(-sheet.em(0.6), -sheet.em(0.6)), frame)
    elif window_open(frame.view):
        place_count(sheet, invited(sheet, rect, frame))
    else:
        middle(sheet, rect, frame, docked=docked)


def _narrow(sheet: Sheet, area: pygame.Rect, frame: GameFrame, bar: Bar) -> None:
    """Beside a lesson or the camera's picture: no felt, smaller plates."""
    gap = sheet.em(0.3)
    head = pygame.Rect(area.x + gap, area.y + gap, area.w - 2 * gap, sheet.em(5.2))
    foot = pygame.Rect(area.x + gap, 0, area.w - 2 * gap, max(sheet.em(1.75), sheet.finger * 4 // 5))
    foot.bottom = area.bottom - gap
    headline(sheet, head, frame, said=True)
    body = pygame.Rect(head.x, head.bottom + gap, head.w, foot.y - 2 * gap - head.bottom)
    if frame.trouble is not None:
        body = sheet.alarm(body, sheet.words.text(frame.trouble, frame.names))
    bar(sheet, foot, frame)
    if frame.exhibit is not None and not window_open(frame.view):
        exhibit(sheet, body, frame)
        return
    # The middle is narrow: panels take from it only where many are asked at once.
    many = sum(chair.asked for chair in frame.view.chairs) > 1
    least = 9.3 if many else 8.4
    if not window_open(frame.view) and many:
        least = 9.9
    stood = around_table(frame.view, frame.glass)
    width = max(round(body.w * 0.235), sheet.em(least))
    plates, inside = stage.narrow(len(stood), body, width, gap)
    sheet.box(inside, FELT, mixed(FELT, TEXT, 0.18), radius=0.8)
    _middle(sheet, inside, frame, docked=False)
    for rect, one in zip(plates, stood, strict=True):
        if isinstance(one, BotView):
            bot_panel(sheet, rect, one, frame)
        else:
            panel(sheet, rect, one, frame)
