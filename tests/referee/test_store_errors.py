"""What goes wrong with a game is told twice: with line and key on a terminal, without them at the table."""

from __future__ import annotations

import pytest

from companion.core.errors import CompanionError
from companion.core.view import Sentence
from companion.referee.journal import JournalError
from companion.referee.store_errors import explain_store_errors


@pytest.mark.parametrize(
    ("key", "on_screen"),
    [("newer", "newer"), ("unknown_game", "newer"), ("damaged", "damaged"), ("foreign", "damaged")],
)
def test_a_journal_that_cannot_be_read_is_told_at_the_table_without_its_key(key: str, on_screen: str) -> None:
    with pytest.raises(CompanionError) as caught, explain_store_errors("game 5"):
        raise JournalError(key, "format 7", line=1, where="$.format")
    assert "$.format" in str(caught.value)
    assert caught.value.screen_sentence() == Sentence(f"shared.trouble.{on_screen}")
