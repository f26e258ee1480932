"""Draws practice: hands, known facts and the hint beside the game, or the own hand as a fan under it."""

import dataclasses
from collections.abc import Mapping

from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.view import ChairView, Choice, Guidance, PlaceView, Sentence, View
from companion.ui.board.card_pictures import top_value
from companion.ui.board.headline import is_loud
from companion.ui.board.lesson_cards import (
    FAN,
    TALL_ROW,
    draw_turned_card,
    fan_step,
    guide_action,
    hand_grid_size,
    own_hand,
    paint_fan,
    paint_hands,
    points_at_places,
)
from companion.ui.board.trick_centre import paint_trick, trick_places
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import FILL, Box, Share, around, best_grid, columns, rows, stack
from companion.ui.toolkit.chair_tiles import paint_bot_badge
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import (
    EDGE,
    FELT,
    GOLD,
    GOOD,
    INK,
    LOOK,
    NOTICE,
    PANEL,
    RAISED,
    SOFT,
    TEXT,
    blend,
)
from companion.ui.toolkit.widgets import paint_avatar, paint_felt, paint_halo

SIDE_WIDTH_SHARE = 0.34
"""Of the screen's width, beside the game."""
FOLLOWING = frozenset({"lesson.open.best", "lesson.open.largest", "lesson.open.no_set"})
"""Lines of the open table that say what follows from the others."""
ROOMY = 1.6
"""Height of a hand (em) from which its numbers can be read and other words have room beside them."""
COMMENT = 1.1
"""The words of a comment (em)."""
MOST_LINES = 4
PICK_STEP = 0.62
"""How much is seen of a card under the next one, as a share of its width."""
SPEAKING = frozenset({"say", "wait", "wrong", "well"})
"""What a lesson does while its table is seen."""
FEW_CHOICES = 2
"""A press and a hold; more of them need the middle of the felt."""


def paint_side_ground(sheet: Sheet, rect: Box) -> Box:
    """The ground beside the game; returns the area inside its margins."""
    gap = sheet.em(0.4)
    sheet.fill(rect, PANEL)
    sheet.fill(Box(rect.x, rect.y, max(2, sheet.em(0.12)), rect.h), EDGE)
    return rect.inflate(-2 * gap, -2 * gap)


def paint_practice_panel(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """The player's own hand, or all hands and what follows from them; and the button for a hint."""
    gap = sheet.em(0.4)
    inner = paint_side_ground(sheet, rect)
    body, ask = rows(inner, FILL, sheet.em(1.9), gap=gap)
    paint_tapped_actions(sheet, paint_hint_button(sheet, ask), guide)
    if guide.note is not None:
        body = paint_comment(sheet, body, guide)
    else:
        said = sheet.sentence(guide.say)
        high = max(2, _count_lines(sheet, said, body.w)) * sheet.line_height
        words = Box(body.x, body.y, body.w, high + gap // 2)
        has_room = body.h - words.h >= _required_height(sheet, frame, guide, body.w)
        if has_room or not guide.back:  # otherwise the hands say it
            sheet.text(words, said, 1.0, SOFT, middle=False)
            body = Box(body.x, words.bottom, body.w, body.bottom - words.bottom)
    if guide.back:
        body = _paint_known_facts(sheet, body, frame, guide)
    if guide.picks:
        above, body = rows(body, sheet.em(TALL_ROW), FILL, gap=gap)
        paint_picks(sheet, above, guide)
    paint_hands(sheet, body, guide, frame.board.card_name_prefixes)


def _paint_known_facts(sheet: Sheet, body: Box, frame: GameFrame, guide: Guidance) -> Box:
    """What everybody knows, a line each, and what follows, if the hands leave room; returns the rest."""
    row, top = round(sheet.line_height * 1.15), body.y
    told, follows = _split_lines(guide)
    room = body.h - hand_grid_size(guide)[1] * sheet.em(1.6)
    lines = [_count_lines(sheet, sheet.sentence(line), body.w, bold=True) for line in follows]
    high = sum(lines) * sheet.line_height
    if room < len(told) * row + high:
        told = []
    if guide.note is not None and room < high:
        follows = []  # the hint says it
    for line in told:
        radius = row * 2 // 5
        _paint_badge(sheet, (body.x + radius, top + row // 2), radius, dict(line.parts))
        left = body.x + 2 * radius + sheet.em(0.3)
        sheet.text(
            Box(left, top, body.right - left, row),
            sheet.sentence(line),
            1.0,
            GOLD,
            bold=True,
        )
        top += row
    for line, count in zip(follows, lines, strict=False):
        at = Box(body.x, top, body.w, min(count * sheet.line_height, max(1, body.bottom - top)))
        sheet.text(at, sheet.sentence(line), 1.0, TEXT, bold=True, middle=False)
        top += at.h
    return Box(body.x, top, body.w, max(0, body.bottom - top))


def _split_lines(guide: Guidance) -> tuple[list[Sentence], list[Sentence]]:
    """The lines about one hand, which everybody knows; and the lines that say what follows."""
    told = [
        line for line in guide.back if line.key not in FOLLOWING and {"chair", "bot"} & {*dict(line.parts)}
    ]
    return told, [line for line in guide.back if line not in told]


def _required_height(sheet: Sheet, frame: GameFrame, guide: Guidance, width: int) -> int:
    """Height in pixels of all lines, with the hands below each other under them."""
    told, follows = _split_lines(guide)
    row = round(sheet.line_height * 1.15)
    lines = sum(_count_lines(sheet, sheet.sentence(line), width, bold=True) for line in follows)
    return len(told) * row + lines * sheet.line_height + len(guide.lay) * sheet.em(ROOMY)


def _count_lines(sheet: Sheet, words: str, width: int, *, bold: bool = False) -> int:
    """How many lines the text takes, `MOST_LINES` at most."""
    return len(sheet.painter.fit_text(words, width, MOST_LINES * sheet.line_height, 1.0, bold=bold).lines)


def _paint_badge(sheet: Sheet, centre: tuple[int, int], radius: int, parts: Mapping[str, str | int]) -> None:
    """The badge of the player, or the BOT deck, whose hand a line is about."""
    if "chair" in parts:
        sheet.badge(centre, radius, int(parts["chair"]))
        return
    owner = int(parts["bot"])
    paint_bot_badge(sheet, centre, radius, None if owner < 0 else owner)


def comment_height(sheet: Sheet, body: Box, guide: Guidance) -> int:
    """How high the comment on what was just done is across `body` (pixels); 0: there is none."""
    if guide.note is None:
        return 0
    words, most = sheet.sentence(guide.note), MOST_LINES * sheet.line_height
    fitted = sheet.painter.fit_text(words, body.w - sheet.em(1), most, COMMENT, bold=True)
    return len(fitted.lines) * sheet.painter.line_height(fitted.scale) + sheet.em(0.5)


def paint_comment(sheet: Sheet, body: Box, guide: Guidance) -> Box:
    """The comment on what was just done, if any, across the top of `body`; returns the rest."""
    if guide.note is None:
        return body
    strip = stack(body, body.w, comment_height(sheet, body, guide), "top")
    sheet.box(strip, GOOD if guide.good else NOTICE)
    words = strip.inflate(-sheet.em(1), 0)
    sheet.text(words, sheet.sentence(guide.note), COMMENT, INK, bold=True)
    taken = strip.h + sheet.em(0.4)
    return body._replace(y=body.y + taken, h=max(1, body.h - taken))


def paint_tapped_actions(sheet: Sheet, rect: Box, guide: Guidance) -> Box:
    """What the tapped cards make, as buttons at the right end of `rect`; without any, what is to be
    tapped. Returns what is left.
    """
    if not guide.chooses:
        return rect
    for place, answer in enumerate(guide.answers, 1):
        words, key = sheet.sentence(answer), f"answer:{place}"
        wide = min(rect.w, sheet.text_width(words, FAN["said"], bold=True) + sheet.em(2))
        rect, button = columns(rect, FILL, wide, gap=sheet.em(0.3))
        fill = GOLD if guide.tapped or guide.tapped_region else RAISED
        sheet.button(button, words, key, guide_action(key), fill=fill, bold=True, scale=FAN["said"])
    is_tapped = bool(guide.tapped or guide.tapped_region)
    words = sheet.tr("ui.practice." + (("useless" if guide.useless else "more") if is_tapped else "tap"))
    wide = sheet.text_width(words, FAN["said"])
    if not (is_tapped and guide.answers) and wide <= rect.w:
        rect, told = columns(rect, FILL, wide, gap=sheet.em(0.3))
        sheet.text(told, words, FAN["said"], SOFT)
    return rect


def shows_fan(frame: GameFrame, area: Box) -> bool:
    """Whether the player's own hand is a fan under the whole table, rather than a row beside it."""
    guide = frame.guide
    if guide is None or guide.kind != "practice" or guide.back:
        return False
    return area.w > area.h


def places_by_touch(guide: Guidance) -> bool:
    """Whether a finger on a place of the table does something now, in practice."""
    return any(action.verb == guide.touch_verb for action in guide.possible)


def practice_view(frame: GameFrame, guide: Guidance) -> View:
    """The table as it is told apart from the screen it is played on: with what one does on that screen."""
    view = practice_table(frame, guide).view
    if not guide.chooses:
        return view if guide.possible else replace(view, hint=None)
    return replace(view, hint=Sentence("lesson.practice.choose"))


def practice_table(frame: GameFrame, guide: Guidance) -> GameFrame:
    """The table as one person plays at it: the others press nothing here, and their turn is no call.

    Then the sentence says whose turn it is, and below it what was done last. The person is offered what the
    hand allows, and told what was done meanwhile.
    """
    view, own = frame.view, guide.chair
    chairs = tuple(
        replace(one, choices=_possible_choices(one, guide) if one.chair == own else ()) for one in view.chairs
    )
    asked = [one.chair for one in chairs if one.asked]
    if asked and own not in asked:
        view = replace(view, hint=None)  # it is said to the others
    is_next = guide.table is not None  # what was told of the last round is no news
    if not is_next and (is_window_open(view) or is_loud(frame)):
        return dataclasses.replace(frame, view=replace(view, chairs=chairs))
    called = dict(view.headline.parts).get("chair")
    theirs = called if called in asked else asked[0] if len(asked) == 1 else own
    if theirs != own or is_next:
        headline = guide.headline or Sentence("ui.practice.theirs", (("chair", theirs),))
        done = None if is_next else _news_besides(frame, theirs)
        view = replace(view, chairs=chairs, headline=headline, hint=done, shared=())
        return dataclasses.replace(frame, view=view, say=guide.forced)
    before, after = (
        next((one.choices for one in table.chairs if one.chair == own), ())
        for table in (view, replace(view, chairs=chairs))
    )
    hint, headline, shared = view.hint, guide.headline or view.headline, view.shared
    if places_by_touch(guide):
        shared = ()  # nothing is stepped to by a button
        hint = Sentence("lesson.practice.touch")
    elif guide.chooses or len(after) < len(before):  # it is said for cards and buttons on a table
        hint = None
    view = replace(view, chairs=chairs, headline=headline, hint=hint, shared=shared)
    return dataclasses.replace(frame, view=view, say=guide.forced or _news_of_others(frame, own))


def _possible_choices(chair: ChairView, guide: Guidance) -> tuple[Choice, ...]:
    """What the person's hand and finger leave of the choices, and the presses that take it."""
    kept = tuple(
        choice
        for choice in chair.choices
        if choice.action in guide.possible and choice.action.verb != guide.touch_verb
    )
    if len(kept) == len(chair.choices):
        return kept
    signs = {1: ("press",), 2: ("tap", "hold")}.get(len(kept), ("tap",) * len(kept))
    return tuple(replace(one, press=sign, marked=False) for one, sign in zip(kept, signs, strict=True))


def _newest(frame: GameFrame, chair: Chair) -> list[Sentence]:
    """What was ruled together last, the newest first, without what is about this player."""
    standing = [line for line in frame.log if not line.retracted]
    return [
        line.sentence
        for line in reversed(standing)
        if line.seq == standing[-1].seq and dict(line.sentence.parts).get("chair") != chair
    ]


def _news_besides(frame: GameFrame, chair: Chair) -> Sentence | None:
    """What was ruled last, unless it is about this player."""
    return next(iter(_newest(frame, chair)), None)


def _news_of_others(frame: GameFrame, own: Chair) -> Sentence | None:
    """What was ruled last, if it is about somebody else: what names nobody was done by the person."""
    return next((said for said in _newest(frame, own) if "chair" in dict(said.parts)), None)


def lesson_hand(frame: GameFrame, area: Box) -> Guidance | None:
    """The guide of a lesson whose learner's hand lies on the felt, unless that is chosen from.

    While something is counted, the cards it is about stand higher.
    """
    guide = frame.guide
    if guide is None or guide.kind not in SPEAKING or area.w <= area.h or has_sets(frame):
        return None
    cards = own_hand(frame, guide)
    if not cards or points_at_places(frame, guide) or steps_through_choices(frame, guide):
        return None
    counted = "" if frame.view.count is None else f":{frame.view.count.number}"
    lifted = tuple(place for place, card in enumerate(cards) if counted and card.endswith(counted))
    lifted = guide.tapped if guide.chooses else lifted
    return replace(guide, lay=(("", guide.chair, cards),), note=None, tapped=lifted)


def steps_through_choices(frame: GameFrame, guide: Guidance) -> bool:
    """Whether the learner's button steps through what may be chosen, as at a question."""
    return any(one.chair == guide.chair and len(one.choices) > FEW_CHOICES for one in frame.view.chairs)


def paint_hint_button(sheet: Sheet, bar: Box) -> Box:
    """A hint for the player who wants one, in the toolbar; returns what is left of it."""
    words = sheet.tr("ui.lesson.hint")
    button, left = columns(bar, sheet.text_width(words, bold=True) + sheet.em(1.6), FILL, gap=sheet.em(0.4))
    sheet.button(button, words, "guide:hint", guide_action("hint"), bold=True)
    return left


def paint_practice_hand(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """The own cards as a fan, and beside them what others have open."""
    others = tuple(row for row in guide.lay if row[:2] != ("", guide.chair))
    if others:  # those of a liar, or what BOT decks have open
        rect, beside = columns(rect, FILL, round(rect.w * FAN["beside"]), gap=sheet.em(0.5))
        paint_hands(sheet, beside, replace(guide, lay=others), frame.board.card_name_prefixes)
    if own := own_cards(guide):
        paint_fan(sheet, rect, own, guide)


def own_cards(guide: Guidance) -> tuple[str, ...]:
    """The player's own hand."""
    return next((row[2] for row in guide.lay if row[:2] == ("", guide.chair)), ())


def shows_lesson_sets(frame: GameFrame, area: Box) -> bool:
    """Whether a lesson is about sets before players: they lie on one felt with the learner's hand."""
    guide = frame.guide
    if guide is None or (guide.pictures and guide.kind in {"say", "well"}):
        return False
    return guide.kind in SPEAKING and has_sets(frame) and area.w > area.h and not is_window_open(frame.view)


def has_sets(frame: GameFrame) -> bool:
    """Whether cards lie before players, so that a hand is played to them."""
    return any(place.chair is not None for place in frame.view.places)


def paint_hand_on_felt(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """A felt as wide as the screen: the sets, and the own hand large below."""
    paint_felt(sheet, rect)
    inner = rect.inflate(-2 * sheet.u(FAN["edge"]), -2 * sheet.u(FAN["edge"]))
    upper, lower = rows(inner, sheet.u(FAN["sets"]), FILL, gap=sheet.u(FAN["gap"]))
    paint_sets(sheet, upper, frame, guide)
    paint_owned_hand(sheet, lower, frame, guide)


def paint_owned_hand(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """The own hand and whose it is: beside it, or on its corner where it needs the width."""
    hand = _paint_owner(sheet, rect, frame, guide)
    paint_practice_hand(sheet, hand, frame, guide)
    if hand == rect and own_cards(guide) and not _own_places(frame, guide):
        paint_hand_sign(sheet, hand, guide)


def paint_hand_sign(sheet: Sheet, rect: Box, guide: Guidance) -> None:
    """Whose hand it is, on the corner of its first card."""
    first, size = sheet.placed["held:0"].rect, sheet.u(LOOK.practice["avatar"])
    paint_avatar(sheet, (max(rect.x, first.x) + size // 4, first.bottom - size // 4), size, guide.chair)


def _paint_owner(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> Box:
    """Whose hand it is, beside it; returns what is left. A long hand has it all."""
    size, gap, held = sheet.u(FAN["owner"]), sheet.u(FAN["gap"]), len(own_cards(guide))
    wide = round(rect.h * FAN["shape"] * (1 + fan_step(held) * max(0, held - 1)))
    if rect.w - gap - wide < size:
        return rect
    owner, left = columns(rect, size, wide, gap=gap, justify="center")
    asked = any(one.asked for one in frame.view.chairs if one.chair == guide.chair)
    if asked:
        paint_halo(sheet, owner.center, size)
    paint_avatar(sheet, owner.center, size, guide.chair, lit=asked)
    return left


def _own_places(frame: GameFrame, guide: Guidance) -> list[PlaceView]:
    """The places of the player where a set lies, or that have a number."""
    return [one for one in frame.view.places if one.chair == guide.chair and (one.card or one.number)]


def paint_picks(sheet: Sheet, rect: Box, guide: Guidance) -> None:
    """The cards that may be pointed at and are not in the hand, as large as they fit: in a grid, or each over
    the one before where a finger can still tell them apart.
    """
    many, shape, finger = len(guide.picks), FAN["shape"], sheet.u(LOOK.stage["finger"])
    gap = sheet.em(0.5)
    cells = best_grid(rect, many, gap, shape=shape)
    large = min(cells[0].h, round(cells[0].w / shape))
    across = sum(one.y == cells[0].y for one in cells)
    side, lines = round(large * shape) + gap, -(-many // across)
    close = stack(rect, across * side - gap, lines * (large + gap) - gap)
    apart = large, best_grid(close, many, gap, shape=shape)
    high = min(rect.h, round(rect.w / (1 + PICK_STEP * (many - 1)) / shape))
    wide = round(high * shape)
    row = columns(rect, *[wide] * many, gap=round(wide * (PICK_STEP - 1)), justify="center")
    high, cells = max(apart, (high, row)) if round(wide * PICK_STEP) >= finger else apart
    for at, cell, card in zip(range(1, many + 1), cells, guide.picks, strict=True):
        spot = stack(cell, round(high * shape), high)
        ring = GOLD if card == guide.tapped_region else INK
        sheet.picture(draw_turned_card(sheet, card, spot.size, 0, ring=ring), spot.center)
        under = at < many and cells[at].x < spot.right and cells[at].y == cell.y
        seen = spot._replace(w=cells[at].x - spot.x) if under else spot
        sheet.target(f"place:{card}", seen, guide_action(f"place:{card}"))


def paint_sets(sheet: Sheet, upper: Box, frame: GameFrame, guide: Guidance) -> None:
    """What lies before whom, in a row; a trick in order of play."""
    if trick_places(frame.view):
        paint_trick(sheet, stack(upper, min(upper.w, 3 * upper.h), upper.h), frame, seated=False)
        return
    others = [one for one in frame.view.places if one.chair not in {None, guide.chair}]
    sets = [*_own_places(frame, guide), *others]
    for cell, place in zip(columns(upper, *[Share(1)] * len(sets), gap=sheet.em(0.5)), sets, strict=True):
        _paint_set(sheet, cell, place, frame, guide)


def known_cards(guide: Guidance, place: PlaceView) -> tuple[str, ...]:
    """What lies there: as the guide knows it with both sides, else as everybody may name it."""
    cards = (place.card, *place.on_top) if place.card else ()
    known = next((row[2] for row in guide.lay if row[0] == place.region), ())
    return known if len(known) == len(cards) else cards


def _paint_set(sheet: Sheet, cell: Box, place: PlaceView, frame: GameFrame, guide: Guidance) -> None:
    """Whose it is, how many cards they hold, the cards, and how many of which value they are."""
    owner = next(chair for chair in frame.view.chairs if chair.chair == place.chair)
    size = sheet.u(LOOK.avatar["prompt"])
    left, room = columns(cell, round(size * 1.3), FILL, gap=sheet.em(0.3))
    upper, lower = rows(left, FILL, sheet.line_height)
    if owner.asked:
        paint_halo(sheet, upper.center, size)
    paint_avatar(sheet, upper.center, size, owner.chair, lit=owner.asked)
    sign, count = columns(lower, sheet.em(1.2), sheet.em(1.5), gap=sheet.em(0.2), justify="center")
    sheet.picture(sheet.art.motif("cards", sign.w), sign.center)
    sheet.text(count, str(owner.cards), 1.0, TEXT, bold=True)
    cards = known_cards(guide, place)
    wide = round(cell.h * FAN["shape"])
    number = f"{place.number}: " if place.number else ""
    words = f"{number}{len(cards)} × {top_value(cards[0])}" if cards else ""
    told = sheet.text_width(words, bold=True) + sheet.em(0.8) if cards else 0
    room = room.inset(right=told)  # beside the set, which stays whole
    step = min(wide * 3 // 5, (room.w - wide) // max(1, len(cards) - 1))
    spots = [Box(room.x + number * step, cell.y, wide, cell.h) for number in range(max(1, len(cards)))]
    whole = spots[0]._replace(w=spots[-1].right - room.x)
    if guide.tapped_region == place.region:
        sheet.box(whole.inflate(sheet.em(0.4), sheet.em(0.4)), GOLD, radius=0.4)
    if not cards:
        sheet.box(whole, None, GOLD if place.active else blend(FELT, TEXT, 0.3))
        sheet.text(whole, str(place.number or ""), 1.6, SOFT, bold=True, align="center")
    for at, (spot, card) in enumerate(zip(spots, cards, strict=False)):
        picture = draw_turned_card(sheet, card, spot.size, 0)
        sheet.picture(picture, spot.center)
        sheet.place(f"lies:{place.region}:{at}", around(spot.center, *picture.get_size()), (card,), picture)
    if cards:
        plaque = stack(whole._replace(x=whole.right + sheet.em(0.2), w=told), told, sheet.em(1.5))
        sheet.pill(plaque, INK)
        sheet.text(plaque, words, 1.0, TEXT, bold=True, align="center")
    if guide.chooses:
        sheet.target(f"place:{place.region}", cell, guide_action(f"place:{place.region}"))
