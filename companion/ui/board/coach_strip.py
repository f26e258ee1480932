"""Draws a lesson on the stage: the coach's strip below, and what is on the felt while a lesson speaks."""

from dataclasses import replace
from typing import NamedTuple

from msgspec import structs

from companion.core.view import Guidance, Sentence
from companion.ui.board.headline import is_loud
from companion.ui.board.lesson_cards import (
    FACES,
    FAN,
    draw_turned_card,
    guide_action,
    paint_card_layout,
    paint_card_row,
    paint_fan,
    place_name,
)
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import ControlGuide, ShowPage
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import FILL, Box, Share, columns, rows, stack
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import (
    BAD,
    EDGE,
    GOLD,
    GOOD,
    INK,
    LOOK,
    NOTICE,
    PANEL,
    PAPER,
    RAISED,
    SOFT,
    TEXT,
    Colour,
    ink_on,
    type_scale,
)
from companion.ui.toolkit.widgets import draw_press_sign, paint_avatar, paint_felt, paint_halo

COACH = LOOK.coach
MOST_LINES = 6
"""Of what is said; the felt gives way."""
ONE_BUTTON = (("tap", "other"), ("hold", "choose"))
"""What a press does with the answers to a question: press, and the end of its catalogue key."""


class CoachButton(NamedTuple):
    """A button of the strip: catalogue key, key of the target, what it does."""

    words: str
    key: str
    action: TouchAction


def is_coached(frame: GameFrame) -> bool:
    """Whether a lesson or a hint speaks below the stage."""
    return frame.guide is not None and frame.guide.kind != "practice"


def coach_buttons(guide: Guidance) -> tuple[CoachButton, ...]:
    """The buttons, what goes on first, so that the shared buttons reach it first."""
    if guide.accepts_play or guide.kind == "over":
        keys = {"note": ("understood",), "warn": ("understood",), "round": (), "over": ("next",)}
        first = keys.get(guide.kind, (*(("show",) if guide.shows else ()), "again"))
        skip = ("skip",) if guide.kind in {"wait", "round"} else ()
        does = {"understood": "next"}
        return tuple(
            CoachButton(f"ui.lesson.{one}", f"guide:{does.get(one, one)}", guide_action(does.get(one, one)))
            for one in (*first, "repeat", *skip)
        )
    onward = {"wrong": "ui.lesson.once_more", "lay": "ui.lesson.laid", "done": "ui.home"}
    onto = touch_action(ShowPage("home")) if guide.kind == "done" else guide_action("next")
    goes_on = CoachButton(onward.get(guide.kind, "ui.lesson.next"), "next", onto)
    onto_next = () if guide.kind == "quiz" else (goes_on,)
    repeat = CoachButton("ui.lesson.repeat", "repeat", guide_action("repeat"))
    past = () if guide.kind == "done" else (CoachButton("ui.lesson.skip", "skip", guide_action("skip")),)
    return (*onto_next, repeat, *past)


def said_lines(sheet: Sheet, guide: Guidance) -> list[tuple[str, Colour]]:
    """What the strip says in one sentence: what to know. What to do or to answer stands above.

    Where there is nothing to know, what the step is about; a hint of the ramp says first what it is.
    """
    title = (sheet.sentence(guide.title), BAD if guide.kind == "warn" else SOFT)
    note = [] if guide.note is None else [(sheet.sentence(guide.note), TEXT if guide.good else NOTICE)]
    said = [(sheet.sentence(guide.say), TEXT)]
    match guide.kind:
        case "note" | "warn":
            return [*note, title, *said]
        case "wrong" | "quiz":
            return note
        case "lay":
            return _camera_lines(sheet, guide) or [title]
        case "wait" if guide.shows:
            return note or [title]
        case _:
            return said


def _camera_lines(sheet: Sheet, guide: Guidance) -> list[tuple[str, Colour]]:
    """Whether the camera sees the cards where they belong; nothing where none has looked."""
    if guide.seen:
        return [(sheet.tr("ui.lesson.seen"), GOOD)]
    if not guide.misplaced:
        return []
    where = ", ".join(place_name(sheet, name) for name in guide.misplaced[:4])
    return [(sheet.tr("ui.lesson.misplaced", where=where), NOTICE)]


def lesson_table(sheet: Sheet, frame: GameFrame, guide: Guidance) -> GameFrame:
    """The table as a lesson shows it: what the learner has to do stands above it, and nowhere else.

    After a mistake nobody is asked, and the headline says what it led to, and below it what to lay back;
    where the learner should do nothing, no choice of theirs shines. The others are played by the lesson.
    """
    view, wrong = frame.view, guide.kind == "wrong"
    if view.dark or guide.kind not in {"wait", "wrong"}:  # a hand that is shown to the camera has its page
        return frame
    idle = guide.kind == "wait" and not guide.shows
    everybody = wrong or (idle and is_window_open(view))  # else the count invites the learner with the others
    chairs = tuple(
        structs.replace(one, asked=False, choices=())
        if everybody or (idle and one.chair == guide.chair)
        else one
        if one.chair == guide.chair
        else structs.replace(one, choices=())
        for one in view.chairs
    )
    view = structs.replace(view, chairs=chairs, hint=None)
    if not wrong:
        view = structs.replace(view, headline=view.headline if idle else guide.say)
        return replace(frame, view=view, say=frame.say if is_loud(frame) else None)
    standing = [line for line in frame.log if not line.retracted]
    ruled = next((line.sentence for line in standing if line.seq == standing[-1].seq), guide.title)
    back = " ".join([sheet.tr("ui.lesson.put_back"), *map(sheet.sentence, guide.back)]) if guide.back else ""
    hint = Sentence("lesson.plain", (("value", back),)) if back else None
    return replace(frame, view=structs.replace(view, headline=ruled, hint=hint, shared=()), say=ruled)


def points_by_keys(frame: GameFrame, guide: Guidance) -> bool:
    """Whether the learner chooses a place by the shared buttons, for which a keyboard's arrows stand."""
    return frame.by_keys and any(one.action.seat == guide.chair for one in frame.view.shared)


def own_hand(frame: GameFrame, guide: Guidance) -> tuple[str, ...]:
    """The cards that the lesson dealt to the learner, while they are all in the hand."""
    held = next((chair.cards for chair in frame.view.chairs if chair.chair == guide.chair), 0)
    mine = next((row[2] for row in guide.lay if row[:2] == ("", guide.chair)), ())
    return mine if len(mine) == held else ()


class CoachStrip:
    """The strip of one frame: measured first, then painted."""

    def __init__(self, sheet: Sheet, frame: GameFrame, key: str) -> None:
        """`key`: the key that takes the place of the learner's button; empty: there is a button."""
        assert frame.guide is not None
        guide = frame.guide
        self._sheet, self._frame, self._guide, self._key = sheet, frame, guide, key
        self._gap = sheet.em(0.35)
        side = sheet.u(COACH["edge"])
        area = sheet.rect.inset(left=side, right=side, bottom=sheet.u(COACH["bottom"]))
        self._upright = area.h > area.w
        self._buttons = coach_buttons(self._guide)
        self._row = max(sheet.em(1.7), sheet.min_touch_height)
        self._buttons_high = 2 * self._row + self._gap // 2
        inner = area.w - 2 * self._gap
        wanted = sum(self._column_widths()) + self._gap * len(self._column_widths())
        across = inner if self._upright else min(wanted, round(inner * COACH["buttons"]))
        room = inner - (0 if self._upright else across + self._gap)
        most = sheet.u(COACH["low" if guide.shows_game else "most"])
        playing = guide.kind == "wait"
        self._lines = said_lines(sheet, guide)
        if guide.kind == "wait" and guide.shows and points_by_keys(frame, guide):
            self._lines = [(sheet.tr("ui.lesson.arrows"), TEXT)]
        for shows_hand in (playing and not self._upright, False):  # what to know comes before the own hand
            self._hand = own_hand(frame, guide) if shows_hand else ()
            self._scale = COACH["words"]
            self._words_wide = room - self._lead_width()
            while self._words_height() > most and self._scale > 1:
                self._scale = max(1.0, self._scale * LOOK.text["step"])
            if self._words_height() <= most:
                break
        self._across = across
        learner = sheet.u(COACH["badge"]) + (sheet.em(1.3) if key else 0)
        high = max(self._words_height(), learner, 0 if self._upright else self._buttons_high)
        foot = self._buttons_high + self._gap if self._upright else 0
        self.rect = stack(area, area.w, high + 2 * self._gap + foot, "bottom")

    def _column_widths(self) -> list[int]:
        """The buttons stand in two rows; the menu's is the last."""
        sheet = self._sheet
        wide = [sheet.text_width(sheet.tr(one.words), bold=True) + sheet.em(1.1) for one in self._buttons]
        wide.append(sheet.em(1.9))
        return [max(wide[place : place + 2]) for place in range(0, len(wide), 2)]

    def _lead_width(self) -> int:
        """What the learner's badge, the key and the hand take of the width."""
        key = 0
        if self._key:
            key = self._sheet.text_width(self._sheet.tr("ui.lesson.key", name=self._key.upper()), bold=True)
        badge = max(self._sheet.u(COACH["badge"]), key + self._sheet.em(0.6))
        return badge + 2 * self._gap + len(self._hand) * self._sheet.u(COACH["card"])

    def _words_height(self) -> int:
        line = self._sheet.painter.line_height(self._scale)
        return line * sum(len(self._fit(words)) for words, _ in self._lines)

    def _fit(self, words: str) -> tuple[str, ...]:
        tall = MOST_LINES * self._sheet.painter.line_height(self._scale)
        return self._sheet.painter.fit_text(
            words, self._words_wide, tall, self._scale, bold=True, least=self._scale
        ).lines

    def paint(self) -> None:
        """Who learns, what is said, the own hand, and the buttons; along the upper edge, how far it is."""
        sheet, guide, gap = self._sheet, self._guide, self._gap
        sheet.box(self.rect, PANEL, EDGE, radius=0.5)
        self._paint_progress()
        inner = self.rect.inflate(-2 * gap, -2 * gap)
        if self._upright:
            inner, foot = rows(inner, FILL, self._buttons_high, gap=gap)
        else:
            inner, foot = columns(inner, FILL, self._across, gap=gap)
        lead, words = columns(inner, self._lead_width() - 2 * gap, FILL, gap=2 * gap)
        lead, cards = columns(lead, FILL, len(self._hand) * sheet.u(COACH["card"]))
        self._paint_learner(lead)
        if self._hand:
            row = ("", None, self._hand)
            paint_card_row(sheet, cards, row, self._frame.board.card_name_prefixes)
        if guide.kind == "quiz" and not self._lines:
            self._paint_legend(words)
        heights = [len(self._fit(said)) * sheet.painter.line_height(self._scale) for said, _ in self._lines]
        for (said, colour), spot in zip(self._lines, rows(words, *heights, justify="center"), strict=True):
            sheet.text(spot, said, self._scale, colour, bold=True, least=1.0, grows=False)
        self._paint_buttons(foot)

    def _paint_progress(self) -> None:
        sheet, guide = self._sheet, self._guide
        if not guide.steps:
            return
        line = sheet.u(COACH["line"])
        edge = Box(self.rect.x, self.rect.y - line // 2, self.rect.w, line).inflate(-2 * sheet.em(1), 0)
        for step, part in enumerate(columns(edge, *[Share(1)] * guide.steps, gap=self._gap // 2), 1):
            sheet.pill(part, GOOD if step < guide.step else GOLD if step == guide.step else RAISED)

    def _paint_learner(self, rect: Box) -> None:
        """Whose lesson it is, and which key is that player's button."""
        sheet = self._sheet
        size = min(sheet.u(COACH["badge"]), rect.h)
        if not self._key:
            paint_avatar(sheet, rect.center, size, self._guide.chair)
            return
        upper, lower = rows(rect, FILL, sheet.em(1.3))
        paint_avatar(sheet, upper.center, min(size, upper.h), self._guide.chair)
        words = sheet.tr("ui.lesson.key", name=self._key.upper())
        cap = stack(lower, min(lower.w, sheet.text_width(words, bold=True) + sheet.em(0.5)), lower.h)
        sheet.box(cap, PAPER, radius=0.25)
        sheet.text(cap, words, 1.0, INK, bold=True, align="center")

    def _paint_legend(self, rect: Box) -> None:
        """What the learner's own button does at a question."""
        sheet, scale = self._sheet, COACH["words"]
        side, line = sheet.em(0.95 * scale), sheet.painter.line_height(scale)
        spots = rows(rect, *[line] * len(ONE_BUTTON), justify="center")
        for (press, what), row in zip(ONE_BUTTON, spots, strict=True):
            sign, words = columns(row, side, FILL, gap=sheet.em(0.25))
            sheet.picture(draw_press_sign(sheet, press, side, SOFT), sign.center)
            sheet.text(words, sheet.tr(f"ui.lesson.{what}"), scale, SOFT, least=1.0, grows=False)

    def _paint_buttons(self, rect: Box) -> None:
        sheet, gap = self._sheet, self._gap
        widths = self._column_widths()
        room = rect.w - gap * len(widths)
        share = min(1.0, room / sum(widths))
        grid = columns(
            stack(rect, rect.w, self._buttons_high),
            *[int(one * share) for one in widths],
            gap=gap,
            justify="end",
        )
        spots = [spot for column in grid for spot in rows(column, Share(1), Share(1), gap=gap // 2)]
        for place, (one, spot) in enumerate(zip(self._buttons, spots, strict=False)):
            first = place == 0 and one.key in {"next", "guide:next", "guide:show"}
            fill = GOLD if first else RAISED
            sheet.button(spot, sheet.tr(one.words), one.key, one.action, bold=True, fill=fill)
        menu = spots[len(self._buttons)]
        sheet.button(menu, "", "bar:menu", touch_action(overlay="menu"))
        sheet.picture(draw_icon(sheet, "menu", sheet.em(0.9), ink_on(RAISED)), menu.center)


def paint_lesson_stage(sheet: Sheet, area: Box, frame: GameFrame, guide: Guidance) -> None:
    """What lies on the felt while a lesson speaks and the game waits: cards to lay out, or answers."""
    edge = sheet.u(COACH["edge"])
    upright = area.h > area.w
    head_high = sheet.u(LOOK.stage["head_upright" if upright else "head_end"] - LOOK.stage["head_top"])
    inner = area.inset(
        left=edge, right=edge, top=sheet.u(LOOK.stage["head_top"]), bottom=sheet.u(COACH["line"])
    )
    head, felt = rows(inner, head_high, FILL, gap=edge)
    asked = guide.kind == "quiz"
    over = guide.say if asked or guide.kind == "lay" else guide.note or guide.title
    told = sheet.sentence(over)
    _paint_title(sheet, head, told, guide)
    paint_felt(sheet, felt)
    field = felt.inflate(-2 * sheet.u(COACH["felt"]), -2 * sheet.u(COACH["felt"]))
    if asked:
        _paint_answers(sheet, field, frame, guide)
    elif guide.kind == "done":
        paint_halo(sheet, field.center, field.h * 4 // 3)
        paint_avatar(sheet, field.center, field.h * 3 // 4, guide.chair, lit=True)
    elif guide.kind != "lay" and own_hand(frame, guide):
        paint_fan(sheet, field, own_hand(frame, guide), guide)
    elif guide.kind == "lay":
        _paint_layout(sheet, field, frame, guide)
    elif guide.lay:
        paint_card_layout(sheet, field, guide, frame.board.card_name_prefixes)


def _paint_title(sheet: Sheet, rect: Box, words: str, guide: Guidance) -> None:
    """The question, or what the step is called, beside the learner's avatar."""
    size = min(sheet.u(LOOK.avatar["prompt"]), rect.h)
    fitted = sheet.painter.fit_text(words, rect.w - 2 * size, rect.h, type_scale("prompt"), bold=True)
    widest = max(sheet.text_width(one, fitted.scale, bold=True) for one in fitted.lines)
    avatar, title = columns(rect, size, widest + sheet.em(0.2), gap=size // 4, justify="center")
    paint_halo(sheet, avatar.center, size * 4 // 3)
    paint_avatar(sheet, avatar.center, size, guide.chair, lit=True)
    sheet.text(title, words, fitted.scale, TEXT, bold=True)


def _paint_answers(sheet: Sheet, field: Box, frame: GameFrame, guide: Guidance) -> None:
    """The answers as cards or large plates; a wrong one lies large above the others, with why it is wrong."""
    gap, pictured = sheet.em(0.5), any(guide.answer_cards)
    if guide.mistaken and pictured:
        shown, field = rows(field, Share(5), Share(4), gap=gap)
        _paint_wrong_cards(sheet, shown, guide.answer_cards[guide.mistaken - 1])
    split = columns if pictured and field.w > field.h else rows
    cells = split(field, *[Share(1)] * len(guide.answers), gap=gap)
    for place, (cell, answer) in enumerate(zip(cells, guide.answers, strict=True), 1):
        wrong, words = place == guide.mistaken, sheet.sentence(answer)
        # At the next question the focus begins at the first answer again.
        answered = touch_action(ControlGuide(f"answer:{place}"), typed="", focus="")
        if pictured:
            below = "" if guide.mistaken or words.isdigit() else words  # then the cards need the room
            _paint_card_answer(sheet, cell, below, guide.answer_cards[place - 1], wrong=wrong)
        else:
            plate = stack(cell, cell.w, min(cell.h, sheet.u(COACH["answer"])))
            sheet.box(plate, EDGE if wrong else PAPER, radius=0.6)
            told = plate.inflate(-2 * gap, 0)
            sheet.text(told, words, COACH["said"], SOFT if wrong else INK, bold=True, align="center")
        if not wrong:
            sheet.target(f"answer:{place}", cell, answered)


def _paint_wrong_cards(sheet: Sheet, rect: Box, cards: tuple[str, ...]) -> None:
    """Cards that were chosen wrongly, and what tells them apart between them, else beside them."""
    gap, why = sheet.em(0.4), _difference(cards)
    sign = min(rect.h * 2 // 3, sheet.em(3))
    between = sign * 2 if why != "×" else sign
    wide = round(rect.h * FAN["shape"])
    first, rest = (cards[:1], cards[1:]) if why != "×" else (cards, ())
    widths = (*[wide] * len(first), between, *[wide] * len(rest))
    spots = columns(rect, *widths, gap=gap, justify="center")
    for spot, card in zip((*spots[: len(first)], *spots[len(first) + 1 :]), cards, strict=True):
        _paint_answer_picture(sheet, spot, card)
    _paint_not(sheet, stack(spots[len(first)], between, sign), why)


def _paint_card_answer(sheet: Sheet, cell: Box, words: str, cards: tuple[str, ...], *, wrong: bool) -> None:
    """The cards that an answer names, and `words`, if any; of a wrong one only its place is left."""
    gap = sheet.em(0.3)
    below = 3 * sheet.line_height
    upper, lower = rows(cell.inflate(-gap, -gap), FILL, below if words else 0, gap=gap)
    sheet.box(cell, None if wrong else RAISED, SOFT if wrong else EDGE)
    if wrong:
        return
    high = min(upper.h, sheet.u(COACH["shown"]))
    wide = min(round(high * FAN["shape"]), round((upper.w - gap * (len(cards) - 1)) / max(1, len(cards))))
    for spot in zip(columns(upper, *[wide] * len(cards), gap=gap, justify="center"), cards, strict=True):
        _paint_answer_picture(sheet, *spot)
    if words:
        sheet.text(lower, words, COACH["named"], TEXT, bold=True, align="center")


def _paint_answer_picture(sheet: Sheet, spot: Box, picture: str) -> None:
    """A card, a player (`seat:0`), a number that stands on none (`figure:3`), or a sign such as `fox`."""
    kind, _, value = picture.partition(":")
    side = min(spot.size)
    if kind == "seat":
        paint_avatar(sheet, spot.center, side * 4 // 5, int(value))
    elif kind == "figure":
        scale = min(spot.h / sheet.line_height, spot.w / sheet.text_width(value, bold=True)) * 0.7
        sheet.text(spot, value, scale, TEXT, bold=True, align="center")
    elif not value:
        sheet.picture(sheet.art.motif(picture, side * 4 // 5), spot.center)
    else:
        wide = min(spot.w, round(spot.h * FAN["shape"]))
        sheet.picture(draw_turned_card(sheet, picture, (wide, round(wide / FAN["shape"])), 0), spot.center)


def _difference(cards: tuple[str, ...]) -> str:
    """Why two cards that were chosen are none of the kind that was asked for: `5 ≠ 6`."""
    values = tuple(dict.fromkeys(card.partition(":")[2] for card in cards))
    if len(cards) != 2 or len(values) != 2:
        return "×"
    if all(card.startswith(FACES) for card in cards):
        return "≠"
    return " ≠ ".join(values) if all(value.isdigit() for value in values) else "×"


def _paint_not(sheet: Sheet, rect: Box, words: str) -> None:
    """A sign on paper over an answer that was wrong."""
    before, unequal, _ = words.partition("≠")
    words = words.replace("≠", "=")  # the font draws the stroke beside it
    scale = min(COACH["not"], rect.h / sheet.line_height)
    wide = max(rect.h, min(rect.w, sheet.text_width(words, scale, bold=True) + sheet.em(0.8)))
    paper = stack(rect, wide, rect.h)
    sheet.box(paper, PAPER, BAD, radius=0.3)
    written = sheet.text(paper, words, scale, INK, bold=True, align="center", grows=False)
    if unequal:
        sign = sheet.text_width("=", scale, bold=True)
        x = written.x + sheet.text_width(before, scale, bold=True) + sign // 2
        reach = sign * 2 // 3
        sheet.line(
            BAD, 0.16, (x - reach // 2, paper.centery + reach), (x + reach // 2, paper.centery - reach)
        )


def _paint_layout(sheet: Sheet, field: Box, frame: GameFrame, guide: Guidance) -> None:
    """The cards to lay out now, large, and an arrow to where they go; those of a ring as they lie in it."""
    gap = sheet.em(0.6)
    if len(guide.lay) > 1:
        _paint_ring(sheet, field, guide)
        return
    name, chair, cards = guide.lay[0]
    side, count = min(field.h, field.w // 4), len(cards)
    room = field.w - side * 3 // 2 - gap * (count + 1)
    wide = min(round(field.h * FAN["shape"]), room // count)
    *spots, arrow, place = columns(field, *[wide] * count, side // 2, side, gap=gap, justify="center")
    for spot, card in zip(spots, cards, strict=True):
        sheet.picture(draw_turned_card(sheet, card, (wide, round(wide / FAN["shape"])), 0), spot.center)
    _paint_arrow(sheet, arrow)
    if chair is not None:
        paint_halo(sheet, place.center, side)
        paint_avatar(sheet, place.center, side * 3 // 5, chair, lit=True)
        return
    spot = stack(place, round(side * 0.7), side)
    back = next((one.card for one in frame.view.places if one.region == name and name == "deck"), "")
    if back:
        sheet.picture(draw_turned_card(sheet, back, spot.size, 0), spot.center)
        return
    sheet.box(spot, None, GOLD, width=0.15)
    sheet.text(spot.inflate(-gap, 0), _place_words(sheet, name), 2.2, GOLD, bold=True, align="center")


def _paint_arrow(sheet: Sheet, rect: Box) -> None:
    """To the right, on the felt."""
    (x, y), reach = rect.center, rect.w // 2
    neck, thick = x + reach // 5, max(2, reach // 6)
    sheet.fill(Box(rect.x, y - thick, neck - rect.x, 2 * thick), PAPER)
    sheet.polygon(PAPER, [(neck, y - reach // 2), (x + reach, y), (neck, y + reach // 2)])


def _place_words(sheet: Sheet, region: str) -> str:
    """What a place is called, and its number."""
    kind, _, number = region.partition(":")
    called = sheet.tr(f"ui.place.{kind}")
    return f"{called} {number}" if number else called


def _paint_ring(sheet: Sheet, field: Box, guide: Guidance) -> None:
    """Cards of a ring: half of them above, the others below, clockwise, each with its place's number."""
    count = len(guide.lay)
    upper, lower = rows(field, Share(1), Share(1), gap=sheet.em(0.4))
    above = -(-count // 2)
    cells = (
        *columns(upper, *[Share(1)] * above),
        *reversed(columns(lower, *[Share(1)] * (count - above))),
    )
    for cell, (name, _, cards) in zip(cells, guide.lay, strict=True):
        wide = min(round(cell.h * FAN["shape"]), cell.w - sheet.em(0.4))
        size = (wide, round(wide / FAN["shape"]))
        sheet.picture(draw_turned_card(sheet, cards[-1], size, 0), cell.center)
        spot = stack(stack(cell, *size), sheet.em(1.6), sheet.em(1.4), "bottom")
        sheet.pill(spot, INK)
        sheet.text(spot, place_name(sheet, name), 1.1, GOLD, bold=True, align="center")
