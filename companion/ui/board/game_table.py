"""Draws the whole game table: headline, felt, players, log."""

import dataclasses
from collections.abc import Callable

import pygame
from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.observations import UNKNOWN
from companion.core.view import BotView, ChairView, Choice, Guidance, PlaceView, ScreenArea, Sentence, Token
from companion.ui.board import stage_layout
from companion.ui.board.card_pictures import paint_pictures
from companion.ui.board.count_ring import reserve_count_area
from companion.ui.board.exhibits import paint_exhibit, paint_large_choice, paint_stop, shows_stop
from companion.ui.board.headline import addressed_chair, is_infraction, paint_headline, paint_low_announcement
from companion.ui.board.lesson_cards import FAN, guide_action, own_hand
from companion.ui.board.panels import (
    AvatarSpot,
    chairs_and_decks,
    common_look,
    find_plate_state,
    paint_bot_panel,
    paint_panel,
)
from companion.ui.board.plate_choices import min_plate_height, roomy_head, say_action, shared_choice
from companion.ui.board.practice_panel import (
    lesson_hand,
    paint_owned_hand,
    paint_practice_hand,
    paint_sets,
    places_by_touch,
    shows_lesson_sets,
    steps_through_choices,
)
from companion.ui.board.stage_layout import CARD_ASPECT, StageLayout
from companion.ui.board.table_centre import (
    has_large_choices,
    paint_centre,
    paint_choice_grid,
    paint_exchange,
    paint_number,
)
from companion.ui.board.trick_centre import trick_places
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import FILL, Box, columns, grid, rows, stack
from companion.ui.overlays.ruling_log import log_line_text
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import BAD, FELT, GOLD, INK, NOTICE, PAPER, SOFT, TEXT, blend, type_scale
from companion.ui.toolkit.widgets import (
    SIGN,
    PlateState,
    draw_press_sign,
    paint_empty_place,
    paint_felt,
    paint_halo,
)

WIDE = 2.3
"""What it takes of the middle on either side, in smallest letters."""
ONE_COLUMN = 2
"""Answers of a lesson that stand one below the other, beside the hand."""
MOST_ANSWERS = 4
"""Of more, a tap and a hold take a half each."""
BESIDE, STACKS_SHARE = 2.0, 0.78
"""From which width on, as a share of the height, the deck lies beside the stacks, and what those take."""
DECK, DECK_UNDER = 0.38, 0.84
"""How wide a card in hand is where deck and hand lie: the deck has room beside it, or looks out under it."""
RAISED_MASK = 0.42
"""How far a mask lies above its actor, of a card's height, where nothing else needs the room."""
HELD_TILT = 4
"""How far a card in hand is turned, in degrees."""


def shows_felt_tokens(frame: GameFrame, at: StageLayout) -> bool:
    """Whether anything is there and the felt has room for it: where many answers stand, there is none."""
    return bool(at.docks) and not has_large_choices(frame) and any(chair.laid for chair in frame.view.chairs)


def without_felt_tokens(one: ChairView) -> ChairView:
    """What is left for the plate."""
    kinds = {token.kind for token in one.laid}
    return replace(one, tokens=tuple(token for token in one.tokens if token.kind not in kinds))


def paint_felt_tokens(sheet: Sheet, at: StageLayout, stood: tuple[ChairView | BotView, ...]) -> Box:
    """Paint it beside every avatar; returns what is left of the middle."""
    wide = sheet.em(WIDE)
    for plate, dock, one in zip(at.plates, at.docks, stood, strict=True):
        if isinstance(one, ChairView) and one.laid:
            left = plate.centerx < at.rim.centerx
            x = at.middle.x if left else at.middle.right - wide
            _paint_tokens(sheet, Box(x, dock[1] - plate.h // 2, wide, plate.h), one)
    return at.middle.inflate(-2 * (wide + sheet.em(0.2)), 0)


def _paint_tokens(sheet: Sheet, room: Box, owner: ChairView) -> None:
    """One under the other: a card as high as there is room for, everything else as a coin is."""
    tokens = owner.laid
    gap, coin = sheet.em(0.1), sheet.em(1.5)
    heights = [room.h - (coin + gap) * (len(tokens) - 1) if ":" in one.motif else coin for one in tokens]
    heights = [min(high, round(room.w / CARD_ASPECT)) for high in heights]
    pile = stack(room, room.w, sum(heights) + gap * (len(heights) - 1))
    for token, spot in zip(tokens, rows(pile, *heights, gap=gap), strict=True):
        paint_felt_token(sheet, spot, token, owner.chair)


def paint_felt_token(sheet: Sheet, spot: Box, token: Token, owner: Chair) -> None:
    """A card, or coins over each other, that somebody has laid."""
    if ":" in token.motif:
        _paint_card(sheet, spot, token)
        sheet.place(f"chip:{owner}:{token.kind}", spot, (str(token.value),))
        return
    _paint_coins(sheet, spot, token)
    coin_picture = sheet.art.motif(token.motif, min(spot.size))
    sheet.place(f"token:{owner}:{token.kind}", spot, (token.count,), coin_picture)


def _paint_card(sheet: Sheet, spot: Box, token: Token) -> None:
    """The card, and across its foot what it counts where that is more than stands on it."""
    paint_pictures(sheet, stack(spot, min(spot.w, round(spot.h * CARD_ASPECT)), spot.h), (token.motif,))
    told = str(token.value)
    if token.value is None or told == token.motif.partition(":")[2]:
        return
    strip = stack(spot, spot.w, sheet.line_height, "bottom")
    sheet.box(strip, PAPER, INK, radius=0.2)
    sheet.text(strip, told, 1.0, INK, bold=True, align="center")


def _paint_coins(sheet: Sheet, spot: Box, token: Token) -> None:
    """This many, one over the other."""
    side = min(spot.size)
    step = min(side // 3, (spot.w - side) // max(1, token.count - 1))
    left = spot.centerx - (step * (token.count - 1)) // 2
    for place in range(token.count):
        sheet.picture(sheet.art.motif(token.motif, side), (left + place * step, spot.centery))


ToolbarPainter = Callable[[Sheet, Box, GameFrame], Box]


def paint_table(
    sheet: Sheet,
    area: Box,
    frame: GameFrame,
    bar: ToolbarPainter,
    strip: Box | None = None,
    *,
    lift: int = 0,
) -> None:
    """Everything of a running game; `bar` paints the toolbar and gives back what it leaves free.

    `strip`: where a lesson speaks or a demo is driven, in place of the toolbar. `lift`: how far above
    the felt's end the plates end.
    """
    held = None if strip is None else lesson_hand(frame, area)
    frame = _asking_mask(frame)
    if strip is None and frame.guide is not None:
        _paint_narrow_table(sheet, area, frame, bar)
        return
    stood = chairs_and_decks(frame.view, frame.ui_state)
    u = sheet.u(100) / 100
    first = roomy_head(frame)
    needs = [min_plate_height(sheet, one, frame, first) if isinstance(one, ChairView) else 0 for one in stood]
    low, at = 0, stage_layout.layout_stage(len(stood), area, u, needs=needs)
    if strip is not None:
        low = max(0, at.bar.y - strip.y + sheet.em(0.3))
        at = stage_layout.layout_stage(len(stood), area, u, foot=low, needs=needs, logs=False, lift=lift)
    free = at.bar if strip is not None else bar(sheet, at.bar, frame)
    if shows_stop(frame) and frame.trouble is None:
        if strip is not None:
            area = area._replace(h=strip.y - area.y)
        paint_stop(sheet, area, at.bar._replace(y=min(at.bar.y, area.bottom)), frame)
        return
    above = frame.guide is not None if strip is not None else paint_low_announcement(sheet, free, frame)
    head = at.head
    if is_infraction(frame):  # the whole width, up to the felt
        top = min(at.rim.y, *(plate.y for plate in at.plates))
        head = area._replace(h=top - area.y - sheet.em(0.15))
    paint_headline(sheet, head, frame, said=above)
    if frame.trouble is not None:
        field = Box(area.x, at.head.bottom, area.w, at.bar.y - at.head.bottom - sheet.em(0.2))
        left = sheet.paint_warning(field, sheet.sentence(frame.trouble))
        end = max(at.rim.bottom, *(plate.bottom for plate in at.plates))
        low += max(0, end + sheet.em(0.3) - left.bottom)
        at = stage_layout.layout_stage(len(stood), area, u, foot=low, needs=needs)
    if frame.exhibit is not None and not is_window_open(frame.view):
        low = max(plate.bottom for plate in at.plates)
        paint_exhibit(sheet, Box(at.head.x, at.rim.y, at.head.w, low - at.rim.y), frame)
        return
    if strip is not None and shows_lesson_sets(frame, area):
        top = max(at.head.bottom, area.y + round(FAN["top"] * u))
        _paint_lesson_sets(sheet, Box(at.head.x, top, at.head.w, strip.y - sheet.em(0.4) - top), frame)
        return
    _paint_stage(sheet, at, stood, frame, held)
    if at.log.w:
        _paint_log(sheet, at.log, frame)


def _paint_stage(
    sheet: Sheet,
    at: stage_layout.StageLayout,
    stood: tuple[ChairView | BotView, ...],
    frame: GameFrame,
    held: Guidance | None,
) -> None:
    """`held`: the hand that this guide shows lies on the lower half of the felt."""
    seated = [(place, one) for place, one in enumerate(stood) if isinstance(one, ChairView)]
    lit = [place for place, one in seated if find_plate_state(one, frame) is PlateState.ASKED]
    called = addressed_chair(sheet, frame)
    bright = [place for place, one in seated if place in lit or one.chair == called]
    paint_felt(sheet, at.rim, [at.lights[place] for place in bright])
    if at.docks:
        for place in bright:
            paint_halo(sheet, at.docks[place], at.avatar)
    felted = shows_felt_tokens(frame, at)
    rest = paint_felt_tokens(sheet, at, stood) if felted else at.middle
    if held is not None and held.lay:
        chosen = any(place.marked for place in frame.view.places)  # which then needs the room
        gap = sheet.u(FAN["gap"])
        beside = bool(frame.view.card or frame.view.rows) and not felted
        lies = (len(frame.view.places) == 1 or beside) and not chosen
        if lies and len(held.lay[0][2]) == 1:  # one card is largest beside the one that lies there
            own = next(at.plates[place] for place, one in seated if one.chair == held.chair)
            wide = round(rest.w * FAN["alone"])
            if own.centerx < rest.centerx:  # beside its player
                hand, rest = columns(rest, wide, FILL, gap=gap)
            else:
                rest, hand = columns(rest, FILL, wide, gap=gap)
            hand = stack(hand, hand.w, min(hand.h, round(hand.w / FAN["shape"])))
        else:
            even = len(held.lay[0][2]) == 1 or is_window_open(frame.view)  # what it is about is as large
            low = round(rest.h * FAN["less" if chosen else "even" if even else "held"])
            rest, hand = rows(rest, FILL, low, gap=gap)
    sheet.place("middle", rest)
    paint_middle(sheet, rest, frame, docked=True)
    plates = [
        (
            at.plates[place],
            without_felt_tokens(one) if felted else one,
            AvatarSpot(at.docks[place], at.avatar) if at.docks else None,
        )
        for place, one in sorted(seated, key=lambda each: each[0] in lit)
    ]
    look = common_look(sheet, plates, frame)
    for plate in plates:
        paint_panel(sheet, plate[0], plate[1], frame, plate[2], look)
    for rect, one in zip(at.plates, stood, strict=True):
        if isinstance(one, BotView):
            paint_bot_panel(sheet, rect, one, frame)
    if held is not None and held.lay:
        paint_practice_hand(sheet, hand, frame, held)


def _paint_lesson_sets(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """What lies before whom, the hand of the learner, and what may be done, all on one wide felt."""
    guide = frame.guide
    assert guide is not None
    paint_felt(sheet, rect)
    inner = rect.inflate(-2 * sheet.u(FAN["edge"]), -2 * sheet.u(FAN["edge"]))
    learner = next(one for one in frame.view.chairs if one.chair == guide.chair)
    gap, offered, cards = sheet.u(FAN["gap"]), learner.choices, own_hand(frame, guide)
    is_trick = bool(trick_places(frame.view))
    if not offered and not cards:
        paint_sets(sheet, stack(inner, inner.w, min(inner.h, sheet.u(FAN["sets_alone"]))), frame, guide)
        return
    if offered and not guide.chooses:
        upper, lower = rows(inner, sheet.u(FAN["sets"]), FILL, gap=gap)
    else:  # its corners are bare, and a card of the hand may lie over the foot of a set
        inner, over = inner.inflate(0, gap), 0 if is_trick else sheet.u(FAN["over"])
        upper, lower = rows(inner, round(inner.h * FAN["lying"]), FILL, gap=-over)
    paint_sets(sheet, upper, frame, guide)
    few = len(offered) <= ONE_COLUMN
    offered = () if guide.chooses else offered  # then the tapped cards say it
    share = 0.0 if not offered else FAN["answers" if few else "many_answers"] if cards else 1.0
    hand, answers = columns(lower, FILL, round(lower.w * share), gap=gap if cards and offered else 0)
    if cards:
        held = replace(guide, lay=(("", guide.chair, cards),), note=None)
        (paint_owned_hand if is_trick else paint_practice_hand)(sheet, hand, frame, held)
    if len(offered) > MOST_ANSWERS:
        paint_choice_grid(sheet, answers, learner, frame)
        return
    cells = grid(answers, len(offered), 1 if few and cards else 2, gap=gap // 2, most=sheet.u(FAN["answer"]))
    for place, choice in zip(cells, offered, strict=True):
        paint_large_choice(sheet, place, choice)


def _paint_log(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """What was ruled last, the newest first and brightest, as many as are read to the end."""
    line = sheet.line_height
    for place, one in enumerate(reversed([line for line in frame.log if not line.retracted])):
        words = log_line_text(sheet, one)
        fitted = sheet.painter.fit_text(words, rect.w, rect.h, 1.0)
        if fitted.cut or line > rect.h:
            return
        row, rect = rows(rect, len(fitted.lines) * line, FILL, gap=sheet.em(0.3))
        sheet.text(row, words, 1.0, SOFT if place else TEXT)
        sheet.divider(row.bottom + sheet.em(0.15), row.x, row.right)


def paint_middle(sheet: Sheet, rect: Box, frame: GameFrame, *, docked: bool = True) -> None:
    """The one thing that everybody looks at."""
    if is_stacked(frame):
        room = rect if docked else rect.inflate(-sheet.em(0.6), -sheet.em(0.6))
        counted = _counted_stack(frame)
        if counted is None:
            paint_stacks(sheet, room, frame, docked=docked)
        else:
            _paint_counting(sheet, room, frame, *counted)
    elif _is_raised_wrongly(frame):
        _paint_wrong_hand(sheet, rect, frame)
    elif is_window_open(frame.view):
        reserve_count_area(sheet, rect)
    else:
        paint_centre(sheet, rect, frame, docked=docked)


def _is_raised_wrongly(frame: GameFrame) -> bool:
    """Whether a lesson speaks of the learner's hand, which should have stayed down."""
    guide, counted = frame.guide, frame.view.count is not None
    raised = any(one.raised for one in frame.view.chairs if guide is not None and one.chair == guide.chair)
    return guide is not None and guide.kind == "wrong" and raised and counted


def _paint_wrong_hand(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """The number, and beside it a hand struck out."""
    assert frame.view.count is not None
    side = min(rect.h, rect.w * 2 // 5, sheet.em(6))
    number, hand = columns(stack(rect, 2 * side + sheet.em(1), side), side, side, gap=sheet.em(1))
    paint_number(sheet, number, frame.view.count.number)
    sheet.picture(sheet.art.motif("hand", side), hand.center)
    for colour, width in ((PAPER, 0.7), (BAD, 0.4)):
        sheet.line(colour, width, (hand.x, hand.bottom), (hand.right, hand.y))


def _paint_narrow_table(sheet: Sheet, area: Box, frame: GameFrame, bar: ToolbarPainter) -> None:
    """Beside a lesson or the camera's picture: no felt, smaller plates."""
    gap, low = sheet.em(0.3), max(sheet.em(1.75), sheet.min_touch_height * 4 // 5)
    inner = area.inset(left=gap, top=gap, right=gap, bottom=gap)
    head, body, foot = rows(inner, sheet.em(5.2), FILL, low, gap=gap)
    paint_headline(sheet, head, frame, said=True)
    if frame.trouble is not None:
        body = sheet.paint_warning(body, sheet.sentence(frame.trouble))
    bar(sheet, foot, frame)
    if frame.exhibit is not None and not is_window_open(frame.view):
        paint_exhibit(sheet, body, frame)
        return
    # The middle is narrow: panels take from it only where many are asked at once.
    many = sum(chair.asked for chair in frame.view.chairs) > 1
    least = 8.4 if not many else 9.3 if is_window_open(frame.view) else 9.9
    stood = chairs_and_decks(frame.view, frame.ui_state)
    width = max(round(body.w * 0.235), sheet.em(least))
    plates, inside = stage_layout.layout_narrow(len(stood), body, width, gap)
    sheet.box(inside, FELT, blend(FELT, TEXT, 0.18), radius=0.8)
    paint_middle(sheet, inside, frame, docked=False)
    for rect, one in zip(plates, stood, strict=True):
        if isinstance(one, BotView):
            paint_bot_panel(sheet, rect, one, frame)
        else:
            paint_panel(sheet, rect, one, frame)


# A table of card stacks below the deck ----------------------------------------------------------------------


def is_stacked(frame: GameFrame) -> bool:
    """Whether this game is played on stacks."""
    return any(place.spot is ScreenArea.STACK for place in frame.view.places)


def paint_stacks(sheet: Sheet, rect: Box, frame: GameFrame, *, docked: bool) -> None:
    """Paint everything that lies on the table, and what is asked of one person alone.

    `docked`: two answers stand large enough on the plate.
    """
    view = frame.view
    gap = sheet.em(0.35)
    row = [place for place in view.places if place.spot is ScreenArea.STACK]
    asked = [chair for chair in view.chairs if chair.asked]
    alone = asked[0] if len(asked) == 1 else None
    named = _naming_choices(frame, frame.ui_state.typed)
    choosing = bool(named) or (alone is not None and len(alone.choices) > 2)
    shown = [place for place in view.places if place.spot is ScreenArea.SHOWN]
    lift = 0
    across = len(row) if choosing or rect.w > sheet.em(10) else -(-len(row) // 2)
    lines = -(-len(row) // across)
    beside = rect.w > BESIDE * rect.h and not choosing
    if beside:
        upper, low = columns(rect, FILL, round(rect.w * STACKS_SHARE), gap=2 * gap)
        width = (low.w + gap) // across - gap
        height = min(round(width / CARD_ASPECT), rect.h)
        low = stack(low, low.w, lines * (height + gap) - gap)
    else:
        width = (rect.w + gap) // across - gap
        height = min(round(width / CARD_ASPECT), rect.h * (46 if lines == 1 else 32) // 100)
        raised = lines == 1 and not choosing and not shown and not is_window_open(view)
        lift = round(height * RAISED_MASK) if raised else 0
        upper, low = rows(rect, FILL, lines * (height + gap) - gap + lift, gap=2 * gap)
        low = low.inset(top=lift)
    low = low.move(0, height % 2)  # the middles of the cards are in their place, not their edges
    wide = min(width, round(height * CARD_ASPECT))
    cells = [stack(cell, wide, height) for cell in grid(low, len(row), across, gap=gap)]
    pointed = next((choice.region for choice in view.shared if choice.press == "ok" and choice.region), "")
    if shown:
        strip, upper = rows(upper, upper.h * 2 // 5, FILL, gap=gap)
        _paint_shown_cards(sheet, strip, shown)
    if is_window_open(view):
        reserve_count_area(sheet, upper)  # beside the stacks: what may be stopped has to be seen
    elif named:
        _paint_face_choices(sheet, upper, named)
    elif choosing and alone is not None:
        paint_choice_grid(sheet, upper, alone, frame)
    elif beside:
        _paint_deck(sheet, upper, frame, under=True)
    elif alone is not None or not asked:  # in a demo the panel has room for words
        paint_exchange(sheet, upper, alone if lines == 1 else None, frame, on_plate=docked)
    elif over := [
        cell.move(0, -lift) for place, cell in zip(row, cells, strict=True) if place.region == pointed
    ]:
        _paint_held_card(sheet, upper, over[0], frame)
        right = over[0].centerx < upper.centerx
        sides = {"left": over[0].right - upper.x} if right else {"right": upper.right - over[0].x}
        _paint_shared_choice(sheet, upper.inset(**sides).inflate(-gap, 0), frame)
    else:
        _paint_deck(sheet, upper, frame, under=False)
    for place, cell in zip(row, cells, strict=True):
        _paint_stack(sheet, cell, place, frame, lift)


def _counted_stack(frame: GameFrame) -> tuple[PlaceView, ChairView] | None:
    """The stack whose masks one person counts now: the answers are numbers, of no place."""
    marked = [one for one in frame.view.places if one.spot is ScreenArea.STACK and one.marked]
    asked = [chair for chair in frame.view.chairs if chair.asked]
    if not marked or len(asked) != 1 or len(asked[0].choices) <= 2 or is_window_open(frame.view):
        return None
    placed = any(choice.region for choice in asked[0].choices)
    return None if placed or _naming_choices(frame, frame.ui_state.typed) else (marked[0], asked[0])


def _paint_counting(sheet: Sheet, rect: Box, frame: GameFrame, counted: PlaceView, alone: ChairView) -> None:
    """The stack that is counted, large, beside the numbers to answer with; the others smaller below."""
    gap, row = sheet.em(0.35), [place for place in frame.view.places if place.spot is ScreenArea.STACK]
    upper, low = rows(rect.inset(bottom=gap), FILL, rect.h * 36 // 100, gap=gap)
    wide = min(round(upper.h * CARD_ASPECT), rect.w * 9 // 20)
    high = round(wide / CARD_ASPECT)
    card, numbers = columns(stack(upper, upper.w, high), wide, FILL, gap=2 * gap)
    _paint_stack(sheet, card, counted, frame, 0)
    paint_choice_grid(sheet, numbers, alone, frame)
    others = [place for place in row if place is not counted]
    cells = columns(low, *[round(low.h * CARD_ASPECT)] * len(others), gap=2 * gap, justify="center")
    for place, cell in zip(others, cells, strict=True):
        _paint_stack(sheet, cell, place, frame, 0)


def _asking_mask(frame: GameFrame) -> GameFrame:
    """The same; where a stack was touched to say what lies there, that is the question on top."""
    touched = next((one for one in frame.view.places if one.region == frame.ui_state.typed), None)
    if touched is None or not _naming_choices(frame, touched.region):
        return frame
    parts = (*frame.view.headline.parts, ("place", touched.number))
    calm = tuple(replace(one, choices=()) for one in frame.view.chairs)  # the cards alone answer
    view = replace(frame.view, headline=Sentence("ui.stack.which", parts), hint=None, chairs=calm)
    return dataclasses.replace(frame, view=view)


def _naming_choices(frame: GameFrame, region: str) -> list[Choice]:
    """What the card on a stack, or the one that is placed there now, may be said to be."""
    return [choice for choice in frame.view.shared if choice.card and choice.region == region]


def _paint_held_card(sheet: Sheet, rect: Box, over: Box, frame: GameFrame) -> None:
    """The card in hand above the stack on which OK puts it: its back, unless it was shown."""
    found = {place.spot: place.card for place in frame.view.places}
    shown = found.get(ScreenArea.HAND, "")
    held = stack(rect._replace(x=over.x, w=over.w), over.w, min(over.h, rect.h * 9 // 10), "bottom")
    if shown and not shown.startswith("back:"):
        _paint_face(sheet, held, shown)
    elif back := shown or found.get(ScreenArea.DECK, ""):
        card = sheet.art.card_back(sheet.art.card_rect(held).size, back)
        sheet.picture(pygame.transform.rotozoom(card, HELD_TILT, 1), held.center)


def _paint_deck(sheet: Sheet, rect: Box, frame: GameFrame, *, under: bool) -> None:
    """The deck, and where the mask goes from there; a card in hand stands there, large, or lies on it."""
    found = {place.spot: place for place in frame.view.places}
    deck, hand = (found.get(spot) for spot in (ScreenArea.DECK, ScreenArea.HAND))
    held = "" if hand is None else hand.card
    high = min(rect.h, round(rect.w * (DECK_UNDER if under else DECK) / CARD_ASPECT))
    wide = round(high * CARD_ASPECT)
    if hand is not None:
        spot = stack(rect, wide, high)
        sheet.place(f"card:{ScreenArea.HAND}", spot, (held,) if held else ())
    if deck is not None:
        card = (
            stack(rect, wide * 8 // 10, high * 8 // 10)
            if deck.card and not under
            else stack(rect, wide, high)
        )
        card = card.move(-wide // 10 if under else -wide * 9 // 10, 0)
        _paint_face(sheet, card, deck.card)
        sheet.place(f"card:{ScreenArea.DECK}", card, (deck.card,) if deck.card else ())
    if held:
        _paint_face(sheet, spot, held)
    _paint_shared_choice(sheet, rect.inset(left=rect.w // 2 + (wide * 11 // 20 if held else 0)), frame)


def _paint_shared_choice(sheet: Sheet, room: Box, frame: GameFrame) -> None:
    """What everybody may say, once for all."""
    if shared := shared_choice(frame):
        sign, words = rows(room, sheet.em(SIGN), sheet.em(4), gap=sheet.em(0.2), justify="center")
        sheet.picture(draw_press_sign(sheet, shared.press, sign.h, GOLD), sign.center)
        told = sheet.tr("ui.press.anyone", words=sheet.sentence(shared.label))
        sheet.text(words, told, type_scale("name"), TEXT, bold=True, align="center", middle=False)


def _paint_stack(sheet: Sheet, card: Box, place: PlaceView, frame: GameFrame, lift: int) -> None:
    """One stack with its number: touching it says that a card is there, or asks first which one it is.

    Touched again, nobody says which. A mask lies `lift` pixels above its actor.
    """
    touched = frame.ui_state.typed if _naming_choices(frame, frame.ui_state.typed) else ""
    ring, foot = place.region == touched if touched else place.marked, card
    actor = f"actor:{place.number}"
    guide = frame.guide
    if guide is not None and place.card == actor and not steps_through_choices(frame, guide):
        ring = False  # it is another one's pointer, and no stack that the lesson speaks of
    if lift and place.card and place.card != actor:
        _paint_face(sheet, card, actor)
        card = card.move(0, -lift)
        if ring:
            card = card.inflate(card.w // 10, card.h // 10)
    if ring:
        glow = card.inflate(sheet.em(0.28), sheet.em(0.28))
        sheet.card_shadow(glow)
        sheet.box(glow, GOLD, radius=0.4)
    _paint_face(sheet, card, place.card, ring=ring)
    sheet.place(f"card:{place.region}", card, (place.card,) if place.card else ())
    chip = stack(foot, sheet.em(1.25), sheet.em(1.25), "bottomleft")
    sheet.box(chip, INK, TEXT, radius=0.3, width=0.06)
    sheet.text(chip, str(place.number), 1.0, TEXT, bold=True, align="center")
    if guide is not None and places_by_touch(guide):  # the person's hand does it at once
        sheet.target(f"place:{place.region}", card, guide_action(f"place:{place.region}"))
        return
    names = _naming_choices(frame, place.region)
    lies = [
        choice
        for choice in frame.view.shared
        if choice.region == place.region and choice.press == "touch" and not choice.card
    ]
    if names:
        chosen = frame.ui_state.typed == place.region
        said = say_action(lies[0]).commands if lies and chosen else ()
        asks = touch_action(*said, typed="" if chosen else place.region)
        sheet.target(
            f"place:{place.region}", card, replace(asks, leads="" if chosen else _choice_key(names[0]))
        )
    elif lies:
        sheet.target(f"place:{place.region}", card, say_action(lies[0]))


def _paint_face(sheet: Sheet, card: Box, face: str, *, ring: bool = False) -> None:
    if not face:
        paint_empty_place(sheet, card)
    elif face == UNKNOWN:
        sheet.box(card, PAPER, NOTICE, width=0.2)
        scale = max(1.0, card.h / sheet.unit * 0.36)
        sheet.text(card, "?", scale, INK, bold=True, align="center", grows=False)
    else:
        sheet.card(card, face, ring=ring)


def _paint_shown_cards(sheet: Sheet, rect: Box, shown: list[PlaceView]) -> None:
    """The cards that were shown so far, the lowest first."""
    gap = sheet.em(0.15)
    width = min((rect.w + gap) // max(1, len(shown)) - gap, round(rect.h * CARD_ASPECT))
    cells = columns(rect._replace(h=min(rect.h, round(width / CARD_ASPECT))), *[width] * len(shown), gap=gap)
    for card, one in zip(cells, shown, strict=True):
        _paint_face(sheet, card, one.card)


def _paint_face_choices(sheet: Sheet, rect: Box, named: list[Choice]) -> None:
    """Every card it could be, in gold: to be touched."""
    gap, across = sheet.em(0.3), -(-len(named) // 2)
    wide = min((rect.w + gap) // across - gap, round(((rect.h + gap) // 2 - gap) * CARD_ASPECT))
    high = round(wide / CARD_ASPECT)
    field = stack(rect, across * (wide + gap) - gap, 2 * (high + gap) - gap, "top")
    for card, choice in zip(grid(field, len(named), across, gap=gap, most=high), named, strict=True):
        sheet.box(card.inflate(gap, gap), GOLD, radius=0.4)
        _paint_face(sheet, card, choice.card)
        done = touch_action(*say_action(choice).commands, typed="")
        sheet.target(_choice_key(choice), card, done)


def _choice_key(choice: Choice) -> str:
    return f"name:{choice.action.value}"
