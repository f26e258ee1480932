"""Dialogs of the home page: practice, lessons, updates, the way out."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from companion.core.view import Sentence
from companion.system.appliance import MachineStatus, UpdateOffer
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import (
    CopyGames,
    InstallUpdate,
    LeaveOrQuit,
    ResumeGame,
    ShowPage,
    StartLesson,
    StartPractice,
    SwitchOff,
)
from companion.ui.frame import GameOffer, HomeFrame
from companion.ui.layout import FILL, Box, best_grid, columns, grid, rows
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    DialogButton,
    felt_room,
    paint_bar,
    paint_felt_page,
    scroll_buttons,
    scroll_range,
)
from companion.ui.overlays.felt_choices import (
    FeltChoice,
    draw_fan,
    draw_motif,
    draw_players,
    draw_sign_card,
    paint_felt_choices,
    paint_press_legend,
    paint_statement,
    paint_ways,
)
from companion.ui.overlays.menu import paint_quit_ways
from companion.ui.toolkit.sheet import EM_PER_U, Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import CHAIR, INK, LOOK, PAPER, RAISED, SOFT, TEXT, blend

PRACTICE, LESSONS, LEARN, PIN = "practice:", "lessons:", "learn:", "update:"
STRENGTHS = ("easy", "medium", "strong")
DIGITS = "1234567890"
PIN_KEYS = 6
"""So many keys of the PIN stand side by side."""
USUAL_PLAYERS = 4
"""This many practise where nobody says otherwise, or as few as the game is for."""
OPEN = "open"
"""The table on which all cards lie open."""
FEW_FINDINGS, FINDING = 3, 4.0
"""So few findings are as large as they get; the width of one to its height."""
MOST_LINES = 4
"""Of a finding's sentence, where they stand in one column."""
DEED = 1.6
"""How many times larger than what to do it says what is wrong, at most."""
FINDING_SIGNS: Sequence[tuple[str, str, set[str]]] = (
    ("camera", "blue", {"camera", "webcam", "marks", "judging", "preview"}),
    ("sound", "green", {"sound", "voice", "outputs"}),
    ("button", "purple", {"buttons", "pins", "pin", "encoder", "lamps", "unplugged"}),
    ("screen", "orange", {"screen", "page", "overlay"}),
)
"""Icon, colour of its ground, and the words of a finding's key."""

REMEDY_PAGES: Mapping[str, str] = {"ui.outputs.unchosen": "sound", "ui.voice_pack.unchosen": "voice"}
"""Finding → the page on which it is mended."""


def findings_action(found: Sequence[Sentence]) -> TouchAction:
    """What a touch on the findings does: they are read in full, or a single one is mended on its page."""
    page = REMEDY_PAGES.get(found[0].key) if len(found) == 1 else None
    return touch_action(overlay="doctor") if page is None else touch_action(ShowPage(page))


def home_buttons(frame: HomeFrame, offer: GameOffer | None) -> tuple[DialogButton, ...]:
    """What can be done besides beginning a game, the likely first; what has no room stands under More."""
    unfinished = next((game for game in frame.games if not game.finished and not game.closed), None)
    found = []
    if unfinished is not None:
        found.append(DialogButton("ui.home.continue", "resume", touch_action(ResumeGame(unfinished.game_id))))
    if offer is not None and offer.taught:
        found.append(DialogButton("ui.home.learn", "learn", touch_action(overlay=LESSONS)))
    if offer is not None and offer.practised:
        found.append(
            DialogButton("ui.home.practice", "practice", touch_action(overlay=f"{PRACTICE}{offer.game}"))
        )
    found.append(DialogButton("ui.home.games", "games", touch_action(ShowPage("games"))))
    if offer is not None and offer.watched:
        found.append(DialogButton("ui.demo", "demo", touch_action(ShowPage("demo", offer.game))))
    if frame.joinable:
        found.append(DialogButton("ui.phones", "phones", touch_action(ShowPage("phones"))))
    way_out = DialogButton("ui.quit", "quit", touch_action(LeaveOrQuit()))
    if frame.machine != MachineStatus():
        way_out = DialogButton("ui.machine", "machine", touch_action(overlay="machine"))
    found += [
        DialogButton("ui.settings", "settings", touch_action(ShowPage("settings"))),
        DialogButton("ui.help", "help", touch_action(overlay="help")),
        way_out,
    ]
    return tuple(found)


MORE_BUTTON = DialogButton("ui.home.more", "more", touch_action(overlay="more"))


def paint_more_buttons(sheet: Sheet, rest: tuple[DialogButton, ...]) -> None:
    """What the foot of the page had no room for."""
    paint_ways(sheet, sheet.tr("ui.home.more"), rest, CLOSE_BUTTON)


def paint_quit_dialog(sheet: Sheet, _: HomeFrame) -> None:
    """Whether to leave the program; staying is marked."""
    paint_quit_ways(sheet, touch_action(LeaveOrQuit()))


def paint_doctor_dialog(sheet: Sheet, frame: HomeFrame) -> None:
    """Everything that was found to be wrong with this table, and what to do about each; a touch leads there.

    No sentence is cut: what does not fit so stands in one column, which is scrolled.
    """
    felt, bar = paint_felt_page(sheet, sheet.tr("ui.wrong.things", count=len(frame.doctor)))
    room, gap = felt_room(sheet, felt), sheet.u(LOOK.choice["gap"])
    room = room.inflate(-2 * gap, 0)
    said = [sheet.sentence(found) for found in frame.doctor]
    first, scroll = 0, tuple[DialogButton, ...]()
    cells = best_grid(room, max(FEW_FINDINGS, len(said)), gap, shape=FINDING)
    if any(
        _finding_height(sheet, told.w, text, 1.0) > told.h
        for told, text in zip((_divide_finding(sheet, cell)[1] for cell in cells), said, strict=False)
    ):
        cells = _finding_rows(sheet, room, said, gap)
        first, last = scroll_range(len(said), len(cells), frame.ui_state.scroll)
        scroll = scroll_buttons(first, last, len(cells))
    paint_bar(sheet, bar, *scroll, PRIMARY_CLOSE_BUTTON)
    shown = [
        (text, cell, *_divide_finding(sheet, cell)) for text, cell in zip(said[first:], cells, strict=False)
    ]
    scale = DEED
    while scale > 1 and any(
        _finding_height(sheet, told.w, text, scale) > told.h for text, _, _, told in shown
    ):
        scale = max(1.0, scale * LOOK.text["step"])
    for place, (text, cell, card, told) in enumerate(shown, first):
        words = _words(frame.doctor[place].key)
        found = (one for one in FINDING_SIGNS if one[2] & words)
        sign, colour, _ = next(found, ("alert", "orange", words))
        sheet.box(cell, PAPER, radius=EM_PER_U * LOOK.radius["plate"])
        sheet.box(card, blend(CHAIR[colour], INK, 0.25), radius=EM_PER_U * LOOK.radius["plate"])
        sheet.picture(draw_icon(sheet, sign, min(card.size) * 3 // 4, PAPER), card.center)
        _paint_finding(sheet, told, text, scale)
        if page := REMEDY_PAGES.get(frame.doctor[place].key):
            sheet.target(page, cell, touch_action(ShowPage(page)))


def _paint_finding(sheet: Sheet, told: Box, text: str, scale: float) -> None:
    """What is wrong, and below it what to do."""
    wrong, deed = _divide_words(text)
    above = sheet.line_height * len(_finding_lines(sheet, told.w, wrong, 1.0))
    below = sheet.painter.line_height(scale) * len(_finding_lines(sheet, told.w, deed, scale))
    upper, lower = rows(told, above, below, justify="center")
    if wrong:
        sheet.text(upper, wrong, 1.0, INK, grows=False)
    sheet.text(lower, deed, scale, INK, bold=True, grows=False)


def _divide_words(text: str) -> tuple[str, str]:
    """What is wrong, and what to do: after a colon, a full stop or a question mark; alone it is a deed."""
    wrong, mark, deed = re.split("([:.?]) |$", text, maxsplit=1)
    return (f"{wrong}{mark}".rstrip(":"), deed[:1].upper() + deed[1:]) if deed else ("", wrong)


def _finding_lines(sheet: Sheet, wide: int, words: str, scale: float) -> tuple[str, ...]:
    tall = 2 * MOST_LINES * sheet.painter.line_height(scale)
    return sheet.painter.fit_text(words, wide, tall, scale, bold=True, least=scale).lines if words else ()


def _finding_height(sheet: Sheet, wide: int, text: str, scale: float) -> int:
    """What both take, one below the other, the deed in letters of this `scale`."""
    wrong, deed = _divide_words(text)
    above = len(_finding_lines(sheet, wide, wrong, 1.0)) * sheet.line_height
    return above + sheet.painter.line_height(scale) * len(_finding_lines(sheet, wide, deed, scale))


def _divide_finding(sheet: Sheet, cell: Box) -> tuple[Box, Box]:
    """Where its sign lies, and where it is said."""
    gap = sheet.u(LOOK.choice["gap"])
    card, told = columns(cell, min(cell.h, cell.w // 4), FILL, gap=gap)
    return card, told.inset(right=gap).inflate(0, -sheet.em(0.3))


def _finding_rows(sheet: Sheet, room: Box, said: Sequence[str], gap: int) -> tuple[Box, ...]:
    """As many rows, all as high as the longest sentence needs, as there is room for."""
    pad = sheet.em(0.6)
    sign = MOST_LINES * sheet.line_height + pad
    widest = room.inset(left=sign + gap, right=gap).w
    high = pad + max(_finding_height(sheet, widest, text, 1.0) for text in said)
    held = min(len(said), max(1, (room.h + gap) // (high + gap)))
    return rows(room, *[high] * held, gap=gap, justify="center")


def _words(key: str) -> set[str]:
    """`shared.CameraWentDark` as camera, went, dark."""
    return {word.lower() for word in re.findall("[A-Z]?[a-z]+", key)}


def paint_machine_dialog(sheet: Sheet, frame: HomeFrame) -> None:
    """Copy the games, switch off, or leave the program."""
    able = frame.machine
    told = [sheet.tr("ui.copy.lead" if able.stick else "ui.copy.no_stick")]
    if able.power:
        told.append(sheet.tr("ui.off.lead"))
    copies, updates = able.stick and not able.copying, able.update is not None
    ways = (
        DialogButton("ui.copy", "copy", touch_action(CopyGames(), overlay="") if copies else None),
        DialogButton("ui.update", "update", touch_action(overlay="update") if updates else None),
        DialogButton("ui.off", "off", touch_action(SwitchOff(), overlay="") if able.power else None),
        DialogButton("ui.quit", "quit", touch_action(LeaveOrQuit())),
    )
    paint_ways(sheet, sheet.tr("ui.machine"), ways, CLOSE_BUTTON, lead="\n".join(told))


def paint_update_dialog(sheet: Sheet, frame: HomeFrame) -> None:
    """The version on the stick, who vouches for it, and a yes that is nobody's but a person's."""
    found = frame.machine.update or UpdateOffer(refused=Sentence("ui.update.gone"))
    if found.refused is not None:
        title = sheet.tr("ui.update")
        paint_statement(sheet, title, sheet.sentence(found.refused), PRIMARY_CLOSE_BUTTON, sign="alert")
        return
    title = sheet.tr("ui.update.question", version=found.version)
    told = [sheet.tr("ui.update.signed" if found.signed else "ui.update.unsigned")]
    if found.older:
        told.append(sheet.tr("ui.update.older"))
    if found.hold:
        told.append(sheet.tr("ui.update.hold"))
    told.append(found.digest)
    does = touch_action(overlay=PIN) if found.pin else touch_action(InstallUpdate(found.digest), overlay="")
    install = DialogButton("ui.update.yes", "install", does)
    paint_statement(sheet, title, "\n".join(told), install, PRIMARY_CLOSE_BUTTON, sign="copy")


def paint_pin_pad(sheet: Sheet, frame: HomeFrame, typed: str) -> None:
    """Ten keys for the owner's PIN; what was typed is shown as dots, for others look on."""
    found = frame.machine.update
    if found is None or not found.pin:
        paint_update_dialog(sheet, frame)
        return
    felt, bar = paint_felt_page(sheet, sheet.tr("ui.update.pin"))
    body = felt_room(sheet, felt)
    high = sheet.em(2.4)
    dots = "• " * len(typed) + "– " * (found.pin - len(typed))
    sheet.text(Box(body.x, body.y, body.w, high), dots.strip(), 2.0, TEXT, bold=True, align="center")
    more = len(typed) < found.pin
    keys = [
        (digit, f"digit:{digit}", touch_action(overlay=f"{PIN}{typed}{digit}") if more else None)
        for digit in DIGITS
    ]
    erase = touch_action(overlay=f"{PIN}{typed[:-1]}") if typed else None
    keys.append((sheet.tr("ui.update.erase"), "erase", erase))
    cells = grid(body.inset(top=high), len(keys), PIN_KEYS, gap=sheet.em(0.4))
    for cell, (label, key, does) in zip(cells, keys, strict=True):
        sheet.button(cell, label, key, does, fill=RAISED if key == "erase" else PAPER, scale=2.0, bold=True)
    done = None if more else touch_action(InstallUpdate(found.digest, typed), overlay="")
    paint_bar(sheet, bar, DialogButton("ui.update.yes", "install", done), PRIMARY_CLOSE_BUTTON)


def paint_practice_choice(sheet: Sheet, frame: HomeFrame, chosen: str) -> None:
    """Three strengths, and the table on which all cards lie open; below, how many sit there.

    `chosen`: the game, or the game and how many sit there: `game:5+` with a BOT.
    """
    game, _, table = chosen.partition(":")
    offer = next((offer for offer in frame.offered if offer.game == game), GameOffer(game, 0, 0))
    players, bot = int(table.removesuffix("+") or max(USUAL_PLAYERS, offer.least)), table.endswith("+")
    choices = []
    for many, strength in enumerate((*STRENGTHS, OPEN), 1):
        level = "medium" if strength == OPEN else strength
        begins = _practice_action(game, level, players, bot=bot, is_open=strength == OPEN)
        told = sheet.tr(f"ui.practice.{strength}"), sheet.tr(f"ui.practice.{strength}.line")
        fan = partial(draw_fan, faces=offer.cover.faces[:many])
        if strength == OPEN:
            fan = partial(draw_sign_card, sign="book", colour=LOOK.colour("back"), place=1)
        choices.append(FeltChoice(strength, *told, begins, fan))
    title = sheet.tr("ui.practice.who", game=sheet.tr(f"{game}.name"))
    back = DialogButton("ui.button.back", "close", touch_action(overlay=""))
    free = paint_felt_choices(sheet, title, choices, [back])
    if len(offer.tables) > 1:
        _paint_table_sizes(sheet, free, offer, (players, bot))


def _practice_action(
    game: str, strength: str, players: int, *, bot: bool, is_open: bool = False
) -> TouchAction:
    return touch_action(StartPractice(game, strength, is_open, players, bot), overlay="")


def _paint_table_sizes(sheet: Sheet, bar: Box, offer: GameOffer, chosen: tuple[int, bool]) -> None:
    """How many sit at the table, the person too: at the end of the bar, and what that is if it has room."""
    gap = sheet.em(0.2)
    for deck in (f" + {sheet.tr('ui.bot')}", "+"):
        told = [f"{players}{deck * bot}" for players, bot in offer.tables]
        wide = [
            max(sheet.text_width(words, bold=True) + sheet.em(0.7), sheet.min_touch_height) for words in told
        ]
        share = min(1.0, (bar.w - gap * len(wide)) / sum(wide))
        if share == 1.0:
            break
    label, *cells = columns(bar, FILL, *[int(one * share) for one in wide], gap=gap)
    words = sheet.tr("ui.practice.players")
    if sheet.text_width(words) <= label.w:
        sheet.text(label, words, 1.0, SOFT, align="right")
    for cell, words, (players, bot) in zip(cells, told, offer.tables, strict=True):
        table = f"{players}{'+' * bot}"
        onto = touch_action(overlay=f"{PRACTICE}{offer.game}:{table}")
        sheet.button(cell, words, f"table:{table}", onto, bold=True, chosen=(players, bot) == chosen)


def paint_lesson_choice(sheet: Sheet, frame: HomeFrame, game: str) -> None:
    """The lessons of a game, or, where none is named, the games that have any."""
    offers = [one for one in frame.offered if one.lessons and game in {"", one.game}]
    choices = []
    for offer in offers:
        if game:  # they differ by for how many they are
            for one in offer.lessons:
                picture = partial(draw_players, chairs=tuple(range(one.players)))
                onto = _open(LEARN, one.lesson)
                told = sheet.tr(one.title), _minutes(sheet, one.minutes)
                choices.append(FeltChoice(f"lesson:{one.lesson}", *told, onto, picture, (one.done,)))
            continue
        several = len(offer.lessons) > 1
        onto = _open(LESSONS, offer.game) if several else _open(LEARN, offer.lessons[0].lesson)
        line = _minutes(sheet, sum(one.minutes for one in offer.lessons))
        done = tuple(one.done for one in offer.lessons)
        choices.append(game_choice(sheet, offer, line, onto, done))
    title = sheet.tr("ui.learn.which" if game else "ui.learn.what")
    paint_steps(sheet, title, choices, touch_action(overlay=LESSONS if game else ""))


def game_choice(
    sheet: Sheet, offer: GameOffer, line: str, action: TouchAction, done: tuple[bool, ...] = ()
) -> FeltChoice:
    """A game as one of several; `done`: which of its parts."""
    cover = offer.cover
    fan = partial(draw_fan, faces=cover.faces) if cover.faces else partial(draw_motif, motif=cover.motif)
    return FeltChoice(offer.game, sheet.tr(f"{offer.game}.name"), line, action, fan, done)


def _minutes(sheet: Sheet, minutes: int) -> str:
    return sheet.tr("ui.home.minutes", minutes=minutes) if minutes else ""


def paint_pupil_choice(sheet: Sheet, frame: HomeFrame, lesson: str) -> None:
    """Everybody a step in turn, or one newcomer among people who know the game."""
    offer, players = next(
        (offer, one.players) for offer in frame.offered for one in offer.lessons if one.lesson == lesson
    )
    everybody = ("everybody", sheet.tr("ui.learn.everybody"), tuple(range(players)))
    pupils = [everybody, *((f"pupil:{one}", sheet.name(one), (one,)) for one in range(players))]
    choices = []
    for key, words, learn in pupils:
        alone = key != "everybody"
        line = "" if alone else sheet.tr("ui.learn.everybody.line")
        begins = touch_action(StartLesson(lesson, (), learn if alone else ()), overlay="")
        choices.append(FeltChoice(key, words, line, begins, partial(draw_players, chairs=learn)))
    back = LESSONS + offer.game if len(offer.lessons) > 1 else LESSONS
    paint_steps(sheet, sheet.tr("ui.learn.who"), choices, touch_action(overlay=back))


def _open(kind: str, what: str) -> TouchAction:
    return touch_action(overlay=f"{kind}{what}")


def paint_steps(sheet: Sheet, title: str, choices: Sequence[FeltChoice], back: TouchAction) -> None:
    """A choice with the way back, and how anybody's button chooses."""
    free = paint_felt_choices(sheet, title, choices, [DialogButton("ui.button.back", "close", back)])
    paint_press_legend(sheet, free, sheet.tr("ui.next_choice"), sheet.tr("ui.learn.choose"))


DIALOGS: Mapping[str, Callable[[Sheet, HomeFrame], None]] = {
    "doctor": paint_doctor_dialog,
    "machine": paint_machine_dialog,
    "update": paint_update_dialog,
    "quit": paint_quit_dialog,
}
DIALOGS_ABOUT: Mapping[str, Callable[[Sheet, HomeFrame, str], None]] = {
    PIN: paint_pin_pad,
    PRACTICE: paint_practice_choice,
    LESSONS: paint_lesson_choice,
    LEARN: paint_pupil_choice,
}
"""What is painted for an overlay that says what it is about: `practice:` and a game."""
