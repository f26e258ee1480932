"""The menu of a running game: the dialogs that leave it, and help with the table."""

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
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    STAY_BUTTON,
    DialogButton,
    overlay_button,
)
from companion.ui.overlays.felt_choices import (
    FeltChoice,
    draw_sign_card,
    paint_felt_choices,
    paint_statement,
    paint_ways,
)
from companion.ui.overlays.repair import is_repairable
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import CHAIR, INK, blend

MENU_CARDS = (
    ("ui.menu.on", "play", "green"),
    ("ui.menu.wrong", "undo", "blue"),
    ("ui.menu.assist", "book", "purple"),
    ("ui.menu.settings", "sound", "orange"),
    ("ui.menu.leave", "exit", "red"),
)
"""The five cards: what each is called, its sign, its colour."""


def paint_menu(sheet: Sheet, frame: GameFrame) -> None:
    """What is not the game itself: five ways on, and the rare things; a paused game stands here."""
    paused = frame.view.paused
    on = (
        ("continue", touch_action(ContinueGame(), overlay=""))
        if paused
        else ("close", touch_action(overlay=""))
    )
    ways = (on, *((key, touch_action(overlay=key)) for key in ("wrong", "assist", "settings", "leave")))
    lost = sheet.tr("ui.menu.leave.lost") if frame.demo is not None or _loss_key(frame) else ""
    choices = []
    for place, ((key, does), (words, sign, colour)) in enumerate(zip(ways, MENU_CARDS, strict=True)):
        card = partial(draw_sign_card, sign=sign, colour=blend(CHAIR[colour], INK, 0.25), place=place)
        choices.append(FeltChoice(key, sheet.tr(words), lost if key == "leave" else "", does, card))
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
    title = sheet.tr("ui.menu.waits" if paused else "ui.menu")
    paint_felt_choices(sheet, title, choices, rare, _trouble(sheet, frame))


def paint_leave_dialog(sheet: Sheet, frame: GameFrame) -> None:
    """Leave the game: to go on later, or for good; or not at all."""
    lost = "ui.leave.demo" if frame.demo is not None else _loss_key(frame)
    later = DialogButton("ui.leave.later", "later", touch_action(ShowPage("home"), overlay=""))
    if frame.demo is not None:
        later = DialogButton("ui.demo.leave", "later", touch_action(LeaveOrQuit(), overlay=""))
    elif _is_unsaved(frame):
        later = later._replace(words="ui.home")
    ends = DialogButton("ui.leave.abandon", "abandon", touch_action(AbandonGame(), overlay=""))
    over = () if frame.demo is not None or _is_lesson(frame) else (ends,)
    stay = CLOSE_BUTTON._replace(words="ui.menu.on")
    lines = {"abandon": sheet.tr("ui.leave.abandon.line")}
    if not lost:
        lines["later"] = sheet.tr("ui.menu.leave.line")
    warning = sheet.tr(lost) if lost else ""
    paint_ways(sheet, sheet.tr("ui.leave"), (later, *over, stay), lines=lines, warning=warning)


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
    paint_quit_ways(sheet, touch_action(LeaveOrQuit(program=True)), _loss_key(frame))


def paint_quit_ways(sheet: Sheet, leave: TouchAction, lost: str = "") -> None:
    """Stay in the program, or `leave` it; `lost`: the key of what that loses."""
    ways = (STAY_BUTTON, DialogButton("ui.quit", "quit", leave))
    lines = {} if lost else {"quit": sheet.tr("ui.quit.kept")}
    paint_ways(
        sheet,
        sheet.tr("ui.quit.question"),
        ways,
        lines=lines,
        warning=sheet.tr(lost) if lost else "",
    )


def paint_reveal_dialog(sheet: Sheet, _: PageFrame) -> None:
    """Look at everything in a game that was given up: after that it cannot go on."""
    shows = DialogButton("ui.uncover", "uncover", touch_action(RevealHiddenCards(), overlay=""))
    told = sheet.tr("ui.uncover.question")
    paint_ways(sheet, sheet.tr("ui.uncover"), (shows,), PRIMARY_CLOSE_BUTTON, lead=told)


def paint_help_menu(sheet: Sheet, frame: GameFrame) -> None:
    """The three questions people have; the voice and the keys are at the foot."""
    asked = [overlay_button(key) for key in ("why", "may", "wrong", "log")]
    if frame.finishes:
        asked.append(overlay_button("finish"))
    repeat = DialogButton("ui.repeat", "repeat", touch_action(SpeakSentences(), overlay=""))
    warning = _trouble(sheet, frame)
    title = sheet.tr("ui.assist")
    paint_ways(sheet, title, asked, repeat, overlay_button("help"), CLOSE_BUTTON, warning=warning)


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
    warning = _trouble(sheet, frame)
    if any(way.action is not None for way in ways):
        paint_ways(sheet, sheet.tr("ui.wrong"), ways, CLOSE_BUTTON, warning=warning)
        return
    nothing = sheet.tr("ui.take_back.none")
    paint_statement(sheet, sheet.tr("ui.wrong"), nothing, PRIMARY_CLOSE_BUTTON, sign="check")


def _trouble(sheet: Sheet, frame: GameFrame) -> str:
    """What ails the table now; empty: nothing."""
    return "" if frame.trouble is None else sheet.sentence(frame.trouble)
