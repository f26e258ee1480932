"""Draws what people do next, one step beside the other: a number, who does it, with what, and in words."""

from collections.abc import Sequence
from typing import NamedTuple

from companion.core.actions import Chair
from companion.core.view import ChairView, Sentence, TokenHeap
from companion.ui.board.card_pictures import find_pictures
from companion.ui.board.headline import addressed_chair, missing_name
from companion.ui.board.heaps import paint_token_pile
from companion.ui.board.lesson_cards import FAN, draw_turned_card
from companion.ui.board.plate_choices import (
    Half,
    choice_value,
    paint_choice,
    paint_half,
    split_halves,
    visible_choices,
)
from companion.ui.board.player_banner import without_repeated_word
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.board.table_centre import find_face
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, columns, grid, rows, stack
from companion.ui.toolkit.chair_tiles import shorten_name
from companion.ui.toolkit.sheet import EM_PER_U, Sheet
from companion.ui.toolkit.theme import GOLD, GROUND, INK, LOOK, PAPER, RAISED, SOFT, TEXT
from companion.ui.toolkit.widgets import paint_avatar, paint_held_sign, paint_press_sign

COUNTED = ("foxes", "count", "left")
"""Parts of a sentence that say how many of its token there are."""
WIDE = 2.4
"""A step this many times as wide as high has its picture beside the words."""
SHOWN, WHO = 0.6, 0.34
"""What people and pictures take of a step's height, and of that the people of its width."""
NUMBER = 1.9
"""The disc of a step's number, in smallest letters."""
WORDS, NAME = 2.1, 1.5
"""The words of a step, in smallest letters, at most, and who does it, above them."""
PILED = 1.5
"""A pile of tokens is so many times as wide as high."""
MOST_TOKENS, LARGEST_TOKEN = 10, 5
"""So many tokens lie in a pile, each so many em wide at most."""
ANSWERS, NUMBERS = 0.42, 0.56
"""What the answers take of the width where nothing else is seen beside the words; a row of numbers."""
MOST_NUMBERS, NUMBER_SCALE = 6, 3.0
"""So many numbers stand in a row of cards, each so many smallest letters high."""
FACED, FACES = 0.84, 0.6
"""How high the cards of an answer are, of its height, and what they take of its width."""


class Step(NamedTuple):
    """One thing that somebody does."""

    said: Sentence
    chairs: tuple[Chair, ...] = ()
    """Who does it."""
    pictures: tuple[str, ...] = ()
    """Cards and motifs by name."""
    name: str = ""
    """Who that is, where the sentence calls that one by another word."""

    @property
    def many(self) -> int:
        """How many there are of its token; a hand of cards is one."""
        parts = dict(self.said.parts)
        return (
            1
            if self.pictures == ("cards",)
            else next((int(parts[name]) for name in COUNTED if name in parts), 1)
        )


def has_steps(frame: GameFrame, said: Sentence) -> bool:
    """Whether a sentence asks several things of people, each of which has a picture of its own."""
    return said.key.partition(".")[2] in frame.board.steps


def list_steps(sheet: Sheet, frame: GameFrame, said: Sentence | None = None) -> tuple[Step, ...]:
    """What `said` asks of people, and what is done now: as the game divides it, else the sentence on top."""
    view = frame.view
    now = [*_divide(frame, view.headline)]
    if not now:
        alone = addressed_chair(sheet, frame)
        asked = tuple(one.chair for one in view.chairs if one.asked) if alone is None else (alone,)
        lies = tuple(place.card for place in view.places if place.marked and ":" in place.card)
        pictures = (find_pictures(frame.board, view.headline) or lies)[:2]
        now.append(
            Step(view.headline, asked, pictures, missing_name(sheet, frame, sheet.sentence(view.headline)))
        )
    return (*_divide(frame, said), *now)


def _divide(frame: GameFrame, said: Sentence | None) -> Sequence[Step]:
    if said is None:
        return ()
    game, _, key = said.key.partition(".")
    found, parts = [], dict(said.parts)
    who = parts.get("from_chair", parts.get("chair"))
    for name in frame.board.steps.get(key, ()):
        chairs = (who,) if isinstance(who, int) else ()
        pictures = frame.board.sentence_pictures.get(name, ())
        found.append(Step(Sentence(f"{game}.step.{name}", said.parts), chairs, pictures))
    return found


def paint_steps(
    sheet: Sheet, rect: Box, steps: Sequence[Step], frame: GameFrame, asked: ChairView | None = None
) -> None:
    """Paint all of them into `rect`. `asked`: whose answers stand beside a step that is alone."""
    gap = sheet.em(0.5)
    cells = grid(rect, len(steps), len(steps) if rect.w > rect.h else 1, gap=gap)
    beside = cells[0].w > WIDE * cells[0].h
    answers = 0.0
    if asked is not None and asked.choices and len(steps) == 1 and beside:
        answers = NUMBERS if is_stepped_number(asked) else ANSWERS
    spots = [
        _divide_step(sheet, one.inflate(-2 * gap, -2 * gap), step, beside=beside, answers=answers)
        for one, step in zip(cells, steps, strict=True)
    ]
    told = [sheet.sentence(step.said) for step in steps]
    if not beside:
        told = [
            without_repeated_word(words, _name(sheet, step)) for words, step in zip(told, steps, strict=True)
        ]
    scale = min(
        sheet.painter.fit_text(words, spot.words.w, spot.words.h, WORDS, bold=True).scale
        for words, spot in zip(told, spots, strict=True)
    )
    for place, (cell, step, words, spot) in enumerate(zip(cells, steps, told, spots, strict=True), 1):
        sheet.shadow(cell, "plate", sheet.u(LOOK.radius["plate"]))
        sheet.box(cell, RAISED, radius=EM_PER_U * LOOK.radius["plate"])
        head = spot.head
        if not beside:
            _paint_people(sheet, head, step)
        if len(steps) > 1:
            side = sheet.em(NUMBER)
            sign, head = columns(head, side, FILL, gap=gap)
            sign = stack(sign, side, side, "left" if beside else "topleft")
            sheet.disc(sign.center, side // 2, PAPER)
            sheet.text(sign, str(place), 1.4, INK, bold=True, align="center", grows=False)
        if beside and step.name:
            sheet.text(head, shorten_name(sheet, step.name, head.w), NAME, GOLD, bold=True)
        _paint_pictures(sheet, spot.pictures, step, people=beside or not step.pictures)
        sheet.text(spot.words, words, scale, TEXT, bold=True, align="left" if beside else "center")
        if answers and asked is not None:
            paint = _paint_numbers if is_stepped_number(asked) else _paint_answers
            paint(sheet, spot.answers, asked, frame)


class StepSpots(NamedTuple):
    """Where the parts of a step are: its number and who does it, the pictures, the words, the answers."""

    head: Box
    pictures: Box
    words: Box
    answers: Box


def _divide_step(sheet: Sheet, inner: Box, step: Step, *, beside: bool, answers: float) -> StepSpots:
    """`answers`: what those take of the width; 0: there are none."""
    gap = sheet.em(0.6)
    if beside:
        seen = round(inner.w * 0.24) if step.chairs or step.pictures else 0
        answered = round(inner.w * min(answers, 0.3 if seen else 1.0))
        shown, words, right = columns(inner, seen, FILL, answered, gap=gap)
        head, words = rows(words, sheet.em(NUMBER) if step.name or not answers else 0, FILL)
        return StepSpots(head, shown, words, right)
    upper, words = rows(inner, round(inner.h * SHOWN), FILL, gap=gap // 2)
    head, shown = columns(upper, round(inner.w * WHO) + sheet.em(NUMBER) // 2, FILL, gap=gap)
    return StepSpots(head, shown, words, Box(inner.right, inner.y, 0, inner.h))


def _name(sheet: Sheet, step: Step) -> str:
    """Who does it alone."""
    return sheet.name(step.chairs[0]) if len(step.chairs) == 1 else ""


def _paint_people(sheet: Sheet, room: Box, step: Step) -> None:
    """Who does it: the avatars, and below the name of one alone."""
    name, line = _name(sheet, step), sheet.line_height
    room = room.inset(left=sheet.em(NUMBER) // 2)
    badges, told = rows(room, FILL, line if name else 0)
    side = min(badges.h, badges.w // max(1, len(step.chairs)))
    for badge, chair in zip(
        columns(badges, *[side] * len(step.chairs), justify="center"), step.chairs, strict=True
    ):
        paint_avatar(sheet, badge.center, side, chair)
    if name:
        sheet.text(told, shorten_name(sheet, name, told.w), 1.0, SOFT, bold=True, align="center")


def _paint_pictures(sheet: Sheet, rect: Box, step: Step, *, people: bool) -> None:
    """Who does it, if `people` are wanted here, and with what, side by side."""
    gap, card, chairs = sheet.em(0.5), FAN["shape"], step.chairs if people else ()
    token = 0.9 if step.many < 2 else PILED
    shapes = [*(0.92 for _ in chairs), *(card if ":" in name else token for name in step.pictures)]
    if not shapes:
        return
    high = min(rect.h, round((rect.w - gap * (len(shapes) - 1)) / sum(shapes)))
    cells = columns(rect, *[round(high * shape) for shape in shapes], gap=gap, justify="center")
    for chair, cell in zip(chairs, cells, strict=False):
        paint_avatar(sheet, cell.center, cell.w * 9 // 10, chair)
    for name, cell in zip(step.pictures, cells[len(chairs) :], strict=True):
        if ":" in name:
            size = (cell.w, round(cell.w / card))
            sheet.picture(draw_turned_card(sheet, name, size, 0), cell.center)
        elif step.many > 1:
            pile = stack(cell, cell.w, min(cell.h, round(cell.w / PILED)))
            heap = TokenHeap("", name, step.many)
            paint_token_pile(sheet, pile, heap, most=MOST_TOKENS, largest=LARGEST_TOKEN)
        else:
            sheet.picture(sheet.art.motif(name, min(cell.w, cell.h)), cell.center)


def is_stepped_number(asked: ChairView) -> bool:
    """Whether taps step through a few numbers."""
    values = [choice_value(choice) for choice in asked.choices]
    few = 2 < len(values) <= MOST_NUMBERS and any(choice.marked for choice in asked.choices)
    return few and all(value.isdigit() for value in values)


def _paint_numbers(sheet: Sheet, rect: Box, asked: ChairView, frame: GameFrame) -> None:
    """A row of cards with a number each: the lit one is held, a tap goes on to the next."""
    many, gap = len(asked.choices), sheet.em(0.3)
    wide = (rect.w + gap) // many - gap
    side, high = sheet.em(1.5), min(round(wide / CARD_ASPECT), rect.h - sheet.em(1.9))
    cards, signs = rows(rect, high, side, gap=gap, justify="center")
    lit = next(place for place, choice in enumerate(asked.choices) if choice.marked)
    places = zip(asked.choices, columns(cards, *[FILL] * many, gap=gap), strict=True)
    for place, (choice, card) in enumerate(places):
        ink = INK if place == lit else TEXT
        sheet.box(card, PAPER if place == lit else GROUND, GOLD if place == lit else None, radius=0.4)
        sheet.text(card, choice_value(choice), NUMBER_SCALE, ink, bold=True, align="center")
        if press := {lit: "hold", (lit + 1) % many: "tap"}.get(place, ""):
            paint_held_sign(
                sheet, stack(signs._replace(x=card.x, w=card.w), side, side), press, TEXT, asked.chair
            )


def _paint_answers(sheet: Sheet, rect: Box, asked: ChairView, frame: GameFrame) -> None:
    """What the button of the one who is asked does, on paper, as large as it fits."""
    offered = [*(split_halves(asked) or visible_choices(asked, frame))]
    gap, stepping = sheet.em(0.3), len(asked.choices) > len(offered) and offered[0].press == "hold"
    many = len(offered) + stepping
    high, scale = min(sheet.em(3.6), (rect.h + gap) // max(1, many) - gap), 1.8
    places = rows(rect, *[high] * many, gap=gap, justify="center")
    for row, one in zip(places, [*offered, *([None] if stepping else [])], strict=True):
        sheet.box(row, PAPER, radius=0.4)
        inner = row.inset(left=sheet.em(0.4), right=sheet.em(0.3))
        press = "tap" if one is None else one.press
        words = paint_press_sign(sheet, inner, press, INK, most=2, gap=0.4, chair=asked.chair)
        if one is None:
            sheet.text(words, sheet.tr("ui.next_choice"), scale, INK, bold=True)
        elif isinstance(one, Half):
            faces = tuple(filter(None, (find_face(choice, frame.board) for choice in one.choices)))
            wide = round(row.h * FACED * CARD_ASPECT)
            words, cards = columns(words, FILL, round(words.w * FACES) if faces else 0)
            step = min(wide, (cards.w - wide) // max(1, len(faces) - 1))
            lie = columns(cards, *[wide] * len(faces), gap=step - wide, justify="end")
            for spot, face in zip(lie, faces, strict=True):
                sheet.card(stack(spot, wide, round(row.h * FACED)), face)
            paint_half(sheet, words, one, INK, scale=scale)
        else:
            paint_choice(sheet, words, one, INK, scale=scale)
