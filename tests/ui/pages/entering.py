"""What people enter on a page, and what comes of it."""

from __future__ import annotations

import dataclasses
from typing import Any

from companion.core.observations import ButtonPressed, ButtonReleased
from companion.ui.commands import Command
from companion.ui.frame import HomeFrame
from companion.ui.pages.base import Page


def after(page: Page[HomeFrame], now: HomeFrame, *entered: Any) -> tuple[HomeFrame, tuple[Command, ...]]:
    commands: tuple[Command, ...] = ()
    for one in entered:
        ui_state, commands = page.handle(one, now)
        now = dataclasses.replace(now, ui_state=ui_state)
    return now, commands


def tap(chair: int) -> tuple[ButtonPressed, ButtonReleased]:
    return ButtonPressed(at=0, chair=chair), ButtonReleased(at=100_000, chair=chair)
