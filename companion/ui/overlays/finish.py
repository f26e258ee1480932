"""Photo finishes looked at again, from the journal: at any time, as often as one likes."""

from __future__ import annotations

from companion.ui.exhibits import replayed
from companion.ui.frame import GameFrame
from companion.ui.sheet import Sheet


def finishes(sheet: Sheet, frame: GameFrame) -> None:
    """Those of this game."""
    replayed(sheet, frame.finishes, frame, frame.view.game)
