"""What a chair can do before a game: be named, given to somebody else, swapped, left; and the house rules."""

from collections.abc import Callable, Mapping

import pygame
from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.ui import inputs, ring
from companion.ui.commands import Change, Tell
from companion.ui.frame import SetupFrame
from companion.ui.glass import Draft
from companion.ui.houserules import chosen, house_rules, word
from companion.ui.overlays.help import page_help
from companion.ui.overlays.leaf import CLOSE, PRIMARY, Foot, arrows, feet, leaf, pages, tiles
from companion.ui.overlays.settings import settings_body
from companion.ui.sheet import Deed, Sheet, deed
from companion.ui.sides import in_order, sat
from companion.ui.theme import EDGE, GOLD, PANEL, RAISED, SOFT, TEXT
from companion.ui.tiles import chair_tile
from companion.ui.words import Words

LONGEST = 16
"""Letters of a name: longer ones are not read from two metres."""
ROWS = 4
"""Of keys on the screen's keyboard; below them space and what ends the name."""


def joined(frame: SetupFrame, chair: Chair) -> Deed:
    """A chair joins; one that is in stays in."""
    draft = frame.glass.draft
    if chair in draft.chairs or len(draft.chairs) >= frame.players[-1]:
        return Deed()
    return deed(draft=seated(draft, chair, frame.names))


def seated(draft: Draft, chair: Chair, names: Mapping[Chair, str]) -> Draft:
    """The draft with one more person; who is known is called by name."""
    chairs = tuple(sorted((*draft.chairs, chair)))
    known = names.get(chair)
    called = (*draft.names, (chair, known)) if known and chair not in dict(draft.names) else draft.names
    return replace(draft, chairs=chairs, names=called, here=(*draft.here, chair))


def named(frame: SetupFrame, chair: Chair, name: str) -> Deed:
    """A chair's person gets another name; an empty one means: called by colour."""
    draft = frame.glass.draft
    others = tuple(pair for pair in draft.names if pair[0] != chair)
    name = name.strip()
    return deed(
        draft=replace(draft, names=(*others, (chair, name)) if name else others), overlay="", typed=""
    )


def left(frame: SetupFrame, chair: Chair) -> Deed:
    """A person gets up."""
    return deed(draft=without(frame.glass.draft, chair), overlay="")


def without(draft: Draft, chair: Chair) -> Draft:
    """Nobody sits at that chair."""
    chairs = tuple(one for one in draft.chairs if one != chair)
    return replace(draft, chairs=chairs, names=tuple(pair for pair in draft.names if pair[0] != chair))


def swapped(frame: SetupFrame, one: Chair, other: Chair) -> Deed:
    """Two people change places; each chair keeps its button, colour and shape."""
    draft = frame.glass.draft
    there = {one: other, other: one}
    names = tuple(sorted((there.get(chair, chair), name) for chair, name in draft.names))
    chairs = tuple(sorted(there.get(chair, chair) for chair in draft.chairs))
    return deed(draft=replace(draft, chairs=chairs, names=names), overlay="")


def name_of(sheet: Sheet, frame: SetupFrame, chair: Chair) -> str:
    return dict(frame.glass.draft.names).get(chair) or sheet.tr(f"ui.colour.{frame.colours[chair]}")


def chair_menu(sheet: Sheet, frame: SetupFrame) -> None:
    """What can be done with the chair `glass.about`."""
    chair = frame.glass.about
    body = leaf(sheet, "ui.setup.chair")
    head = pygame.Rect(body.x, body.y, body.w, sheet.em(4))
    sheet.badge((head.x + sheet.em(1.9), head.centery), sheet.em(1.6), chair)
    words = pygame.Rect(head.x + sheet.em(4.4), head.y, head.w - sheet.em(4.4), head.h)
    sheet.text(words, name_of(sheet, frame, chair), 2.0, TEXT, bold=True)
    known = dict(frame.glass.draft.names).get(chair, "")
    rest = pygame.Rect(body.x, head.bottom, body.w, body.h - head.h)
    entries = [
        Foot("ui.setup.name", "name", deed(overlay="name", about=chair, typed=known), PRIMARY),
        Foot("ui.setup.replace", "replace", deed(overlay="name", about=chair, typed="")),
        Foot("ui.setup.swap", "swap", deed(overlay="swap", about=chair)),
        Foot("ui.setup.leave", "leave", left(frame, chair)),
    ]
    tiles(sheet, rest, entries, columns=2)
    feet(sheet, CLOSE)


def swap(sheet: Sheet, frame: SetupFrame) -> None:
    """With whom the chair `glass.about` changes places: a person, or a free chair."""
    chair = frame.glass.about
    body = leaf(sheet, "ui.setup.swap")
    others = [other for other in range(frame.chairs) if other != chair]
    for cell, other in zip(ring.grid(len(others), body, sheet.em(0.4)), others, strict=True):
        if other in frame.glass.draft.chairs:
            chair_tile(sheet, cell, other, marked=False, name=name_of(sheet, frame, other))
        else:
            sheet.box(cell, PANEL, EDGE)
            sheet.badge((cell.centerx, cell.centery - sheet.em(0.7)), min(cell.h // 4, sheet.em(1.4)), other)
            words = pygame.Rect(cell.x, cell.bottom - sheet.em(1.7), cell.w, sheet.em(1.5))
            sheet.text(words, sheet.tr("ui.setup.free_chair"), 1.0, SOFT, align="center")
        sheet.target(f"with:{other}", cell, swapped(frame, chair, other))
    feet(sheet, CLOSE)


def add_letter(name: str, letter: str) -> str:
    """The name with one more letter: the first of a word is a capital."""
    if len(name) >= LONGEST:
        return name
    capital = not name or name[-1] in " -"
    written = letter.upper() if capital else letter.lower()
    return name + (written if len(written) == 1 else letter)  # a German ß has no capital of its own


def rows_of(keys: str) -> tuple[str, ...]:
    """The keys of a language in as many rows as there are, all but the last equally long."""
    long = -(-len(keys) // ROWS)
    return tuple(keys[start : start + long] for start in range(0, len(keys), long))


def typed_name(sheet: Sheet, frame: SetupFrame) -> None:
    """A keyboard to touch, or to walk with three buttons."""
    chair, name = frame.glass.about, frame.glass.typed
    body = leaf(sheet, "ui.setup.name")
    head = pygame.Rect(body.x, body.y, body.w, sheet.em(2.6))
    sheet.badge((head.x + sheet.em(1.2), head.centery), sheet.em(1.05), chair)
    line = pygame.Rect(head.x + sheet.em(2.8), head.y + sheet.em(0.2), head.w - sheet.em(2.8), sheet.em(2.2))
    sheet.box(line, RAISED, GOLD)
    inner = line.inflate(-sheet.em(1), 0)
    shown = name + "_" if name else sheet.tr("ui.setup.called", colour=name_of(sheet, frame, chair))
    sheet.text(inner, shown, 1.4, TEXT if name else SOFT, bold=bool(name))
    gap = sheet.em(0.25)
    area = pygame.Rect(body.x, head.bottom + gap, body.w, body.bottom - head.bottom - gap)
    height = (area.h + gap) // (ROWS + 1)
    for row, keys in enumerate(rows_of(sheet.words.letters)):
        width = (area.w + gap) // len(keys)
        for column, letter in enumerate(keys):
            cell = pygame.Rect(area.x + column * width, area.y + row * height, width - gap, height - gap)
            does = deed(typed=add_letter(name, letter))
            sheet.button(cell, letter, f"letter:{letter}", does, scale=1.3, bold=True)
    low = pygame.Rect(area.x, area.y + ROWS * height, area.w, height - gap)
    third = (low.w + gap) // 3
    last = (
        ("ui.setup.space", "space", deed(typed=name + " ") if name and len(name) < LONGEST else None),
        ("ui.setup.delete", "delete", deed(typed=name[:-1]) if name else None),
        ("ui.setup.by_colour", "colour", named(frame, chair, "")),
    )
    for place, (words, key, act) in enumerate(last):
        cell = pygame.Rect(low.x + place * third, low.y, third - gap, low.h)
        sheet.button(cell, sheet.tr(words), key, act)
    feet(sheet, Foot("ui.setup.done", "done", named(frame, chair, name), PRIMARY), CLOSE)


def letters(frame: SetupFrame, key: inputs.KeyPressed) -> Deed | None:
    """A real keyboard types the name; enter is done unless somebody walked to a field."""
    name = frame.glass.typed
    if key.key == "backspace":
        return deed(typed=name[:-1])
    if key.key in {"return", "enter"} and not frame.glass.focus:
        return named(frame, frame.glass.about, name)
    if key.text.isprintable() and key.text and key.text != "?" and (key.text != " " or name):
        return deed(typed=(name + key.text)[:LONGEST])
    return None


def rules(sheet: Sheet, frame: SetupFrame) -> None:
    """Every house rule with its present choice; touching it takes the next."""
    draft = frame.glass.draft
    options = draft.options or frame.options
    body = leaf(sheet, "ui.setup.rules")
    if options is None:
        feet(sheet, CLOSE)
        return
    asked = house_rules(options)
    gap = sheet.em(0.3)
    lines = 2 if sheet.rect.w > sheet.rect.h else 3
    height = lines * sheet.painter.line(1.0) + sheet.em(0.15)
    room = max(1, (body.h + gap) // (height + gap))
    first, end = pages(len(asked), room, frame.glass.scroll)
    plain = {rule.key: rule.value for rule in house_rules(type(options)())}
    for place, rule in enumerate(asked[first : first + room]):
        row = pygame.Rect(body.x, body.y + place * (height + gap), body.w, height)
        text = f"{draft.game}.option.{rule.key}"
        words = pygame.Rect(row.x, row.y, row.w * 56 // 100, row.h)
        sheet.text(words, sheet.tr(text), 1.0, TEXT)
        cell = pygame.Rect(words.right + gap, row.y, row.right - words.right - gap, row.h)
        does = deed(draft=replace(draft, options=chosen(options, rule.key, rule.after)))
        value = sheet.tr(f"{text}.{word(rule.value)}")
        sheet.button(cell, value, f"rule:{rule.key}", does, chosen=rule.value != plain[rule.key])
    defaults = deed(draft=replace(draft, options=type(options)()))
    scroll = arrows(first, end, room) if end else ()
    feet(sheet, *scroll, Foot("ui.setup.defaults", "defaults", defaults), CLOSE)


ABOUT = ("who", "goal.1", "goal.2", "goal.3")
"""What is said of a game before it: `<game>.about.<one of these>`."""


def about(game: str) -> tuple[Sentence, ...]:
    """Who a game is for, and how it is won, in three sentences."""
    return tuple(Sentence(f"{game}.about.{part}") for part in ABOUT)


def for_whom(game: str, words: Words) -> Deed:
    """Tell how many a game is for: somebody wants to begin too early."""
    told = tuple(one for one in about(game)[:1] if one.key in words)
    return deed(Tell(told)) if told else Deed()


def about_page(sheet: Sheet, frame: SetupFrame) -> None:
    """The game in short, for somebody who does not know it; aloud where that is asked for."""
    told = about(frame.glass.draft.game)
    body = leaf(sheet, "ui.setup.about")
    high = body.h // len(told)
    for place, sentence in enumerate(told):
        row = pygame.Rect(body.x, body.y + place * high, body.w, high)
        sheet.text(row, sheet.words.text(sentence, frame.names), 1.5, TEXT if place else SOFT)
    feet(sheet, Foot("ui.say", "say", deed(Tell(told)), PRIMARY), CLOSE)


def settings(sheet: Sheet, frame: SetupFrame) -> None:
    settings_body(sheet, leaf(sheet, "ui.settings"), frame)
    feet(sheet, Foot("ui.setup.sides", "sides", deed(overlay="sides")), CLOSE)


def sided(frame: SetupFrame, chair: Chair) -> Deed:
    """Who sits next to the screen: first on its left, then on its right."""
    if frame.glass.about < 0:
        return deed(about=chair)
    if chair == frame.glass.about:
        return Deed()
    first, mirrored = sat(frame.glass.about, chair, frame.chairs)
    return deed(Change("first_chair", first), Change("mirrored", value=mirrored), overlay="", about=-1)


def sides(sheet: Sheet, frame: SetupFrame) -> None:
    """Asked by one press each; a finger may press for them."""
    left = frame.glass.about
    body = leaf(sheet, "ui.setup.sides")
    words = pygame.Rect(body.x, body.y, body.w, sheet.em(3.2))
    asked = "ui.setup.sides.left" if left < 0 else "ui.setup.sides.right"
    sheet.text(words, sheet.tr(asked), 1.6, TEXT, bold=True)
    room = pygame.Rect(body.x, words.bottom, body.w, body.bottom - words.bottom)
    others = [chair for chair in in_order(frame.glass, range(frame.chairs)) if chair != left]
    for cell, chair in zip(ring.grid(len(others), room, sheet.em(0.4)), others, strict=True):
        chair_tile(sheet, cell, chair, marked=False, name=name_of(sheet, frame, chair))
        sheet.target(f"sits:{chair}", cell, sided(frame, chair))
    feet(sheet, CLOSE)


CHAIR_OVERLAYS: Mapping[str, Callable[[Sheet, SetupFrame], None]] = {
    "chair": chair_menu,
    "swap": swap,
    "name": typed_name,
    "rules": rules,
    "about": about_page,
    "settings": settings,
    "sides": sides,
    "help": page_help,
}
