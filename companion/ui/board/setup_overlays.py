"""Overlays of set-up: a chair's menu, names, seats, house rules."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from companion.core.actions import Chair, Options
from companion.core.game import NO_COVER
from companion.core.house_rules import house_rule_questions, with_choice
from companion.core.view import Sentence
from companion.games import RULES
from companion.language.language import Translator
from companion.ui.commands import ChangeSetting, SpeakSentences
from companion.ui.frame import GameDraft, HomeFrame
from companion.ui.layout import FILL, Box, Share, best_grid, columns, grid, rows, stack
from companion.ui.overlays.cupboard import paint_cupboard
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    PRIMARY_FILL,
    DialogButton,
    paint_buttons,
    paint_dialog,
    scroll_buttons,
    scroll_range,
)
from companion.ui.overlays.felt_choices import draw_fan, paint_statement, paint_ways
from companion.ui.overlays.key_list import paint_page_keys
from companion.ui.overlays.settings import paint_settings_rows
from companion.ui.toolkit import inputs
from companion.ui.toolkit.chair_tiles import in_screen_order, paint_chair_tile, seat_orientation
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import (
    BUTTON_EDGE,
    EDGE,
    FELT,
    GOLD,
    INK,
    PANEL,
    RAISED,
    SOFT,
    TEXT,
    blend,
)

MAX_SPOKEN_RULES = 4
"""House rules that are announced when a game starts: nobody listens to more."""


def spoken_rules(game: str, options: Options) -> tuple[Sentence, ...]:
    """What is announced when a game starts: that it is friendly, each rule that is not the rulebook's."""
    printed = {rule.key: rule.value for rule in house_rule_questions(type(options)())}
    other = [rule for rule in house_rule_questions(options) if rule.value != printed[rule.key]]
    friendly = (Sentence("shared.friendly"),) if options.friendly else ()
    if not other:
        return friendly
    spoken = other[:MAX_SPOKEN_RULES]
    told = (one for rule in spoken for one in (Sentence(f"{game}.option.{rule.key}"), rule.answer(game)))
    return (*friendly, Sentence("shared.house_rules"), *told)


MAX_NAME_LENGTH = 16
"""Letters of a name: longer ones are not read from two metres."""
KEYBOARD_ROWS = 4
"""Of keys on the screen's keyboard; below them space and what ends the name."""


def with_player(draft: GameDraft, chair: Chair, names: Mapping[Chair, str]) -> GameDraft:
    """The draft with one more person; who is known is called by name."""
    chairs = tuple(sorted((*draft.chairs, chair)))
    known = names.get(chair)
    called = (*draft.names, (chair, known)) if known and chair not in dict(draft.names) else draft.names
    return replace(draft, chairs=chairs, names=called, here=(*draft.here, chair))


def with_name(draft: GameDraft, chair: Chair, name: str) -> GameDraft:
    """The draft with another name for a chair's person; an empty one: called by colour."""
    others = tuple(pair for pair in draft.names if pair[0] != chair)
    return replace(draft, names=(*others, (chair, name)) if name else others)


def rename_action(frame: HomeFrame, chair: Chair, name: str) -> TouchAction:
    """A chair's person gets another name; an empty one means: called by colour."""
    return touch_action(draft=with_name(frame.ui_state.draft, chair, name.strip()), overlay="", typed="")


def leave_action(frame: HomeFrame, chair: Chair) -> TouchAction:
    """A person gets up."""
    return touch_action(draft=without_player(frame.ui_state.draft, chair), overlay="")


def without_player(draft: GameDraft, chair: Chair) -> GameDraft:
    """Nobody sits at that chair."""
    chairs = tuple(one for one in draft.chairs if one != chair)
    return replace(draft, chairs=chairs, names=tuple(pair for pair in draft.names if pair[0] != chair))


def swap_action(frame: HomeFrame, one: Chair, other: Chair) -> TouchAction:
    """Two people change places; each chair keeps its button, colour and shape."""
    draft = frame.ui_state.draft
    there = {one: other, other: one}
    names = tuple(sorted((there.get(chair, chair), name) for chair, name in draft.names))
    chairs = tuple(sorted(there.get(chair, chair) for chair in draft.chairs))
    return touch_action(draft=replace(draft, chairs=chairs, names=names), overlay="")


def player_name(sheet: Sheet, frame: HomeFrame, chair: Chair) -> str:
    return dict(frame.ui_state.draft.names).get(chair) or sheet.tr(f"ui.colour.{frame.colours[chair]}")


def paint_chair_menu(sheet: Sheet, frame: HomeFrame) -> None:
    """What can be done with the chair `frame.about`."""
    chair = frame.ui_state.about
    known = dict(frame.ui_state.draft.names).get(chair, "")
    ways = (
        DialogButton("ui.setup.name", "name", touch_action(overlay="name", about=chair, typed=known)),
        DialogButton("ui.setup.replace", "replace", touch_action(overlay="name", about=chair, typed="")),
        DialogButton("ui.setup.swap", "swap", touch_action(overlay="swap", about=chair)),
        DialogButton("ui.setup.leave", "leave", leave_action(frame, chair)),
    )
    paint_ways(sheet, player_name(sheet, frame, chair), ways, CLOSE_BUTTON, about=chair)


def paint_swap_menu(sheet: Sheet, frame: HomeFrame) -> None:
    """With whom the chair `frame.about` changes places: a person, or a free chair."""
    chair = frame.ui_state.about
    body = paint_dialog(sheet, "ui.setup.swap")
    others = [other for other in range(frame.chairs) if other != chair]
    for cell, other in zip(best_grid(body, len(others), sheet.em(0.4)), others, strict=True):
        if other in frame.ui_state.draft.chairs:
            paint_chair_tile(sheet, cell, other, marked=False, name=player_name(sheet, frame, other))
        else:
            sheet.box(cell, PANEL, EDGE)
            sheet.badge((cell.centerx, cell.centery - sheet.em(0.7)), min(cell.h // 4, sheet.em(1.4)), other)
            words = Box(cell.x, cell.bottom - sheet.em(1.7), cell.w, sheet.em(1.5))
            sheet.text(words, sheet.tr("ui.setup.free_chair"), 1.0, SOFT, align="center")
        sheet.target(f"with:{other}", cell, swap_action(frame, chair, other))
    paint_buttons(sheet, CLOSE_BUTTON)


def add_letter(name: str, letter: str) -> str:
    """The name with one more letter: the first of a word is a capital."""
    if len(name) >= MAX_NAME_LENGTH:
        return name
    capital = not name or name[-1] in " -"
    written = letter.upper() if capital else letter.lower()
    return name + (written if len(written) == 1 else letter)  # a German ß has no capital of its own


def split_keyboard_rows(keys: str) -> tuple[str, ...]:
    """The keys of a language in as many rows as there are, all but the last equally long."""
    long = -(-len(keys) // KEYBOARD_ROWS)
    return tuple(keys[start : start + long] for start in range(0, len(keys), long))


def paint_name_keyboard(sheet: Sheet, frame: HomeFrame) -> None:
    """A keyboard to touch, or to walk with three buttons."""
    chair, name = frame.ui_state.about, frame.ui_state.typed
    body = paint_dialog(sheet, "ui.setup.name")
    head = Box(body.x, body.y, body.w, sheet.em(2.6))
    sheet.badge((head.x + sheet.em(1.2), head.centery), sheet.em(1.05), chair)
    line = Box(head.x + sheet.em(2.8), head.y + sheet.em(0.2), head.w - sheet.em(2.8), sheet.em(2.2))
    sheet.box(line, RAISED, GOLD)
    inner = line.inflate(-sheet.em(1), 0)
    shown = name + "_" if name else sheet.tr("ui.setup.called", colour=player_name(sheet, frame, chair))
    sheet.text(inner, shown, 1.4, TEXT if name else SOFT, bold=bool(name))
    gap = sheet.em(0.25)
    area = Box(body.x, head.bottom + gap, body.w, body.bottom - head.bottom - gap)
    height = (area.h + gap) // (KEYBOARD_ROWS + 1)
    for row, keys in enumerate(split_keyboard_rows(sheet.words.letters)):
        width = (area.w + gap) // len(keys)
        for column, letter in enumerate(keys):
            cell = Box(area.x + column * width, area.y + row * height, width - gap, height - gap)
            does = touch_action(typed=add_letter(name, letter))
            sheet.button(cell, letter, f"letter:{letter}", does, scale=1.3, bold=True)
    low = Box(area.x, area.y + KEYBOARD_ROWS * height, area.w, height - gap)
    third = (low.w + gap) // 3
    last = (
        (
            "ui.setup.space",
            "space",
            touch_action(typed=name + " ") if name and len(name) < MAX_NAME_LENGTH else None,
        ),
        ("ui.setup.delete", "delete", touch_action(typed=name[:-1]) if name else None),
        ("ui.setup.by_colour", "colour", rename_action(frame, chair, "")),
    )
    for place, (words, key, act) in enumerate(last):
        cell = Box(low.x + place * third, low.y, third - gap, low.h)
        sheet.button(cell, sheet.tr(words), key, act)
    paint_buttons(
        sheet,
        DialogButton("ui.setup.done", "done", rename_action(frame, chair, name), PRIMARY_FILL),
        CLOSE_BUTTON,
    )


def typing_action(frame: HomeFrame, key: inputs.KeyPressed) -> TouchAction | None:
    """A real keyboard types the name; enter is done unless somebody walked to a field."""
    name = frame.ui_state.typed
    if key.key == "backspace":
        return touch_action(typed=name[:-1])
    if key.key in {"return", "enter"} and not frame.ui_state.focus:
        return rename_action(frame, frame.ui_state.about, name)
    if key.text.isprintable() and key.text and key.text != "?" and (key.text != " " or name):
        return touch_action(typed=(name + key.text)[:MAX_NAME_LENGTH])
    return None


QUESTION = 0.46
"""What the question and its picture take of a house rule's width."""
RULES_HIGH = (3.7, 5.0)
"""How high a house rule is at least, in lines; where a question has no room the next."""


def paint_house_rules(sheet: Sheet, frame: HomeFrame) -> None:
    """Every house rule with its choices, the present one gold; touching them takes the next.

    Where the words of all have no room in two lines of keys, the present one stands alone.
    """
    draft = frame.ui_state.draft
    options = draft.options or frame.options
    body = paint_dialog(sheet, "ui.setup.rules")
    if options is None:
        paint_buttons(sheet, CLOSE_BUTTON)
        return
    asked = house_rule_questions(options)
    gap = sheet.em(0.3)
    asks, pad = [sheet.tr(f"{draft.game}.option.{rule.key}") for rule in asked], sheet.em(0.7)
    for lines in RULES_HIGH:
        height = round(lines * sheet.line_height)
        room = max(2, (body.h + gap) // (height + gap))
        height = min(height * 3 // 2, (body.h + gap) // min(room, len(asked)) - gap)
        sign, high = height // 2, (height - 3 * gap) // 2  # of the picture, of a key
        wide = round(body.w * QUESTION) - sign - 3 * pad
        fitted = [sheet.painter.fit_text(one, wide, height - gap, 1.25, bold=True) for one in asks]
        if not any(one.cut for one in fitted):
            break
    scale = min(one.scale for one in fitted)
    first, end = scroll_range(len(asked), room, frame.ui_state.scroll)
    pictured = RULES[draft.game].board.option_pictures
    for place, rule in enumerate(asked[first : first + room]):
        row = Box(body.x, body.y + place * (height + gap), body.w, height)
        words, cell = columns(row, round(body.w * QUESTION), FILL, gap=gap)
        sheet.box(row, blend(FELT, INK, 0.4), radius=0.5)
        picture, words = columns(words.inflate(-2 * pad, 0), sign, FILL, gap=pad)
        motif = next((motif for motif, keys in pictured.items() if rule.key in keys), "cards")
        sheet.picture(sheet.art.motif(motif, sign), picture.center)
        sheet.text(words, asks[first + place], scale, TEXT, bold=True)
        does = touch_action(draft=replace(draft, options=with_choice(options, rule.key, rule.next_choice)))
        sheet.target(f"rule:{rule.key}", cell, does)
        told = {one: sheet.sentence(rule.answer(draft.game, one)) for one in rule.choices}
        for across in (2, 1):
            lines = -(-len(told) // across)
            field = stack(cell, cell.w - 2 * gap, lines * (high + gap) - gap)
            spots = grid(field, len(told), across, gap=gap)
            room_each = spots[0].inflate(-gap, 0)
            fitted = [sheet.painter.fit_text(said, *room_each.size, 1.0, bold=True) for said in told.values()]
            if lines <= 2 and not any(one.cut or one.broken for one in fitted):
                break
        else:
            spots = (stack(cell, field.w, high),)
            told = {rule.value: told[rule.value]}
            dots = stack(cell, field.w, sheet.em(0.5), "bottom").move(0, -gap)
            for one, dot in zip(
                rule.choices,
                columns(dots, *[dots.h] * len(rule.choices), gap=gap, justify="center"),
                strict=True,
            ):
                sheet.disc(dot.center, dot.h // 2, GOLD if one == rule.value else SOFT)
        for (value, said), spot in zip(told.items(), spots, strict=True):
            chosen = value == rule.value
            sheet.box(spot, GOLD if chosen else RAISED, BUTTON_EDGE, radius=0.5)
            ink = INK if chosen else TEXT
            sheet.text(spot.inflate(-gap, 0), said, 1.2, ink, bold=True, align="center")
    defaults = touch_action(draft=replace(draft, options=type(options)()))
    scroll = scroll_buttons(first, end, room) if end else ()
    paint_buttons(sheet, *scroll, DialogButton("ui.setup.defaults", "defaults", defaults), CLOSE_BUTTON)


ABOUT_KEYS = ("who", "goal.1", "goal.2", "goal.3")
"""What is said of a game before it: `<game>.about.<one of these>`."""


def game_summary(game: str) -> tuple[Sentence, ...]:
    """Who a game is for, and how it is won, in three sentences."""
    return tuple(Sentence(f"{game}.about.{part}") for part in ABOUT_KEYS)


def player_count_action(game: str, words: Translator) -> TouchAction:
    """Tell how many a game is for: somebody wants to begin too early."""
    told = tuple(one for one in game_summary(game)[:1] if one.key in words)
    return touch_action(SpeakSentences(told)) if told else TouchAction()


def paint_game_summary(sheet: Sheet, frame: HomeFrame) -> None:
    """The game in short beside its art, for somebody who does not know it; aloud where that is asked for."""
    game = frame.ui_state.draft.game
    told, cover = game_summary(game), next((one.cover for one in frame.offered if one.game == game), NO_COVER)
    left, right = columns(paint_dialog(sheet, "ui.setup.about"), FILL, Share(2), gap=sheet.em(0.8))
    art, who = rows(left, Share(2), FILL, gap=sheet.em(0.4))
    if cover.faces:
        draw_fan(sheet, art, INK, faces=cover.faces)
    elif cover.motif:
        sheet.picture(sheet.art.motif(cover.motif, min(art.size)), art.center)
    sheet.text(who, sheet.sentence(told[0]), 1.2, SOFT, align="center")
    boxes, goals = rows(right, FILL, FILL, FILL, gap=sheet.em(0.4)), [sheet.sentence(one) for one in told[1:]]
    inner = [box.inflate(-sheet.em(1), 0) for box in boxes]
    fitted = [
        sheet.painter.fit_text(words, room.w, room.h, 1.5, bold=True)
        for words, room in zip(goals, inner, strict=True)
    ]
    scale = min(one.scale for one in fitted)
    for box, room, words in zip(boxes, inner, goals, strict=True):
        sheet.box(box, blend(FELT, INK, 0.4), radius=0.5)
        sheet.text(room, words, scale, TEXT, bold=True)
    paint_buttons(
        sheet, DialogButton("ui.say", "say", touch_action(SpeakSentences(told)), PRIMARY_FILL), CLOSE_BUTTON
    )


def paint_setup_settings(sheet: Sheet, frame: HomeFrame) -> None:
    more = paint_settings_rows(sheet, paint_dialog(sheet, "ui.settings"), frame)
    sides = DialogButton("ui.setup.sides", "sides", touch_action(overlay="sides"))
    paint_buttons(sheet, *more, sides, CLOSE_BUTTON)


def choose_side_action(frame: HomeFrame, chair: Chair) -> TouchAction:
    """Who sits next to the screen: first on its left, then on its right."""
    if frame.ui_state.about < 0:
        return touch_action(about=chair)
    if chair == frame.ui_state.about:
        return TouchAction()
    first, mirrored = seat_orientation(frame.ui_state.about, chair, frame.chairs)
    return touch_action(
        ChangeSetting("first_chair", first), ChangeSetting("mirrored", value=mirrored), overlay="", about=-1
    )


def paint_side_question(sheet: Sheet, frame: HomeFrame) -> None:
    """Asked by one press each; a finger may press for them."""
    left = frame.ui_state.about
    body = paint_dialog(sheet, "ui.setup.sides")
    words = Box(body.x, body.y, body.w, sheet.em(3.2))
    asked = "ui.setup.sides.left" if left < 0 else "ui.setup.sides.right"
    sheet.text(words, sheet.tr(asked), 1.6, TEXT, bold=True)
    room = Box(body.x, words.bottom, body.w, body.bottom - words.bottom)
    others = [chair for chair in in_screen_order(frame.ui_state, range(frame.chairs)) if chair != left]
    for cell, chair in zip(best_grid(room, len(others), sheet.em(0.4)), others, strict=True):
        paint_chair_tile(sheet, cell, chair, marked=False, name=player_name(sheet, frame, chair))
        sheet.target(f"sits:{chair}", cell, choose_side_action(frame, chair))
    paint_buttons(sheet, CLOSE_BUTTON)


def paint_mixed_buttons(sheet: Sheet, _: HomeFrame) -> None:
    """How a tie between buttons of two kinds is decided."""
    title, told = sheet.tr("ui.setup.mixed.title"), sheet.tr("ui.setup.mixed")
    paint_statement(sheet, title, told, PRIMARY_CLOSE_BUTTON, sign="button")


SETUP_OVERLAYS: Mapping[str, Callable[[Sheet, HomeFrame], None]] = {
    "chair": paint_chair_menu,
    "swap": paint_swap_menu,
    "name": paint_name_keyboard,
    "rules": paint_house_rules,
    "about": paint_game_summary,
    "presets": paint_cupboard,
    "settings": paint_setup_settings,
    "sides": paint_side_question,
    "mixed": paint_mixed_buttons,
    "help": paint_page_keys,
}
