"""Draws the top of the game page: the current prompt, or what was just ruled."""

from companion.core.actions import Chair
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import FILL, Box, columns, rows, stack
from companion.ui.toolkit.chair_tiles import shorten_name
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.text_painter import FittedText
from companion.ui.toolkit.theme import BAD, GOLD, INK, LOOK, PAPER, RAISED, SOFT, TEXT, Colour, type_scale
from companion.ui.toolkit.widgets import SIGN, paint_avatar, paint_chip, paint_halo, paint_press_sign

HINTED = frozenset({"teach", "assisted"})
"""Steps of the ramp that say how and why under the sentence; at the others Help does."""


def last_announcement(sheet: Sheet, frame: GameFrame) -> str:
    """What was said last, unless the sentence on top or the hint says the same."""
    if frame.say is None:
        return ""
    words = sheet.sentence(frame.say)
    others = [one for one in (frame.view.headline, frame.view.hint) if one is not None]
    return "" if words.rstrip(".") in {sheet.sentence(one).rstrip(".") for one in others} else words


def is_good_news(frame: GameFrame) -> bool:
    """Whether what was said is good news."""
    return frame.say is not None and frame.say.key.rpartition(".")[2] in frame.board.good_news_events


def paint_low_announcement(sheet: Sheet, rect: Box, frame: GameFrame) -> bool:
    """What was said, in the toolbar's line, if it has room there; returns whether it is still to be shown.

    While nothing was said, or taps step through answers, the signs of the two presses stand there.
    """
    text = last_announcement(sheet, frame)
    if is_loud(frame):
        return False
    if not text or steps_through_answers(frame):  # what a tap does then stands nowhere else
        if not is_hand_tapped(frame):
            paint_press_legend(sheet, rect, frame)
        return bool(text)
    wide = sheet.text_width(text, bold=True) + 2 * sheet.em(0.5)
    if wide > rect.w:
        return True
    strip = stack(rect, wide, rect.h, "right")
    paint_chip(sheet, strip.inflate(0, -sheet.em(0.1)), text, PAPER if is_good_news(frame) else RAISED)
    return False


def paint_press_legend(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Tap and hold, where buttons do something now, and where taps step through answers what both do."""
    side, offered = sheet.em(SIGN), [chair.choices for chair in frame.view.chairs]
    presses = {"tap" if one.press == "press" else one.press for choices in offered for one in choices}
    shown = [press for press in ("tap", "hold") if press in presses]
    ways = [[sheet.tr(f"ui.press.{press}") for press in shown]]
    if steps_through_answers(frame):
        ways.insert(0, [sheet.tr("ui.lesson.other"), sheet.tr("ui.lesson.choose")][: len(shown)])
    for told in ways:
        wide = [side * 3 // 2 + sheet.em(SIGN / 4) + sheet.text_width(words) for words in told]
        if sum(wide) > rect.w:
            continue
        for press, words, place in zip(shown, told, columns(rect, *wide, justify="end"), strict=True):
            room = paint_press_sign(sheet, place.inset(left=side // 2), press, SOFT, gap=SIGN / 4)
            sheet.text(room, words, 1.0, SOFT)
        return


def steps_through_answers(frame: GameFrame) -> bool:
    """Whether somebody's taps lead from one of many answers to the next."""
    offered = [chair.choices for chair in frame.view.chairs]
    return any(len(choices) > 2 and any(one.marked for one in choices) for choices in offered)


def is_hand_tapped(frame: GameFrame) -> bool:
    """Whether cards of the own hand, in practice, are to be tapped now."""
    return frame.guide is not None and frame.guide.chooses


def is_loud(frame: GameFrame) -> bool:
    """Whether what was said takes the whole head: a broken rule, or what the game calls loud."""
    said = frame.say
    return said is not None and (
        is_infraction(frame) or said.key.rpartition(".")[2] in frame.board.headline_events
    )


def is_infraction(frame: GameFrame) -> bool:
    """Whether a rule was broken."""
    return frame.say is not None and ".rule." in frame.say.key


def paint_headline(sheet: Sheet, rect: Box, frame: GameFrame, *, said: bool) -> None:
    """What happens now in huge letters; what is loud takes its place, a broken rule in red.

    `said`: what was said last has no other place; it stands under the sentence.
    """
    if is_loud(frame):
        _paint_verdict(sheet, rect, frame)
        return
    text = last_announcement(sheet, frame) if said else ""
    hint = frame.view.hint
    under = text
    if not text and hint is not None and (frame.ui_state.level in HINTED or frame.guide is not None):
        under = sheet.sentence(hint)
    line = sheet.line_height
    most = line * (1 if rect.h < 3.5 * line else 2)
    fitted = sheet.painter.fit_text(under, rect.w - sheet.em(1), most, 1.0)
    if fitted.cut:
        text = under = ""  # rather none than half of it: Help has it, and the log
    high = max(line * len(fitted.lines), sheet.painter.line_height(type_scale("said"))) if under else 0
    upper, lower = rows(rect, FILL, high)
    if under and not _has_room_for_prompt(
        sheet, upper, frame
    ):  # what happens now comes first; the log has it
        upper, text, under = rect, "", ""
    _paint_prompt(sheet, upper, frame)
    if text:
        paint_chip(sheet, lower, text, PAPER if is_good_news(frame) else RAISED, scale=type_scale("said"))
    elif under:
        sheet.text(lower, under, type_scale("said"), SOFT, align="center")


def _paint_verdict(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """What is loud, and under it who does what next; a broken rule on red, with a way to ask why."""
    said = frame.say
    assert said is not None
    red = is_infraction(frame)
    ink, inner = (INK, _paint_red_ground(sheet, rect)) if red else (TEXT, rect)
    words, line = sheet.sentence(said), sheet.line_height
    high = inner.h * 2 // 5
    if sheet.painter.fit_text(words, inner.w, high, 1.0, bold=True).cut:
        high = 2 * line
    upper, lower = rows(inner, high, FILL)
    if only_asked_chair(frame) is None or not paint_call(sheet, lower, frame, ink=ink):
        scale = max(1.0, min(type_scale("prompt"), inner.h / line))
        sheet.text(inner, words, scale, ink, bold=True, align="left" if red else "center")
        return
    sheet.text(upper, words, type_scale("said"), ink, bold=True, align="center")


def _paint_red_ground(sheet: Sheet, rect: Box) -> Box:
    """The ground of a broken rule; returns what its sign and the button leave free."""
    if rect.x:
        sheet.box(rect, BAD)
    else:
        sheet.fill(rect, BAD)
    ask, edge = sheet.tr("ui.why"), sheet.em(0.6)
    inner, pad = rect.inset(left=edge, right=sheet.em(0.5)), sheet.em(1.2)
    side, width = min(rect.h - edge, sheet.em(3)), sheet.text_width(ask, bold=True) + pad
    sign, _, free, _, why = columns(inner, side, pad - edge, FILL, sheet.em(0.5), width)
    sheet.picture(sheet.art.motif("warning", sign.w), sign.center)
    why = stack(why, width, sheet.em(1.8))
    sheet.button(why, ask, "why", touch_action(overlay="why"), fill=INK, bold=True)
    return free.inflate(0, -sheet.em(0.3))


def only_asked_chair(frame: GameFrame) -> Chair | None:
    """The only one the table waits for; where all may do something, the one the sentence on top names."""
    asked = [one.chair for one in frame.view.chairs if one.asked]
    named = dict(frame.view.headline.parts).get("chair")
    if is_window_open(frame.view):
        return None
    if len(asked) == 1:
        return asked[0]
    return next((chair for chair in asked if chair == named), None)


def addressed_chair(sheet: Sheet, frame: GameFrame) -> Chair | None:
    """Whom the sentence on top calls: who is named first in it, else who is asked alone.

    Somebody may have to hand a card over while another's button says whether it was the right one.
    """
    alone = only_asked_chair(frame)
    named = dict(frame.view.headline.parts).get("chair")
    if alone is None or not isinstance(named, int):
        return alone
    words = sheet.sentence(frame.view.headline)
    return named if words.startswith(sheet.name(named)) else alone


def coached_chair(frame: GameFrame) -> Chair | None:
    """Whom a lesson tells what to do, where that stands on top."""
    guide = frame.guide
    return guide.chair if guide is not None and guide.say.key == frame.view.headline.key else None


def missing_name(sheet: Sheet, frame: GameFrame, words: str) -> str:
    """The name of the one who is called, where `words` do not say it; who practises needs none."""
    alone, guide = addressed_chair(sheet, frame), frame.guide
    if guide is not None and guide.kind == "practice" and alone == guide.chair:
        return ""
    if alone is None or coached_chair(frame) is not None or sheet.name(alone).casefold() in words.casefold():
        return ""
    return sheet.name(alone)


def paint_call(sheet: Sheet, rect: Box, frame: GameFrame, *, ink: Colour = TEXT) -> bool:
    """The avatar of the player who is asked alone, the name, and what to do; whether it had room."""
    coached = coached_chair(frame)
    alone = addressed_chair(sheet, frame) if coached is None else coached
    assert alone is not None
    words = sheet.sentence(frame.view.headline)
    size = min(sheet.u(LOOK.avatar["prompt"]), rect.h)
    room, step = rect.w - 2 * size, size * 5 // 4
    for name in dict.fromkeys((missing_name(sheet, frame, words), "")):  # without the name rather than small
        above = max(sheet.line_height, rect.h * 2 // 5) if name else 0
        fitted = _fit_prompt(sheet, rect._replace(w=room, h=rect.h - above), words)
        if fitted is not None:
            break
    else:
        return False
    named = min(type_scale("name"), above / sheet.line_height)
    lines = [(one, fitted.scale) for one in fitted.lines] + [(name, named)] * bool(name)
    widest = max(sheet.text_width(one, scaled, bold=True) for one, scaled in lines)
    left = rect.x + (rect.w - min(widest, room) - step) // 2
    if ink == TEXT:
        paint_halo(sheet, (left + size // 2, rect.centery), size * 2 // 3)
    paint_avatar(sheet, (left + size // 2, rect.centery), size, alone, lit=ink == TEXT)
    upper, lower = rows(rect.inset(left=left + step - rect.x), above, FILL)
    if name:
        sheet.text(upper, shorten_name(sheet, name, upper.w), named, GOLD if ink == TEXT else ink, bold=True)
    sheet.text(lower, words, fitted.scale, ink, bold=True)
    return True


def _fit_prompt(sheet: Sheet, rect: Box, words: str) -> FittedText | None:
    """The sentence as large as it fits; None if it is taller than `rect` at the smallest size."""
    scale = max(1.0, min(type_scale("prompt"), rect.h / sheet.line_height))
    fitted = sheet.painter.fit_text(words, rect.w, rect.h, scale, bold=True)
    return None if fitted.cut or rect.h < sheet.line_height else fitted


def _has_room_for_prompt(sheet: Sheet, rect: Box, frame: GameFrame) -> bool:
    width = rect.w
    if (only_asked_chair(frame), coached_chair(frame)) != (None, None):
        width -= 2 * min(sheet.u(LOOK.avatar["prompt"]), rect.h)
    return _fit_prompt(sheet, rect._replace(w=width), sheet.sentence(frame.view.headline)) is not None


def _paint_prompt(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """The one sentence, beside the avatar of the player who is asked alone."""
    if (only_asked_chair(frame), coached_chair(frame)) != (None, None) and paint_call(sheet, rect, frame):
        return
    words = sheet.sentence(frame.view.headline)
    scale = max(1.0, min(type_scale("prompt"), rect.h / sheet.line_height))
    sheet.text(rect, words, scale, TEXT, bold=True, align="center")
