"""The open table of Kinapa with BOT decks on the smallest screen: every hand is read, and nothing is cut."""

from __future__ import annotations

from typing import Any

import pygame
import pytest
from msgspec.structs import replace

from companion.ui.board import lesson_cards
from companion.ui.layout import Box
from companion.ui.toolkit.sheet import Sheet
from tests.programs.practising import Person


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize(("players", "bot"), [(2, False), (4, True)])
def test_with_bot_decks_nothing_is_cut_at_the_open_table_on_the_smallest_screen(
    players: int, bot: bool, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person("kinapa", players=players, bot=bot, is_open=True, seed=3)
    person.app.navigation.ui_state = replace(person.app.ui_state, language=language)
    for _ in range(60):
        person.run(2)
        guide = person.host.practice.guidance()
        if guide is not None and guide.back and not guide.answers:
            break
        person.plays()
    tall: list[int] = []
    drawn = lesson_cards.paint_card_row

    def told(sheet: Sheet, cell: Box, *more: Any) -> None:
        tall.append(cell.h)
        drawn(sheet, cell, *more)

    monkeypatch.setattr(lesson_cards, "paint_card_row", told)
    page, frame = person.app._pages["game"], person.app.frame()
    page.draw(pygame.Surface((1024, 600)), frame, 0)
    sheet = page.painted_sheet(frame)
    side = [one for one in sheet.text_lines if one.rect.x > 0.66 * 1024]
    assert len(tall) == len(guide.lay) == (4 if players == 2 else 5)
    assert min(tall) >= sheet.em(1.3)
    assert not [one.string for one in side if one.cut]
