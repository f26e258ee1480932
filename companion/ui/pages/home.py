"""Home: play, go on, watch, look up, set."""

from __future__ import annotations

from collections.abc import Mapping

import pygame

from companion.core.appliance import Machine
from companion.ui import ring
from companion.ui.commands import CopyGames, Learn, Leave, Practice, Resume, Show, SwitchOff
from companion.ui.frame import HomeFrame, Offer
from companion.ui.overlays.help import page_help
from companion.ui.overlays.leaf import CLOSE, PRIMARY, Foot, feet, leaf, tiles
from companion.ui.pages.base import Page
from companion.ui.panels import chair_tile
from companion.ui.sheet import Deed, Sheet, deed
from companion.ui.theme import CHAIR, FELT, GOLD, RAISED, SHAPES, SOFT, TEXT, mixed
from companion.ui.tokens import Colour

CHOICES: Mapping[str, str] = {
    "which:setup": "setup",
    "which:demo": "demo",
    "which:practice": "practice",
    "which:learn": "learn",
}
"""Overlay → the page that the chosen game leads to."""
PRACTICE, LESSONS, LEARN = "practice:", "lessons:", "learn:"
STRENGTHS = ("easy", "medium", "strong")
USUAL = 4
"""So many practise where nobody says otherwise, or as few as the game is for."""
PER_ROW = 7


class HomePage(Page[HomeFrame]):
    """Where everything begins."""

    usual = "easy"
    """Against whom to practise is asked; how many sit there is answered."""

    def escape(self, frame: HomeFrame) -> Deed:
        if frame.glass.overlay:
            return deed(overlay="")
        # On an appliance there is nothing to leave for, and who holds `back` on wants to switch off.
        return deed() if frame.machine.power else deed(Leave())

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        gap = sheet.em(0.8)
        left = pygame.Rect(0, 0, sheet.rect.w * 46 // 100, sheet.rect.h)
        sheet.fill(left, FELT)
        self._poster(sheet, left.inflate(-2 * gap, -2 * gap), frame)
        right = pygame.Rect(left.right + gap, gap, sheet.rect.w - left.w - 2 * gap, sheet.rect.h - 2 * gap)
        notes = [*([frame.trouble] if frame.trouble else []), *frame.doctor][:2]
        if notes:
            height = sheet.em(3.7)
            for place, note in enumerate(notes):
                row = pygame.Rect(right.x, right.bottom - (len(notes) - place) * height, right.w, height)
                text = sheet.words.text(note, frame.names)
                sheet.text(row, text, 1.0, GOLD)
            right.h -= len(notes) * height
        self._entries(sheet, right, frame)
        if frame.glass.overlay == "help":
            sheet.veil()
            page_help(sheet, frame)
        elif frame.glass.overlay == "machine":
            sheet.veil()
            _machine(sheet, frame)
        elif frame.glass.overlay in CHOICES:
            sheet.veil()
            _which_game(sheet, frame, CHOICES[frame.glass.overlay])
        elif frame.glass.overlay.startswith(PRACTICE):
            sheet.veil()
            _against_whom(sheet, frame, frame.glass.overlay.removeprefix(PRACTICE))
        elif frame.glass.overlay.startswith(LESSONS):
            sheet.veil()
            _which_lesson(sheet, frame, frame.glass.overlay.removeprefix(LESSONS))
        elif frame.glass.overlay.startswith(LEARN):
            sheet.veil()
            _who_learns(sheet, frame, frame.glass.overlay.removeprefix(LEARN))

    def _poster(self, sheet: Sheet, rect: pygame.Rect, frame: HomeFrame) -> None:
        title = pygame.Rect(rect.x, rect.y, rect.w, sheet.em(6.6))
        sheet.text(title, sheet.tr("ui.title"), 3.2, TEXT, bold=True)
        lead = pygame.Rect(rect.x, title.bottom + sheet.em(0.8), rect.w, sheet.em(4.6))
        sheet.text(lead, sheet.tr("ui.title.lead"), 1.3, mixed(SOFT, TEXT, 0.4), middle=False)
        if frame.machine.power:
            off = pygame.Rect(rect.x, lead.bottom + sheet.em(0.4), rect.w, sheet.em(2.6))
            sheet.text(off, sheet.tr("ui.off.lead"), 1.0, SOFT, middle=False)
        radius = min(sheet.em(1.5), rect.w // 12)
        for place in range(len(SHAPES)):
            column, row = place % 4, place // 4
            x = rect.x + rect.w * (2 * column + 1) // 8
            y = rect.bottom - radius - sheet.em(0.6) - (1 - row) * (2 * radius + sheet.em(1.2))
            sheet.badge((x, y), radius, place)
        assert len(CHAIR) == len(SHAPES)

    def _entries(self, sheet: Sheet, rect: pygame.Rect, frame: HomeFrame) -> None:
        unfinished = next((game for game in frame.games if not game.finished), None)
        entries: list[tuple[str, Deed, Colour]] = [("play", _towards("setup", frame), PRIMARY)]
        if unfinished is not None:
            entries.append(("resume", deed(Resume(unfinished.game_id)), RAISED))
        if any(offer.lessons for offer in frame.offered):
            entries.append(("learn", deed(overlay="which:learn"), RAISED))
        entries += [
            ("practice", deed(overlay="which:practice"), RAISED),
            ("demo", _towards("demo", frame), RAISED),
            ("games", deed(Show("games")), RAISED),
            ("settings", deed(Show("settings")), RAISED),
            ("help", deed(overlay="help"), RAISED),
            _way_out(frame.machine),
        ]
        gap = sheet.em(0.4)
        height = min((rect.h + gap) // len(entries), sheet.em(3.6))
        top = rect.y + (rect.h - height * len(entries) + gap) // 2
        for place, (key, does, fill) in enumerate(entries):
            row = pygame.Rect(rect.x, top + place * height, rect.w, height - gap)
            bold = place == 0
            sheet.button(row, sheet.tr(f"ui.{key}"), key, does, fill=fill, scale=1.5, bold=bold)


def _way_out(machine: Machine) -> tuple[str, Deed, Colour]:
    """Out of the program; where the machine can do more than that, all of it."""
    if machine == Machine():
        return "quit", deed(Leave()), RAISED
    return "machine", deed(overlay="machine"), RAISED


def _machine(sheet: Sheet, frame: HomeFrame) -> None:
    """Copy the games, switch off, or leave the program."""
    machine = frame.machine
    body = leaf(sheet, "ui.machine")
    words = pygame.Rect(body.x, body.y, body.w, sheet.em(4.4))
    told = [sheet.tr("ui.copy.lead" if machine.stick else "ui.copy.no_stick")]
    if machine.power:
        told.append(sheet.tr("ui.off.lead"))
    sheet.text(words, "\n".join(told), 1.2, SOFT, middle=False)
    top = words.bottom + sheet.em(0.6)
    room = pygame.Rect(body.x, top, body.w, body.bottom - top)
    able = machine.stick and not machine.copying
    entries = [
        Foot("ui.copy", "copy", deed(CopyGames(), overlay="") if able else None, PRIMARY if able else RAISED),
        Foot("ui.off", "off", deed(SwitchOff(), overlay="") if machine.power else None),
        Foot("ui.quit", "quit", deed(Leave())),
    ]
    tiles(sheet, room, entries, columns=1)
    feet(sheet, CLOSE)


def _towards(page: str, frame: HomeFrame) -> Deed:
    """To a page that needs a game; which one is asked if there is a choice."""
    if len(frame.offered) > 1:
        return deed(overlay=f"which:{page}")
    return deed(Show(page, *(offer.game for offer in frame.offered)))


def _against_whom(sheet: Sheet, frame: HomeFrame, chosen: str) -> None:
    """How many sit there, three strengths, and the table on which all cards lie open.

    `chosen`: the game, or the game and how many sit there: `game:5+` with a BOT.
    """
    body = leaf(sheet, "ui.practice.who")
    game, _, table = chosen.partition(":")
    offer = next((offer for offer in frame.offered if offer.game == game), Offer(game, 0, 0))
    players, bot = int(table.removesuffix("+") or max(USUAL, offer.least)), table.endswith("+")
    if len(offer.tables) > 1:
        body = _tables(sheet, body, offer, (players, bot))
    entries = [
        Foot(f"ui.practice.{strength}", strength, _practice(game, strength, players, bot=bot))
        for strength in STRENGTHS
    ]
    entries.append(
        Foot("ui.practice.open", "open", _practice(game, "medium", players, bot=bot, is_open=True))
    )
    tiles(sheet, body, entries, columns=1)
    feet(sheet, CLOSE)


def _which_lesson(sheet: Sheet, frame: HomeFrame, game: str) -> None:
    body = leaf(sheet, "ui.learn.which")
    lessons = [one for offer in frame.offered if offer.game == game for one in offer.lessons]
    entries = [
        Foot(one.title, f"lesson:{one.lesson}", deed(overlay=f"{LEARN}{one.lesson}")) for one in lessons
    ]
    tiles(sheet, body, entries, columns=1)
    feet(sheet, CLOSE)


def _who_learns(sheet: Sheet, frame: HomeFrame, lesson: str) -> None:
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


def _practice(game: str, strength: str, players: int, *, bot: bool, is_open: bool = False) -> Deed:
    return deed(Practice(game, strength, is_open, players, bot), overlay="")


def _tables(sheet: Sheet, body: pygame.Rect, offer: Offer, chosen: tuple[int, bool]) -> pygame.Rect:
    """How many sit at the table, the person too; gives back the rest."""
    gap, line = sheet.em(0.3), sheet.em(1.4)
    sheet.text(pygame.Rect(body.x, body.y, body.w, line), sheet.tr("ui.practice.players"), 1.1, SOFT)
    columns = min(len(offer.tables), PER_ROW)
    rows = -(-len(offer.tables) // columns)
    width, height = (body.w + gap) // columns, sheet.em(2.0)
    for place, (players, bot) in enumerate(offer.tables):
        x, y = place % columns * width, place // columns * height
        cell = pygame.Rect(body.x + x, body.y + line + y, width - gap, height - gap)
        words = f"{players} + {sheet.tr('ui.bot')}" if bot else str(players)
        table = f"{players}{'+' * bot}"
        onto = deed(overlay=f"{PRACTICE}{offer.game}:{table}")
        sheet.button(cell, words, f"table:{table}", onto, scale=1.2, chosen=(players, bot) == chosen)
    used = line + rows * height + gap
    return pygame.Rect(body.x, body.y + used, body.w, body.h - used)


def _which_game(sheet: Sheet, frame: HomeFrame, page: str) -> None:
    body = leaf(sheet, "ui.which_game")
    offered = [offer for offer in frame.offered if page != "learn" or offer.lessons]
    for cell, offer in zip(ring.grid(len(offered), body, sheet.em(0.5)), offered, strict=True):
        players = sheet.tr("ui.players", least=offer.least, most=offer.most)
        words = f"{sheet.tr(f'{offer.game}.name')}\n{players}"
        chosen = deed(Show(page, offer.game))
        if page == "practice":
            chosen = deed(overlay=f"{PRACTICE}{offer.game}")
        if page == "learn":
            one = offer.lessons[0].lesson if len(offer.lessons) == 1 else ""
            chosen = deed(overlay=f"{LEARN}{one}" if one else f"{LESSONS}{offer.game}")
        sheet.button(cell, words, f"game:{offer.game}", chosen, scale=1.6, bold=True)
    feet(sheet, CLOSE)
