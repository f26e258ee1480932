"""Draws a lesson on the stage: the coach's strip below, and what is on the felt while a lesson speaks."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import pygame
from msgspec import structs

from companion.core.view import Guidance, Sentence
from companion.ui.board.headline import is_loud, steps_through_answers
from companion.ui.board.lesson_cards import (
    FACES,
    FAN,
    card_name,
    draw_turned_card,
    guide_action,
    is_card,
    own_hand,
    paint_answer_picture,
    paint_card_row,
    paint_prompt_line,
    paint_tick,
    place_name,
    points_at_places,
)
from companion.ui.board.practice_panel import (
    FEW_CHOICES,
    lesson_hand,
    shows_lesson_sets,
    steps_through_choices,
)
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import ControlGuide
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import FILL, Box, Share, columns, rows, stack
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import (
    BAD,
    EDGE,
    FELT,
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
    blend,
    ink_on,
)
from companion.ui.toolkit.widgets import paint_avatar, paint_felt, paint_halo, paint_held_sign

COACH = LOOK.coach
FELT_LINE = blend(FELT, TEXT, 0.3)
"""Between what was wrong and what is left."""
DIM = 150
"""Of 255: how much of the felt lies over an answer that was wrong."""
MOST_NAMED = 3
"""Lines below the cards of an answer."""
ROW_OF_PLACES = 4
"""So few cards to lay out in places lie in one row."""
MOST_ABREAST = 6
"""Pictures side by side; more groups of them lie one below the other."""
ONE_LINE = 1.3
"""How large what is said in one line is at least; the buttons then stand beside it in one row."""
SIGN = 1.2
"""The sign of a press, by the letters beside it."""
MOST_LINES = 6
"""Of what is said; the felt gives way."""
ONE_BUTTON = (("tap", "other"), ("hold", "choose"))
"""What a press does with the answers to a question: press, and the end of its catalogue key."""


class CoachButton(NamedTuple):
    """A button of the strip: its words, key of the target, what it does."""

    words: Sentence
    key: str
    action: TouchAction


def is_coached(frame: GameFrame) -> bool:
    """Whether a lesson or a hint speaks below the stage."""
    return frame.guide is not None and frame.guide.kind not in {"practice", "held"}


def coach_buttons(guide: Guidance) -> tuple[CoachButton | None, ...]:
    """What goes on, if a press does, as high as the strip, or what the tapped cards make; then the others."""
    onward = {
        "wrong": "ui.lesson.once_more",
        "lay": "ui.lesson.laid",
        "note": "ui.lesson.understood",
        "warn": "ui.lesson.understood",
    }
    small = {
        "show": guide.kind == "wait" and guide.shows,
        "again": guide.begun,
        "repeat": guide.kind != "well",  # praise leaves by itself, and its words have the room
        "skip": guide.steps > 0 and guide.kind not in {"over", "well"},
    }
    first: CoachButton | None = CoachButton(
        Sentence(onward.get(guide.kind, "ui.lesson.next")), "next", guide_action("next")
    )
    made = [CoachButton(words, "answer:1", guide_action("answer:1")) for words in guide.answers[:1]]
    if guide.kind in {"wait", "quiz", "round"}:
        first = made[0] if made and guide.chooses else None
    named = ((Sentence(f"ui.lesson.{one}"), one) for one, there in small.items() if there)
    return (first, *(CoachButton(words, one, guide_action(one)) for words, one in named))


def said_lines(sheet: Sheet, frame: GameFrame, guide: Guidance) -> list[tuple[str, Colour]]:
    """What the strip says in one sentence: what to know. What to do or to answer stands above.

    A hint of the ramp says first what it is; beside Continue alone stands no title.
    """
    title = (sheet.sentence(guide.title), BAD if guide.kind == "warn" else SOFT)
    is_told = title[0].rstrip(".!").casefold() in sheet.sentence(guide.say).casefold()
    named = [] if is_told else [title]
    note = [] if guide.note is None else [(sheet.sentence(guide.note), TEXT if guide.good else NOTICE)]
    said = [(sheet.sentence(guide.say), TEXT)]
    match guide.kind:
        case "note" | "warn":
            return [*note, title, *said]
        case "well":
            return [(words, GOOD) for words, _ in note]
        case "wrong" | "quiz":
            return note
        case "lay":
            return _camera_lines(sheet, guide) or named
        case "say":
            return note
        case "wait" if guide.chooses:  # then the button says it
            waits = not guide.tapped and not guide.tapped_region and not guide.answers
            return note or ([(sheet.tr("ui.lesson.cards"), SOFT)] if waits else [])
        case "wait" if guide.touch_verb:
            return note or [(sheet.tr("lesson.practice.touch"), SOFT)]
        case "wait" if guide.shows:
            return note or ([] if steps_through_choices(frame, guide) else named)
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


def is_on_table(guide: Guidance) -> bool:
    """Whether the table is seen while a lesson speaks: as it stands, unless it speaks of pictures."""
    return guide.shows_game or (guide.kind == "say" and not guide.pictures)


def lesson_table(sheet: Sheet, frame: GameFrame, guide: Guidance) -> GameFrame:
    """The table as a lesson shows it: what to do stands above it, and nowhere else.

    While the learner watches, that is what the others are asked.

    After what was done nobody is asked, and the headline says what it led to, and below it what to lay back;
    where the learner should do nothing, no choice of theirs shines. The others are played by the lesson; what
    they are asked then stands on their plates.
    """
    view, done = frame.view, guide.kind in {"wrong", "well"}
    if view.dark or guide.kind not in {
        "say",
        "wait",
        "wrong",
        "well",
    }:  # a hand shown to the camera has its page
        return frame
    if guide.kind == "say":
        chairs = tuple(structs.replace(one, asked=False, choices=()) for one in view.chairs)
        told = structs.replace(guide.say, parts=())  # names nobody, so that no plate shines
        view = structs.replace(view, chairs=chairs, headline=told, hint=None, shared=())
        return replace(frame, view=view, say=None)
    idle = guide.kind == "wait" and not guide.shows
    called = not idle and not done and not is_window_open(view)  # the lesson calls, whoever the game asks
    everybody = done or (idle and is_window_open(view))  # else the count invites the learner with the others
    chairs = tuple(
        structs.replace(one, asked=False, choices=())
        if everybody or (idle and one.chair == guide.chair)
        else one
        if one.chair == guide.chair or (idle and one.asked and len(one.choices) <= FEW_CHOICES)
        else structs.replace(one, choices=())
        for one in view.chairs
    )
    if called:
        chairs = tuple(structs.replace(one, asked=one.chair == guide.chair) for one in chairs)
    view = structs.replace(view, chairs=chairs, hint=None)
    if idle:
        return replace(frame, view=view, say=frame.say if is_loud(frame) else None)
    if not done:
        view = structs.replace(view, headline=_with_parts(sheet, guide.say, view.headline))
        return replace(frame, view=view, say=frame.say if is_loud(frame) else None)
    standing = [line for line in frame.log if not line.retracted]
    if guide.kind == "well":  # what broke no rule is praised; the drawn table may be read too late for it
        standing = [line for line in standing if ".rule." not in line.sentence.key]
    ruled = next((line.sentence for line in standing if line.seq == standing[-1].seq), guide.title)
    if dict(ruled.parts).get("chair") == guide.chair:  # nobody is told by colour what they did themselves
        ruled = structs.replace(ruled, parts=(("told", "you"), *ruled.parts))
    back = " ".join([sheet.tr("ui.lesson.put_back"), *map(sheet.sentence, guide.back)]) if guide.back else ""
    hint = Sentence("lesson.plain", (("value", back),)) if back else None
    return replace(frame, view=structs.replace(view, headline=ruled, hint=hint, shared=()), say=ruled)


def without_touched(frame: GameFrame, guide: Guidance) -> GameFrame:
    """The table without the choices that a finger on a place or on the own cards makes."""
    view, verb = frame.view, guide.touch_verb
    if not verb and not guide.chooses:
        return frame
    chairs = tuple(
        structs.replace(
            one,
            choices=()
            if guide.chooses and one.chair == guide.chair
            else tuple(choice for choice in one.choices if choice.action.verb != verb),
        )
        for one in view.chairs
    )
    shared = () if guide.chooses else tuple(one for one in view.shared if one.action.verb != verb)
    return replace(frame, view=structs.replace(view, chairs=chairs, shared=shared))


def _with_parts(sheet: Sheet, said: Sentence, asked: Sentence) -> Sentence:
    """What the lesson says, with whom and what the game asks, by which the middle of the table is drawn."""
    both = structs.replace(said, parts=asked.parts)
    return both if sheet.sentence(both) == sheet.sentence(said) else said


class CoachStrip:
    """The strip of one frame: measured first, then painted."""

    def __init__(self, sheet: Sheet, frame: GameFrame, key: str) -> None:
        """`key`: the key that takes the place of the learner's button; empty: there is a button."""
        assert frame.guide is not None
        guide = frame.guide
        key = key if guide.kind in {"wait", "quiz", "round"} and not guide.chooses else ""
        self._sheet, self._frame, self._guide, self._key = sheet, frame, guide, key
        self._gap = sheet.em(0.35)
        side = sheet.u(COACH["edge"])
        area = sheet.rect.inset(left=side, right=side, bottom=sheet.u(COACH["bottom"]))
        self._upright = area.h > area.w
        self._buttons = coach_buttons(self._guide)
        self._row = max(sheet.em(1.7), sheet.min_touch_height)
        inner = area.inflate(-2 * self._gap, 0)
        self._lines = said_lines(sheet, frame, guide)
        if guide.kind == "wait" and guide.shows and frame.by_keys and points_at_places(frame, guide):
            self._lines = [(sheet.tr("ui.lesson.arrows"), TEXT)]
        sets = shows_lesson_sets(frame, area)  # beside which the hand lies
        playing = guide.kind == "wait" and lesson_hand(frame, area) is None and not sets
        hand = own_hand(frame, guide) if playing and not self._upright else ()
        self._hand: tuple[str, ...] = ()
        self._deep = 1  # rows of buttons
        if self._upright or hand or not self._is_one_line(inner.w):
            self._deep = 2
        share = COACH["chosen" if guide.chooses and guide.note is None else "buttons"] ** (self._deep - 1)
        across = inner.w if self._upright else min(self._across_wanted(), round(inner.w * share))
        room = inner.w - (0 if self._upright else across + self._gap)
        most = sheet.u(COACH["low" if is_on_table(guide) else "most"])
        most = self._row if self._deep == 1 else most if self._upright else max(most, self._buttons_high)
        for shown in (hand, ()):  # what to know comes before the own hand
            self._hand, self._scale = shown, COACH["words"]
            self._words_wide = room - self._lead_width()
            while self._words_height() > most and self._scale > 1:
                self._scale = max(1.0, self._scale * LOOK.text["step"])
            if self._words_height() <= most:
                break
        self._across = across
        learner = sheet.u(COACH["badge"]) + (sheet.em(1.3) if key else 0) if self._deep > 1 else 0
        high = max(self._words_height(), learner, 0 if self._upright else self._buttons_high)
        foot = self._buttons_high + self._gap if self._upright else 0
        self.rect = stack(area, area.w, high + 2 * self._gap + foot, "bottom")

    @property
    def _buttons_high(self) -> int:
        return self._deep * self._row + (self._deep - 1) * self._gap // 2

    def _is_one_line(self, wide: int) -> bool:
        """Whether all that is said has room in one line, beside the buttons in one row."""
        if self._guide.watched is not None or len(self._lines) > 1 or (not self._lines and self._steps()):
            return False
        said = sum(self._sheet.text_width(words, ONE_LINE, bold=True) for words, _ in self._lines)
        return self._lead_width() + said + self._across_wanted() + self._gap <= wide

    def _across_wanted(self) -> int:
        return sum(self._column_widths()) + self._gap * len(self._column_widths())

    def _column_widths(self) -> list[int]:
        """The golden button has a column of its own; the others stand in rows, the menu's is the last."""
        sheet, (first, *small) = self._sheet, self._buttons
        wide = [
            sheet.text_width(sheet.sentence(one.words), bold=True) + sheet.em(1.1) for one in small if one
        ]
        wide.append(sheet.em(1.9))
        alone = [] if first is None else [self._golden_width(first)]
        deep = self._deep
        return [*alone, *(max(wide[place : place + deep]) for place in range(0, len(wide), deep))]

    def _golden_width(self, button: CoachButton) -> int:
        sheet = self._sheet
        words = sheet.text_width(sheet.sentence(button.words), COACH["golden"], bold=True)
        return max(words + sheet.em(1.4), self._buttons_high)

    def _lead_width(self) -> int:
        """What the learner's badge, the key and the hand take of the width."""
        key = 0
        if self._key:
            key = self._sheet.text_width(self._sheet.tr("ui.lesson.key", name=self._key.upper()), bold=True)
        badge, key = self._sheet.u(COACH["badge"]), key + self._sheet.em(0.6)
        wide = max(badge, key) if self._deep > 1 or not self._key else badge + key
        return wide + 2 * self._gap + len(self._hand) * self._sheet.u(COACH["card"])

    def _words_height(self) -> int:
        line = self._sheet.painter.line_height(self._scale)
        bar = 0 if self._guide.watched is None else self._sheet.u(COACH["watched"])
        return line * sum(len(self._fit(words)) for words, _ in self._lines) + bar

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
        if not self._lines and self._steps():
            self._paint_legend(words)
        if guide.watched is not None:
            words, bar = rows(words, FILL, sheet.u(COACH["watched"]))
            sheet.pill(bar, RAISED)
            sheet.moving["watched"] = bar
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
        low = self._deep > 1
        split, key_size = (rows, sheet.em(1.3)) if low else (columns, rect.w - size)
        upper, lower = split(rect, FILL, key_size)
        paint_avatar(sheet, upper.center, min(size, upper.h), self._guide.chair)
        words = sheet.tr("ui.lesson.key", name=self._key.upper())
        wide = min(lower.w, sheet.text_width(words, bold=True) + sheet.em(0.5))
        cap = stack(lower, wide, sheet.em(1.3), "right")
        sheet.box(cap, PAPER, radius=0.25)
        sheet.text(cap, words, 1.0, INK, bold=True, align="center")

    def _steps(self) -> bool:
        """Whether taps of the learner's button step through what a hold chooses; not where a press takes a
        half of many numbers.
        """
        guide, frame = self._guide, self._frame
        if guide.kind != "wait":
            return guide.kind == "quiz"
        steps = steps_through_choices(frame, guide) and steps_through_answers(frame)
        return steps and guide.shows and not guide.chooses

    def _paint_legend(self, rect: Box) -> None:
        """What the learner's own button does where it steps."""
        sheet, scale = self._sheet, COACH["words"]
        told = [(press, sheet.tr(f"ui.lesson.{what}")) for press, what in ONE_BUTTON]
        gap = sheet.em(0.4)
        widest = max(sheet.text_width(words, bold=True) for _, words in told)
        scale = min(scale, (rect.w - gap) / (widest + sheet.em(SIGN)))
        if scale < 1:  # beside many cards only the plate says it
            return
        side, line = sheet.em(SIGN * scale), max(sheet.painter.line_height(scale), sheet.em(SIGN * scale))
        spots = rows(rect, *[line] * len(ONE_BUTTON), gap=gap // 4, justify="center")
        for (press, words), row in zip(told, spots, strict=True):
            sign, room = columns(row, side, FILL, gap=gap)
            paint_held_sign(sheet, sign._replace(w=side), press, TEXT, self._guide.chair)
            sheet.text(room, words, scale, TEXT, bold=True, least=1.0, grows=False)

    def _paint_buttons(self, rect: Box) -> None:
        sheet, gap, (first, *small) = self._sheet, self._gap, self._buttons
        widths = self._column_widths()
        room = rect.w - gap * len(widths)
        share = min(1.0, room / sum(widths))
        grid = list(
            columns(
                stack(rect, rect.w, self._buttons_high),
                *[int(one * share) for one in widths],
                gap=gap,
                justify="end",
            )
        )
        if first is not None:
            words, scale = sheet.sentence(first.words), COACH["golden"]
            made = first.key != "next" and not self._guide.tapped and not self._guide.tapped_region
            fill = RAISED if made else GOLD  # what needs no card is no call
            sheet.button(grid.pop(0), words, first.key, first.action, bold=True, fill=fill, scale=scale)
        sizes = [min(self._deep, len(small) + 1 - self._deep * place) for place in range(len(grid))]
        spots = [
            spot
            for column, many in zip(grid, sizes, strict=True)
            for spot in rows(column, *[Share(1)] * many, gap=gap // 2)
        ]
        for one, spot in zip(small, spots, strict=False):
            if one is not None:
                sheet.button(spot, sheet.sentence(one.words), one.key, one.action, bold=True)
        menu = spots[len(small)]
        sheet.button(menu, "", "bar:menu", touch_action(overlay="menu"))
        sheet.picture(draw_icon(sheet, "menu", sheet.em(0.9), ink_on(RAISED)), menu.center)


def draw_progress(surface: pygame.Surface, rect: Box, share: float) -> None:
    """How much of what the learner watches is over, from 0 to 1: gold, in the strip's bar."""
    wide = max(rect.h, round(rect.w * share))
    pygame.draw.rect(surface, GOLD, (rect.x, rect.y, wide, rect.h), border_radius=rect.h // 2)


def paint_lesson_stage(sheet: Sheet, area: Box, frame: GameFrame, guide: Guidance) -> None:
    """What lies on the felt while a lesson speaks and the game waits: cards to lay out, or answers."""
    edge = sheet.u(COACH["edge"])
    upright = area.h > area.w
    head_high = sheet.u(LOOK.stage["head_upright" if upright else "head_end"] - LOOK.stage["head_top"])
    inner = area.inset(
        left=edge, right=edge, top=sheet.u(LOOK.stage["head_top"]), bottom=sheet.u(COACH["line"])
    )
    head, felt = rows(inner, head_high, FILL, gap=edge)
    paint_prompt_line(sheet, head, sheet.sentence(guide.say), guide.chair)
    paint_felt(sheet, felt)
    field = felt.inflate(-2 * sheet.u(COACH["felt"]), -2 * sheet.u(COACH["felt"]))
    called = frame.board.card_name_prefixes
    if guide.right:
        _paint_right_answer(sheet, field, guide, called)
    elif guide.kind == "quiz":
        _paint_answers(sheet, field, guide, called)
    elif guide.pictures:
        _paint_told(sheet, field, guide, called)
    elif guide.kind == "lay":
        _paint_layout(sheet, field, frame, guide)


def _paint_answers(sheet: Sheet, field: Box, guide: Guidance, called: Mapping[str, str]) -> None:
    """The answers as cards or large plates; a wrong one stays in its place, dim, with why."""
    gap, pictured = sheet.em(0.5), any(guide.answer_cards)
    split = columns if pictured and field.w > field.h else rows
    if guide.pictures:  # what the question is about
        many = sum(map(len, guide.pictures))
        sizes = Share(many), max(2, sheet.em(0.1)), Share(len(guide.answers) + 1)
        asked, line, field = split(field, *sizes, gap=gap)
        _paint_told(sheet, asked, guide, called)
        sheet.fill(line, FELT_LINE)
    lift = sheet.u(FAN["lift"])
    room = field.inset(top=lift, left=lift, right=lift) if pictured else field  # off the felt's round corners
    cells = split(room, *[Share(1)] * len(guide.answers), gap=gap)
    bare = [sheet.surface.subsurface(cell.inset(top=-lift)).copy() for cell in cells]
    for place, (cell, ground) in enumerate(zip(cells, bare, strict=True), 1):
        spot = _paint_answer(sheet, cell, guide, called, place)
        if place not in guide.mistaken:  # at the next question the focus begins at the first answer again
            answered = touch_action(ControlGuide(f"answer:{place}"), typed="", focus="")
            mark = partial(
                _paint_answer, cell=cell, guide=guide, called=called, place=place, ground=ground, lift=lift
            )
            sheet.target(f"answer:{place}", spot, answered, mark=mark)


def _paint_answer(
    sheet: Sheet,
    cell: Box,
    guide: Guidance,
    called: Mapping[str, str],
    place: int,
    *,
    ground: pygame.Surface | None = None,
    lift: int = 0,
) -> Box:
    """One answer, and what it takes; marked, on the bare `ground`, it is golden and higher."""
    words, wrong = sheet.sentence(guide.answers[place - 1]), place in guide.mistaken
    if ground is not None:
        sheet.surface.blit(ground, cell.move(0, -lift))
    if any(guide.answer_cards):
        below = "" if words.isdigit() else words
        cards = guide.answer_cards[place - 1]
        drawn = _paint_card_answer(
            sheet, cell.move(0, -lift), below, cards, called, marked=ground is not None
        )
        if wrong:
            _dim(sheet, drawn.taken)
            _paint_not(sheet, drawn.cards, _difference(cards))
        return drawn.taken
    spot = stack(cell, cell.w * 9 // 10, min(cell.h, sheet.u(COACH["answer"])))
    fill = blend(FELT, PAPER, 0.3) if wrong else PAPER if ground is None else GOLD
    sheet.box(spot, fill, BAD if wrong else None, radius=0.6)
    ink = TEXT if wrong else INK
    room = spot.inflate(-sheet.em(1), 0)
    sheet.text(room, words, COACH["said"], ink, bold=True, align="center", struck=wrong)
    return spot


def _dim(sheet: Sheet, rect: Box) -> None:
    """Let what lies there sink into the felt."""
    veil = pygame.Surface(rect.size, pygame.SRCALPHA)
    veil.fill((*FELT, DIM))
    sheet.surface.blit(veil, rect)


def _paint_told(sheet: Sheet, field: Box, guide: Guidance, called: Mapping[str, str]) -> None:
    """What is said as pictures, and a tick where it was done just now."""
    gap, spot = sheet.em(0.3), field
    if field.w <= field.h or sum(map(len, guide.pictures)) > MOST_ABREAST:
        cells = rows(field, *[Share(1 + len(cards)) for cards in guide.pictures], gap=3 * gap)
    else:  # as large as the felt is high, in its middle
        side = min(field.h, sheet.u(COACH["sign"]))
        wide = [
            2 * gap
            + len(cards)
            * (round(field.h * FAN["shape"]) if is_card(cards[0]) else side // (1 + ("arrow" in cards)))
            for cards in guide.pictures
        ]
        share = min(1.0, (field.w - 3 * gap * len(wide)) / sum(wide))
        cells = columns(field, *[int(one * share) for one in wide], gap=3 * gap, justify="center")
    for cell, cards in zip(cells, guide.pictures, strict=True):
        spot = _paint_card_answer(sheet, cell, "", cards, called).cards
    if guide.kind == "well":
        paint_tick(sheet, (spot.right, spot.y), sheet.u(COACH["tick"]))


def _paint_right_answer(sheet: Sheet, field: Box, guide: Guidance, called: Mapping[str, str]) -> None:
    """The answer that was right, alone, with a tick."""
    gap, side = sheet.em(0.5), sheet.u(COACH["tick"])
    words = sheet.sentence(guide.answers[guide.right - 1])
    if any(guide.answer_cards):
        below = "" if words.isdigit() else words
        spot = _paint_card_answer(sheet, field, below, guide.answer_cards[guide.right - 1], called).cards
    else:
        spot = stack(field, field.w, min(field.h, sheet.u(COACH["answer"])))
        sheet.box(spot, GOOD, radius=0.6)
        sheet.text(spot.inflate(-2 * gap - 2 * side, 0), words, COACH["said"], INK, bold=True, align="center")
    paint_tick(sheet, (min(spot.right, field.right - side // 2), spot.y + side // 2), side)


class PaintedAnswer(NamedTuple):
    """What an answer takes of its cell, and what its cards take of that."""

    taken: Box
    cards: Box


def _paint_card_answer(
    sheet: Sheet,
    cell: Box,
    words: str,
    cards: tuple[str, ...],
    called: Mapping[str, str],
    *,
    marked: bool = False,
) -> PaintedAnswer:
    """The cards that an answer names, each with its own name if it has one, and `words`, if any."""
    gap, scale = sheet.em(0.3), COACH["named"]
    inner = cell.inflate(-2 * gap, -2 * gap)
    line = sheet.painter.line_height(scale)
    names = [card_name(sheet, card, called) for card in cards]
    fitted = sheet.painter.fit_text(words, inner.w, MOST_NAMED * line, scale, bold=True, least=1.0)
    below = len(fitted.lines) * line if words else 0
    own = line if any(names) else 0
    wide = (inner.w - gap * (len(cards) - 1)) // max(1, len(cards))
    room = inner.h - own - below - gap * bool(words)
    signs = not any(is_card(card) for card in cards)
    shape, most = (1.0, COACH["sign"]) if signs else (FAN["shape"], COACH["shown"])
    high = min(room, sheet.u(most), round(wide / shape))
    step, wide = wide, round(high * shape)
    step = min(step, max([wide, *(sheet.text_width(name, scale, bold=True) for name in names)]))
    across = max(step * len(cards) + gap * (len(cards) - 1), inner.w if words else 0)
    taken = stack(inner, across, high + own + (below + gap) * bool(words))
    if marked and signs:
        sheet.box(taken.inflate(gap, gap), None, GOLD, radius=0.5, width=0.25)
    upper, named, lower = rows(taken, high, own, FILL)
    spots = columns(upper, *[step] * len(cards), gap=gap, justify="center")
    for spot, card, name in zip(spots, cards, names, strict=True):
        paint_answer_picture(sheet, stack(spot, wide, high), card, GOLD if marked else INK)
        if name:
            foot = named._replace(x=spot.x, w=spot.w)
            sheet.text(foot, name, scale, TEXT, bold=True, align="center")
    if words:
        sheet.text(lower.inset(top=gap), words, scale, TEXT, bold=True, align="center")
    pile = stack(upper, step * len(cards) + gap * (len(cards) - 1), high)
    return PaintedAnswer(taken.inflate(gap, gap), pile)


def _difference(cards: tuple[str, ...]) -> str:
    """Why two cards that were chosen are none of the kind that was asked for: `5 ≠ 6`."""
    values = tuple(dict.fromkeys(card.partition(":")[2] for card in cards))
    if len(cards) != 2 or len(values) != 2:
        return "×"
    if all(card.startswith(FACES) for card in cards):
        return "≠"
    return " ≠ ".join(values) if all(value.isdigit() for value in values) else "×"


def _paint_not(sheet: Sheet, cards: Box, words: str) -> None:
    """A sign on paper on cards that were wrong: why between them, or a cross at their corner."""
    before, unequal, _ = words.partition("≠")
    side = sheet.em(2.4)
    rect = stack(cards, cards.w, sheet.em(3)) if unequal else stack(cards, side, side, "topright")
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
            BAD, 0.22, (x - reach // 2, paper.centery + reach), (x + reach // 2, paper.centery - reach)
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
    back = frame.board.hand_back if name == "deck" else ""
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
    above = count if count <= ROW_OF_PLACES else -(-count // 2)
    if above == count:
        upper, lower = field, field._replace(h=0)
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
