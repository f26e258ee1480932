"""The menu of a running game: the dialogs that leave it, and help with the table and the keys."""

from collections.abc import Mapping, Sequence
from functools import partial

from companion.ui.commands import (
    AbandonGame,
    CallJudge,
    ChangeSpeed,
    ContinueGame,
    LeaveOrQuit,
    PauseGame,
    RedoRuling,
    RereadTable,
    RevealHiddenCards,
    ShowPage,
    SpeakSentences,
)
from companion.ui.frame import GameFrame, PageFrame
from companion.ui.layout import FILL, Box, columns, rows, stack
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    PRIMARY_FILL,
    QUESTION_SPAN,
    STAY_BUTTON,
    DialogButton,
    overlay_button,
    paint_button_grid,
    paint_buttons,
    paint_dialog,
)
from companion.ui.overlays.felt_choices import FeltChoice, draw_sign_card, paint_felt_choices
from companion.ui.overlays.repair import is_repairable
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import CHAIR, INK, PAPER, SOFT, TEXT, blend

MENU_CARDS = (
    ("ui.menu.on", "play", "green"),
    ("ui.menu.wrong", "undo", "blue"),
    ("ui.menu.assist", "book", "purple"),
    ("ui.menu.settings", "sound", "orange"),
    ("ui.menu.leave", "exit", "red"),
)
"""The five cards: what each is called, its sign, its colour."""

WAY_SIGNS: Mapping[str, str] = {
    "why": "help",
    "may": "button",
    "wrong": "alert",
    "log": "speech",
    "finish": "focus",
    "take_back": "undo",
    "put_back": "arrow",
    "correct": "sheet",
    "repair": "check",
    "read_again": "camera",
}
"""What stands on the card of a way out of a question, by its key."""
WAY_COLOURS = ("purple", "blue", "orange", "green", "red")


def paint_menu(sheet: Sheet, frame: GameFrame) -> None:
    """What is not the game itself: five ways on, and the rare things; a paused game stands here."""
    paused = frame.view.paused
    on = (
        ("continue", touch_action(ContinueGame(), overlay=""))
        if paused
        else ("close", touch_action(overlay=""))
    )
    ways = (on, *((key, touch_action(overlay=key)) for key in ("wrong", "assist", "settings", "leave")))
    lost = frame.demo is not None or _loss_key(frame)
    choices = []
    for place, ((key, does), (words, sign, colour)) in enumerate(zip(ways, MENU_CARDS, strict=True)):
        line = f"{words}.lost" if words == "ui.menu.leave" and lost else f"{words}.line"
        card = partial(draw_sign_card, sign=sign, colour=blend(CHAIR[colour], INK, 0.25), place=place)
        choices.append(FeltChoice(key, sheet.tr(words), sheet.tr(line), does, card))
    rare = [] if paused else [DialogButton("ui.pause", "pause", touch_action(PauseGame(), overlay=""))]
    if frame.view.extras:
        rare.insert(0, overlay_button("extras"))
    if frame.joinable:  # the game waits meanwhile: a chair's button says yes there
        onto = touch_action(PauseGame(), ShowPage("phones"), overlay="")
        rare.append(DialogButton("ui.phones", "phones", onto))
    if frame.demo is not None:
        faster = touch_action(ChangeSpeed(frame.demo.next_speed))
        rare.append(DialogButton("ui.demo.speed", "speed", faster))
    if frame.judge:
        asks = "ui.judge" if frame.judge == "free" else "ui.judge.take_back"
        rare.append(DialogButton(asks, "judge", touch_action(CallJudge(), overlay="")))
    warning = "" if frame.trouble is None else sheet.sentence(frame.trouble)
    title = sheet.tr("ui.menu.waits" if paused else "ui.menu")
    paint_felt_choices(sheet, title, choices, rare, warning)


def paint_leave_dialog(sheet: Sheet, frame: GameFrame) -> None:
    """Leave the game: to go on later, or for good."""
    body = paint_dialog(sheet, "ui.leave", span=QUESTION_SPAN)
    words, room = rows(body, sheet.em(4), FILL)
    learning, unkept = _is_lesson(frame), _is_unsaved(frame)
    said = "ui.leave.demo" if frame.demo is not None else _loss_key(frame) or "ui.leave.question"
    sheet.text(words, sheet.tr(said), 1.3, SOFT, middle=False)
    later = "ui.home" if unkept else "ui.leave.later"
    entries = [DialogButton(later, "later", touch_action(ShowPage("home"), overlay=""), PRIMARY_FILL)]
    if frame.demo is not None:
        entries = [
            DialogButton("ui.demo.leave", "later", touch_action(LeaveOrQuit(), overlay=""), PRIMARY_FILL)
        ]
    elif not learning:
        entries.append(DialogButton("ui.leave.abandon", "abandon", touch_action(AbandonGame(), overlay="")))
    paint_button_grid(sheet, room, entries, across=1, high=4.2)
    paint_buttons(sheet, CLOSE_BUTTON, span=QUESTION_SPAN)


def _is_lesson(frame: GameFrame) -> bool:
    return frame.guide is not None and frame.guide.steps > 0


def _is_unsaved(frame: GameFrame) -> bool:
    return _is_lesson(frame) or (frame.guide is not None and frame.guide.kind in {"practice", "held"})


def _loss_key(frame: GameFrame) -> str:
    """What is lost by leaving now, as a key; empty: nothing."""
    unsaved = frame.trouble is not None and frame.trouble.key.startswith("shared.alarm.storage")
    return "ui.leave.unkept" if _is_unsaved(frame) else "ui.leave.unsaved" if unsaved else ""


def paint_close_dialog(sheet: Sheet, frame: GameFrame) -> None:
    """The window was to be closed: whether to leave the program; staying is marked."""
    body = paint_dialog(sheet, "ui.quit.question", span=QUESTION_SPAN)
    words = Box(body.x, body.y, body.w, sheet.em(4))
    sheet.text(words, sheet.tr(_loss_key(frame) or "ui.quit.kept"), 1.3, SOFT, middle=False)
    paint_buttons(
        sheet,
        STAY_BUTTON,
        DialogButton("ui.quit", "quit", touch_action(LeaveOrQuit(program=True))),
        span=QUESTION_SPAN,
    )


def paint_reveal_dialog(sheet: Sheet, _: PageFrame) -> None:
    """Look at everything in a game that was given up: after that it cannot go on."""
    body = paint_dialog(sheet, "ui.uncover")
    words, room = rows(body, sheet.em(4), FILL)
    sheet.text(words, sheet.tr("ui.uncover.question"), 1.3, SOFT, middle=False)
    paint_button_grid(
        sheet,
        room,
        [DialogButton("ui.uncover", "uncover", touch_action(RevealHiddenCards(), overlay=""))],
        across=1,
    )
    paint_buttons(sheet, CLOSE_BUTTON)


EVERYWHERE = (
    ("1–8", "chair"),
    ("Space", "ok"),
    ("left right", "back_next"),
    ("Tab up down", "focus"),
    ("Enter", "enter"),
    ("Esc", "escape"),
    ("?", "help"),
    ("F11", "fullscreen"),
)
ARROWS = frozenset({"left", "right", "up", "down"})
IN_GAME = (
    ("P", "pause"),
    ("M", "menu"),
    ("H", "assist"),
    ("W", "why"),
    ("A", "may"),
    ("S", "say_again"),
    ("L", "log"),
    ("U", "take_back"),
    ("C", "correct"),
    ("R", "repair"),
)
IN_DEMO = (("V", "camera"), ("F", "speed"))


def paint_game_keys(sheet: Sheet, frame: GameFrame) -> None:
    demo = () if getattr(frame, "demo", None) is None else IN_DEMO
    paint_key_list(sheet, (*EVERYWHERE, *IN_GAME, *demo))


def paint_page_keys(sheet: Sheet, frame: PageFrame) -> None:
    paint_key_list(sheet, (*EVERYWHERE, ("S", "read")))


def paint_key_list(sheet: Sheet, listed: tuple[tuple[str, str], ...]) -> None:
    """Two columns of keys with what they do."""
    body = paint_dialog(sheet, "ui.help")
    most, gap = sheet.em(3), sheet.em(0.5)
    lines = -(-len(listed) // 2)
    sides = columns(body, FILL, FILL, gap=gap)
    cells = [cell for side in sides for cell in rows(side, *[min(body.h // lines, most)] * lines)]
    for cell, (key, meaning) in zip(cells, listed, strict=False):
        cap, words = columns(cell, sheet.em(5.2), FILL, gap=gap)
        cap = Box(cap.x, cell.centery - sheet.em(0.75), cap.w, sheet.em(1.5))
        sheet.box(cap, PAPER, radius=0.25)
        _paint_key_cap(sheet, cap, key)
        sheet.text(words, sheet.tr(f"ui.key.{meaning}"), 1.0, TEXT)
    paint_buttons(sheet, PRIMARY_CLOSE_BUTTON)


def _paint_key_cap(sheet: Sheet, cap: Box, key: str) -> None:
    """What is printed on a key: words, or arrows."""
    side = sheet.em(0.85)
    pieces = [sheet.tr("ui.key.space") if piece == "Space" else piece for piece in key.split(" ")]
    wide = [side if piece in ARROWS else sheet.text_width(piece, bold=True) for piece in pieces]
    gap = sheet.em(0.3)
    row = stack(cap, sum(wide) + gap * (len(pieces) - 1), cap.h)
    for piece, place in zip(pieces, columns(row, *wide, gap=gap), strict=True):
        if piece in ARROWS:
            sheet.picture(sheet.art.motif(piece, side), place.center)
        else:
            sheet.text(place, piece, 1.0, INK, bold=True)


def paint_help_menu(sheet: Sheet, frame: GameFrame) -> None:
    """The three questions people have; the voice and the keys are at the foot."""
    asked = [overlay_button(key) for key in ("why", "may", "wrong", "log")]
    if frame.finishes:
        asked.append(overlay_button("finish"))
    repeat = DialogButton("ui.repeat", "repeat", touch_action(SpeakSentences(), overlay=""))
    _paint_ways(sheet, frame, "ui.assist", asked, repeat, overlay_button("help"), CLOSE_BUTTON)


def paint_mismatch_help(sheet: Sheet, frame: GameFrame) -> None:
    """Screen and table differ: undo, fix a card, correct the game, or let the camera look again."""
    reread = touch_action(RereadTable(), overlay="")
    ways = [
        overlay_button("take_back", able=frame.can_undo),
        overlay_button("correct", able=frame.last_reading is not None),
        overlay_button("repair", able=is_repairable(frame.view)),
        DialogButton("ui.read_again", "read_again", None if _is_unsaved(frame) else reread),
    ]
    if frame.can_redo:  # only after something was taken back, until anything else happens
        ways.insert(1, DialogButton("ui.put_back", "put_back", touch_action(RedoRuling(), overlay="")))
    _paint_ways(sheet, frame, "ui.wrong", ways, CLOSE_BUTTON)


def _paint_ways(
    sheet: Sheet, frame: GameFrame, title: str, ways: Sequence[DialogButton], *foot: DialogButton
) -> None:
    """Those of the ways that can be gone now, as cards on the felt."""
    choices = []
    for place, one in enumerate(way for way in ways if way.action is not None):
        assert one.action is not None
        colour = blend(CHAIR[WAY_COLOURS[place % len(WAY_COLOURS)]], INK, 0.25)
        card = partial(draw_sign_card, sign=WAY_SIGNS[one.key], colour=colour, place=place)
        choices.append(FeltChoice(one.key, sheet.tr(one.words), "", one.action, card))
    if not choices:
        paint_dialog(sheet, title)
        paint_buttons(sheet, *foot)
        return
    warning = "" if frame.trouble is None else sheet.sentence(frame.trouble)
    paint_felt_choices(sheet, sheet.tr(title), choices, foot, warning)
