"""What a game has spoken first, and what only where all is spoken, are sentences that it has."""

from __future__ import annotations

import pytest

from companion.games import RULES
from companion.language import installed_languages
from tests.programs.clips import messages

KEYS = tuple(key for key, _, _ in messages(installed_languages.find_language("en").folder.parent, "en"))


@pytest.mark.parametrize("game", RULES)
def test_urgent_and_quiet_events_are_told_apart_and_have_sentences(game: str) -> None:
    board = RULES[game].board
    assert not board.urgent_events & board.quiet_events
    for name in board.urgent_events | board.quiet_events:
        assert any(f"{key}.".startswith(f"{game}.{name}.") for key in KEYS), name
