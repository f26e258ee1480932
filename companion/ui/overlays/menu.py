"""The menu of a running game: the dialogs that leave it, and help with the table and the keys."""

from companion.ui.commands import (
    AbandonGame,
    CallJudge,
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
from companion.ui.layout import Box
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    PRIMARY_FILL,
    QUESTION_SPAN,
    STAY_BUTTON,
    DialogButton,
    paint_button_grid,
    paint_buttons,
    paint_dialog,
)
from companion.ui.overlays.repair import is_repairable
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import INK, PAPER, SOFT, TEXT


def paint_menu(sheet: Sheet, frame: GameFrame) -> None:
    """Everything that is not the game itself; a paused game stands here."""
    paused = frame.view.paused
    body = paint_dialog(sheet, "ui.paused" if paused else "ui.menu", footed=False)
    go_on = DialogButton("ui.continue", "continue", touch_action(ContinueGame(), overlay=""), PRIMARY_FILL)
    entries = [
        go_on if paused else DialogButton("ui.back_to_game", "close", touch_action(overlay=""), PRIMARY_FILL),
        DialogButton(
            "ui.take_back", "take_back", touch_action(overlay="take_back") if frame.can_undo else None
        ),
        DialogButton("ui.assist", "assist", touch_action(overlay="assist")),
        DialogButton("ui.log", "log", touch_action(overlay="log")),
        DialogButton(
            "ui.correct", "correct", touch_action(overlay="correct") if frame.last_reading else None
        ),
        DialogButton(
            "ui.repair", "repair", touch_action(overlay="repair") if is_repairable(frame.view) else None
        ),
        DialogButton("ui.read_again", "read_again", touch_action(RereadTable(), overlay="")),
        DialogButton("ui.settings", "settings", touch_action(overlay="settings")),
        DialogButton("ui.help", "help", touch_action(overlay="help")),
        DialogButton("ui.leave", "leave", touch_action(overlay="leave")),
    ]
    if frame.joinable:  # the game waits meanwhile: a chair's button says yes there
        entries.insert(
            -2, DialogButton("ui.phones", "phones", touch_action(PauseGame(), ShowPage("phones"), overlay=""))
        )
    if frame.judge:
        asks = "ui.judge" if frame.judge == "free" else "ui.judge.take_back"
        entries.insert(-2, DialogButton(asks, "judge", touch_action(CallJudge(), overlay="")))
    if frame.finishes:
        entries.insert(4, DialogButton("ui.finish", "finish", touch_action(overlay="finish")))
    if frame.can_redo:  # only after something was taken back, until anything else happens
        entries.insert(2, DialogButton("ui.put_back", "put_back", touch_action(RedoRuling(), overlay="")))
    if not paused:
        entries.insert(1, DialogButton("ui.pause", "pause", touch_action(PauseGame(), overlay="")))
    room = body
    if frame.trouble is not None:
        room = sheet.paint_warning(body, sheet.sentence(frame.trouble))
    paint_button_grid(sheet, room, entries, columns=3)


def paint_leave_dialog(sheet: Sheet, frame: GameFrame) -> None:
    """Leave the game: to go on later, or for good."""
    body = paint_dialog(sheet, "ui.leave", span=QUESTION_SPAN)
    words = Box(body.x, body.y, body.w, sheet.em(4))
    learning, unkept = _is_lesson(frame), _is_unsaved(frame)
    said = "ui.leave.demo" if frame.demo is not None else _loss_key(frame) or "ui.leave.question"
    sheet.text(words, sheet.tr(said), 1.3, SOFT, middle=False)
    room = Box(body.x, words.bottom, body.w, body.h - words.h)
    later = "ui.home" if unkept else "ui.leave.later"
    entries = [DialogButton(later, "later", touch_action(ShowPage("home"), overlay=""), PRIMARY_FILL)]
    if frame.demo is not None:
        entries = [
            DialogButton("ui.demo.leave", "later", touch_action(LeaveOrQuit(), overlay=""), PRIMARY_FILL)
        ]
    elif not learning:
        entries.append(DialogButton("ui.leave.abandon", "abandon", touch_action(AbandonGame(), overlay="")))
    paint_button_grid(sheet, room, entries, columns=1, high=4.2)
    paint_buttons(sheet, CLOSE_BUTTON, span=QUESTION_SPAN)


def _is_lesson(frame: GameFrame) -> bool:
    return frame.guide is not None and frame.guide.steps > 0


def _is_unsaved(frame: GameFrame) -> bool:
    return _is_lesson(frame) or (frame.guide is not None and frame.guide.kind == "practice")


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
    words = Box(body.x, body.y, body.w, sheet.em(4))
    sheet.text(words, sheet.tr("ui.uncover.question"), 1.3, SOFT, middle=False)
    room = Box(body.x, words.bottom, body.w, body.h - words.h)
    paint_button_grid(
        sheet,
        room,
        [DialogButton("ui.uncover", "uncover", touch_action(RevealHiddenCards(), overlay=""))],
        columns=1,
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


def paint_game_keys(sheet: Sheet, frame: GameFrame) -> None:
    paint_key_list(sheet, (*EVERYWHERE, *IN_GAME))


def paint_page_keys(sheet: Sheet, frame: PageFrame) -> None:
    paint_key_list(sheet, (*EVERYWHERE, ("S", "read")))


def paint_key_list(sheet: Sheet, listed: tuple[tuple[str, str], ...]) -> None:
    """Two columns of keys with what they do."""
    body = paint_dialog(sheet, "ui.help")
    gap = sheet.em(0.5)
    rows = -(-len(listed) // 2)
    height = min(body.h // rows, sheet.em(3))
    width = (body.w - gap) // 2
    for place, (key, meaning) in enumerate(listed):
        column, row = divmod(place, rows)
        cell = Box(body.x + column * (width + gap), body.y + row * height, width, height)
        cap = Box(cell.x, cell.centery - sheet.em(0.75), sheet.em(5.2), sheet.em(1.5))
        sheet.box(cap, PAPER, radius=0.25)
        _paint_key_cap(sheet, cap, key)
        words = Box(cap.right + sheet.em(0.5), cell.y, cell.right - cap.right - sheet.em(0.5), cell.h)
        sheet.text(words, sheet.tr(f"ui.key.{meaning}"), 1.0, TEXT)
    paint_buttons(sheet, PRIMARY_CLOSE_BUTTON)


def _paint_key_cap(sheet: Sheet, cap: Box, key: str) -> None:
    """What is printed on a key: words, or arrows."""
    pieces = key.split(" ")
    wide, side = [], sheet.em(0.85)
    for piece in pieces:
        words = sheet.tr("ui.key.space") if piece == "Space" else piece
        wide.append(side if piece in ARROWS else sheet.text_width(words, bold=True))
    gap = sheet.em(0.3)
    x = cap.centerx - (sum(wide) + gap * (len(pieces) - 1)) // 2
    for piece, width in zip(pieces, wide, strict=True):
        if piece in ARROWS:
            sheet.picture(sheet.art.motif(piece, side), (x + side // 2, cap.centery))
        else:
            words = sheet.tr("ui.key.space") if piece == "Space" else piece
            sheet.text(Box(x, cap.y, width, cap.h), words, 1.0, INK, bold=True)
        x += width + gap


def paint_help_menu(sheet: Sheet, frame: GameFrame) -> None:
    """The three questions people have; the voice and the keys are at the foot."""
    body = paint_dialog(sheet, "ui.assist", span=QUESTION_SPAN)
    asked = [
        DialogButton("ui.why", "why", touch_action(overlay="why")),
        DialogButton("ui.may", "may", touch_action(overlay="may")),
        DialogButton("ui.wrong", "wrong", touch_action(overlay="wrong")),
    ]
    paint_button_grid(sheet, _paint_trouble(sheet, body, frame), asked, columns=1, high=4.6)
    paint_buttons(
        sheet,
        DialogButton("ui.repeat", "repeat", touch_action(SpeakSentences(), overlay="")),
        DialogButton("ui.help", "help", touch_action(overlay="help")),
        CLOSE_BUTTON,
        span=QUESTION_SPAN,
    )


def paint_mismatch_help(sheet: Sheet, frame: GameFrame) -> None:
    """Screen and table differ: undo, fix a card, correct the game, or let the camera look again."""
    body = paint_dialog(sheet, "ui.wrong", span=QUESTION_SPAN)
    ways = [
        DialogButton(
            "ui.take_back", "take_back", touch_action(overlay="take_back") if frame.can_undo else None
        ),
        DialogButton(
            "ui.correct", "correct", touch_action(overlay="correct") if frame.last_reading else None
        ),
        DialogButton(
            "ui.repair", "repair", touch_action(overlay="repair") if is_repairable(frame.view) else None
        ),
        DialogButton("ui.read_again", "read_again", touch_action(RereadTable(), overlay="")),
    ]
    paint_button_grid(sheet, _paint_trouble(sheet, body, frame), ways, columns=1, high=4.0)
    paint_buttons(sheet, CLOSE_BUTTON, span=QUESTION_SPAN)


def _paint_trouble(sheet: Sheet, body: Box, frame: GameFrame) -> Box:
    """What ails the table now, at the foot; returns the rest."""
    if frame.trouble is None:
        return body
    return sheet.paint_warning(body, sheet.sentence(frame.trouble))
