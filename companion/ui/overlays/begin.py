"""What lies over the home page: what else can be done, against whom to practise, who learns, the way out."""

import pygame

from companion.core.appliance import Machine, Update
from companion.core.view import Sentence
from companion.ui import ring
from companion.ui.commands import CopyGames, Install, Learn, Leave, Practice, Resume, Show, SwitchOff
from companion.ui.frame import HomeFrame, Offer
from companion.ui.overlays.leaf import ASKS, CLOSE, PRIMARY, READ, STAY, Foot, feet, leaf, tiles
from companion.ui.sheet import Deed, Sheet, deed
from companion.ui.theme import RAISED, SOFT, TEXT
from companion.ui.tiles import chair_tile

PRACTICE, LESSONS, LEARN, PIN = "practice:", "lessons:", "learn:", "update:"
STRENGTHS = ("easy", "medium", "strong")
DIGITS = "1234567890"
USUAL = 4
"""This many practise where nobody says otherwise, or as few as the game is for."""
PER_ROW = 7


def entries(frame: HomeFrame, offer: Offer | None) -> tuple[Foot, ...]:
    """What can be done besides beginning a game, the likely first; what has no room stands under More."""
    unfinished = next((game for game in frame.games if not game.finished and not game.closed), None)
    found = []
    if unfinished is not None:
        found.append(Foot("ui.home.continue", "resume", deed(Resume(unfinished.game_id))))
    if offer is not None and offer.taught:
        found.append(Foot("ui.home.learn", "learn", deed(overlay=f"{LESSONS}{offer.game}")))
    if offer is not None and offer.practised:
        found.append(Foot("ui.home.practice", "practice", deed(overlay=f"{PRACTICE}{offer.game}")))
    found.append(Foot("ui.home.games", "games", deed(Show("games"))))
    if offer is not None and offer.watched:
        found.append(Foot("ui.demo", "demo", deed(Show("demo", offer.game))))
    if frame.joinable:
        found.append(Foot("ui.phones", "phones", deed(Show("phones"))))
    way_out = Foot("ui.quit", "quit", deed(Leave()))
    if frame.machine != Machine():
        way_out = Foot("ui.machine", "machine", deed(overlay="machine"))
    found += [
        Foot("ui.settings", "settings", deed(Show("settings"))),
        Foot("ui.help", "help", deed(overlay="help")),
        way_out,
    ]
    return tuple(found)


def more(sheet: Sheet, rest: tuple[Foot, ...]) -> None:
    """What the foot of the page had no room for."""
    body = leaf(sheet, "ui.home.more", span=ASKS)
    tiles(sheet, body, rest, columns=1 if len(rest) <= 4 else 2)
    feet(sheet, CLOSE, span=ASKS)


def leaving(sheet: Sheet) -> None:
    """Whether to leave the program; staying is marked."""
    body = leaf(sheet, "ui.quit.question", span=ASKS)
    words = pygame.Rect(body.x, body.y, body.w, sheet.em(4))
    sheet.text(words, sheet.tr("ui.quit.kept"), 1.3, SOFT, middle=False)
    feet(sheet, STAY, Foot("ui.quit", "quit", deed(Leave())), span=ASKS)


def machine(sheet: Sheet, frame: HomeFrame) -> None:
    """Copy the games, switch off, or leave the program."""
    able = frame.machine
    body = leaf(sheet, "ui.machine")
    words = pygame.Rect(body.x, body.y, body.w, sheet.em(4.4))
    told = [sheet.tr("ui.copy.lead" if able.stick else "ui.copy.no_stick")]
    if able.power:
        told.append(sheet.tr("ui.off.lead"))
    sheet.text(words, "\n".join(told), 1.2, SOFT, middle=False)
    top = words.bottom + sheet.em(0.6)
    room = pygame.Rect(body.x, top, body.w, body.bottom - top)
    copies = able.stick and not able.copying
    listed = [
        Foot(
            "ui.copy",
            "copy",
            deed(CopyGames(), overlay="") if copies else None,
            PRIMARY if copies else RAISED,
        ),
        *([Foot("ui.update", "update", deed(overlay="update"))] if able.update is not None else []),
        Foot("ui.off", "off", deed(SwitchOff(), overlay="") if able.power else None),
        Foot("ui.quit", "quit", deed(Leave())),
    ]
    tiles(sheet, room, listed, columns=1)
    feet(sheet, CLOSE)


def update(sheet: Sheet, frame: HomeFrame) -> None:
    """The version on the stick, who vouches for it, and a yes that is nobody's but a person's."""
    found = frame.machine.update or Update(refused=Sentence("ui.update.gone"))
    body = leaf(sheet, "ui.update")
    if found.refused is not None:
        sheet.text(body, sheet.words.text(found.refused, frame.names), 1.3, SOFT, middle=False)
        feet(sheet, CLOSE)
        return
    told = [sheet.tr("ui.update.question", version=found.version)]
    told.append(sheet.tr("ui.update.signed" if found.signed else "ui.update.unsigned"))
    if found.older:
        told.append(sheet.tr("ui.update.older"))
    if found.hold:
        told.append(sheet.tr("ui.update.hold"))
    high = sheet.em(9.0 if len(told) > 2 else 6.0)
    sheet.text(pygame.Rect(body.x, body.y, body.w, high), "\n".join(told), 1.3, TEXT, middle=False)
    rest = pygame.Rect(body.x, body.y + high, body.w, body.h - high)
    sheet.text(rest, found.digest, 1.2, SOFT, middle=False)
    does = deed(overlay=PIN) if found.pin else deed(Install(found.digest), overlay="")
    feet(sheet, READ, Foot("ui.update.yes", "install", does))


def owner_pin(sheet: Sheet, frame: HomeFrame, typed: str) -> None:
    """Ten keys for the owner's PIN; what was typed is shown as dots, for others look on."""
    found = frame.machine.update
    if found is None or not found.pin:
        update(sheet, frame)
        return
    body = leaf(sheet, "ui.update.pin")
    high = sheet.em(2.4)
    dots = "• " * len(typed) + "– " * (found.pin - len(typed))
    sheet.text(pygame.Rect(body.x, body.y, body.w, high), dots.strip(), 1.6, TEXT, align="center")
    more = len(typed) < found.pin
    keys = [
        (digit, f"digit:{digit}", deed(overlay=f"{PIN}{typed}{digit}") if more else None) for digit in DIGITS
    ]
    erase = deed(overlay=f"{PIN}{typed[:-1]}") if typed else None
    keys.append((sheet.tr("ui.update.erase"), "erase", erase))
    wide, tall = body.w // 4, (body.h - high) // 3
    for place, (label, key, does) in enumerate(keys):
        cell = pygame.Rect(body.x + place % 4 * wide, body.y + high + place // 4 * tall, wide, tall)
        sheet.button(cell.inflate(-sheet.em(0.4), -sheet.em(0.4)), label, key, does, scale=1.2)
    done = None if more else deed(Install(found.digest, typed), overlay="")
    feet(sheet, READ, Foot("ui.update.yes", "install", done))


def against_whom(sheet: Sheet, frame: HomeFrame, chosen: str) -> None:
    """How many sit there, three strengths, and the table on which all cards lie open.

    `chosen`: the game, or the game and how many sit there: `game:5+` with a BOT.
    """
    body = leaf(sheet, "ui.practice.who")
    game, _, table = chosen.partition(":")
    offer = next((offer for offer in frame.offered if offer.game == game), Offer(game, 0, 0))
    players, bot = int(table.removesuffix("+") or max(USUAL, offer.least)), table.endswith("+")
    if len(offer.tables) > 1:
        body = _tables(sheet, body, offer, (players, bot))
    listed = [
        Foot(f"ui.practice.{strength}", strength, _practice(game, strength, players, bot=bot))
        for strength in STRENGTHS
    ]
    listed.append(Foot("ui.practice.open", "open", _practice(game, "medium", players, bot=bot, is_open=True)))
    short = body.h < len(listed) * (sheet.finger + sheet.em(0.3))
    tiles(sheet, body, listed, columns=2 if short else 1)
    feet(sheet, CLOSE)


def _practice(game: str, strength: str, players: int, *, bot: bool, is_open: bool = False) -> Deed:
    return deed(Practice(game, strength, is_open, players, bot), overlay="")


def _tables(sheet: Sheet, body: pygame.Rect, offer: Offer, chosen: tuple[int, bool]) -> pygame.Rect:
    """How many sit at the table, the person too; returns the rest."""
    gap, line = sheet.em(0.3), sheet.em(1.4)
    sheet.text(pygame.Rect(body.x, body.y, body.w, line), sheet.tr("ui.practice.players"), 1.1, SOFT)
    font = sheet.painter.font(1.0, bold=True)
    told = [f"{players} + {sheet.tr('ui.bot')}" if bot else str(players) for players, bot in offer.tables]
    need = max(font.size(words)[0] for words in told) + sheet.em(0.8)
    columns = min(len(told), PER_ROW, (body.w + gap) // (need + gap))
    rows = -(-len(offer.tables) // columns)
    width, height = (body.w + gap) // columns, max(sheet.em(2.0), sheet.finger + gap)
    for place, (words, (players, bot)) in enumerate(zip(told, offer.tables, strict=True)):
        x, y = place % columns * width, place // columns * height
        cell = pygame.Rect(body.x + x, body.y + line + y, width - gap, height - gap)
        table = f"{players}{'+' * bot}"
        onto = deed(overlay=f"{PRACTICE}{offer.game}:{table}")
        sheet.button(cell, words, f"table:{table}", onto, scale=1.2, chosen=(players, bot) == chosen)
    used = line + rows * height + gap
    return pygame.Rect(body.x, body.y + used, body.w, body.h - used)


def which_lesson(sheet: Sheet, frame: HomeFrame, game: str) -> None:
    body = leaf(sheet, "ui.learn.which")
    lessons = [one for offer in frame.offered if offer.game == game for one in offer.lessons]
    listed = [
        Foot(one.title, f"lesson:{one.lesson}", deed(overlay=f"{LEARN}{one.lesson}")) for one in lessons
    ]
    tiles(sheet, body, listed, columns=1)
    feet(sheet, CLOSE)


def who_learns(sheet: Sheet, frame: HomeFrame, lesson: str) -> None:
    """Everybody a step in turn, or one newcomer among people who know the game."""
    body = leaf(sheet, "ui.learn.who")
    players = next(one.players for offer in frame.offered for one in offer.lessons if one.lesson == lesson)
    gap = sheet.em(0.4)
    everybody = pygame.Rect(body.x, body.y, body.w, min(sheet.em(3.6), body.h // 3))
    words = sheet.tr("ui.learn.everybody")
    onto = deed(Learn(lesson), overlay="")
    sheet.button(everybody, words, "everybody", onto, fill=PRIMARY, scale=1.4, bold=True)
    line = pygame.Rect(body.x, everybody.bottom + gap, body.w, sheet.em(1.6))
    sheet.text(line, sheet.tr("ui.learn.alone"), 1.2, SOFT)
    room = pygame.Rect(body.x, line.bottom, body.w, body.bottom - line.bottom)
    for chair, cell in enumerate(ring.grid(players, room, gap, shape=1.6)):
        chair_tile(sheet, cell, chair, marked=False)
        sheet.target(f"pupil:{chair}", cell, deed(Learn(lesson, (), (chair,)), overlay=""))
    feet(sheet, CLOSE)
