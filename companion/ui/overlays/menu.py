"""The menu of a running game with the dialogs that leave it."""

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
)
from companion.ui.frame import GameFrame, PageFrame
from companion.ui.layout import Box
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
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
from companion.ui.toolkit.theme import SOFT


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
