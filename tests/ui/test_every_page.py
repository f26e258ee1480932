"""What holds on every page, in every phase, size and language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import pygame
import pytest

from companion.core.observations import ButtonPressed
from companion.ui.pages import build_pages
from companion.ui.pages.base import PageResources
from companion.ui.toolkit import inputs
from companion.ui.toolkit.sheet import Target, TextLine
from tests.ui import shown
from tests.ui.foreign import english_only
from tests.ui.longer import Longer


class Painted(NamedTuple):
    """What a frame's sheet says, without its pixels."""

    where: tuple[str, str, str]
    """Page, phase and overlay."""
    written: Sequence[TextLine]
    targets: Sequence[Target]
    unit: int


@cache
def painted(size: tuple[int, int], language: str) -> tuple[Painted, ...]:
    """Every frame, painted once for all tests."""
    pages = shown.pages(size)
    made = []
    for name, frame in shown.in_turn(language):
        sheet = pages[name].painted_sheet(frame)
        where = (name, getattr(getattr(frame, "view", None), "phase", ""), frame.ui_state.overlay)
        made.append(Painted(where, tuple(sheet.text_lines), tuple(sheet.targets), sheet.unit))
    return tuple(made)


@pytest.mark.parametrize(("size", "language"), shown.ALL)
def test_every_text_is_large_readable_whole_on_the_screen_and_in_its_language(
    size: tuple[int, int], language: str
) -> None:
    english = english_only(language)
    wrong: list[Any] = []
    for where, written, _, _ in painted(size, language):
        wrong += [(*where, *fault) for fault in shown.faults(written, size)]
        wrong += [(*where, text.string, "English") for text in written if text.string in english]
    assert wrong == []


@pytest.mark.parametrize(("size", "language"), shown.ALL)
def test_every_target_is_on_the_screen_and_large_enough_for_a_finger(
    size: tuple[int, int], language: str
) -> None:
    screen = pygame.Rect((0, 0), size)
    for where, _, targets, unit in painted(size, language):
        keys = [target.key for target in targets]
        assert len(keys) == len(set(keys)), (where, keys)
        for target in targets:
            assert screen.contains(target.rect), target
            assert min(target.rect.size) >= unit, target


def reached(page: Any, frame: Any, entered: inputs.Input) -> tuple[Any, Any]:
    ui_state, commands = page.handle(entered, frame)
    return ui_state, commands


def free_spot(sheet: Any, wanted: Any) -> tuple[int, int]:
    """A point of the target that no later target covers."""
    later = sheet.targets[sheet.targets.index(wanted) + 1 :]
    for y in range(wanted.rect.y + 1, wanted.rect.bottom, 4):
        for x in range(wanted.rect.x + 1, wanted.rect.right, 4):
            if not any(other.rect.collidepoint(x, y) for other in later):
                return x, y
    raise AssertionError(f"nothing of {wanted.key} can be touched")


def with_glass(frame: Any, ui_state: Any) -> Any:
    import dataclasses

    return dataclasses.replace(frame, ui_state=ui_state)


def by_touch(page: Any, frame: Any) -> set[Any]:
    """Every outcome that a finger reaches."""
    sheet = page.painted_sheet(frame)
    outcomes = set()
    for target in sheet.targets:
        ui_state, commands = page.handle(inputs.FingerDown(*free_spot(sheet, target)), frame)
        if target.action.lifted:
            ui_state, lifted = page.handle(inputs.FingerUp(0, 0), with_glass(frame, ui_state))
            commands = (*commands, *lifted)
        outcomes.add((target.key, commands, bare(ui_state)))
    return outcomes


def walked(page: Any, frame: Any, step: inputs.Input, act: inputs.Input) -> set[Any]:
    """Every outcome that is reached by walking the focus and activating."""
    outcomes = set()
    targets = [target for target in page.painted_sheet(frame).targets if target.takes_focus]
    here = frame
    for _ in range(len(targets) + 1):
        focus = page.focused_target(here)
        if focus is not None:
            ui_state, commands = page.handle(act, here)
            outcomes.add((focus.key, commands, bare(ui_state)))
        here = with_glass(here, page.handle(step, here)[0])
    return outcomes


def bare(ui_state: Any) -> Any:
    from msgspec.structs import replace

    return replace(ui_state, focus="")


@pytest.mark.parametrize("language", ["en"])
def test_every_action_is_reached_by_touch_by_keyboard_and_by_three_buttons(language: str) -> None:
    pages = shown.pages((1280, 720))
    tab, enter = inputs.KeyPressed("tab"), inputs.KeyPressed("return")
    following, ok = (
        ButtonPressed(at=0, chair=None, button="next"),
        ButtonPressed(at=0, chair=None, button="ok"),
    )
    for name, frame in shown.in_turn(language):
        page = pages[name]
        touched = by_touch(page, frame)
        typing = name == "setup" and frame.ui_state.overlay == "name"
        if not typing:
            assert walked(page, frame, tab, enter) == touched, name
        if page.takes_shared_buttons(frame):
            assert walked(page, frame, following, ok) == touched, name
            back = ButtonPressed(at=0, chair=None, button="back")
            assert walked(page, frame, back, ok) == touched, name


def test_a_page_that_was_drawn_needs_no_redraw_until_something_changes() -> None:
    pages = shown.pages((1280, 720))
    surface = pygame.Surface((1280, 720))
    for name, frame in shown.home_frames("en"):
        page = pages[name]
        page.draw(surface, frame, 1000)
        while page.redraw_interval(frame):  # pictures that are opened one by one
            page.draw(surface, frame, 1000)
        assert not page.needs_redraw(frame, 5_000_000)
        other = with_glass(frame, shown.UiState(language="de"))
        assert page.needs_redraw(other, 1000)


def test_a_window_of_another_size_is_drawn_in_that_size() -> None:
    pages = shown.pages((1280, 720))
    name, frame = next(shown.home_frames("en"))
    surface = pygame.Surface((1024, 600))
    pages[name].draw(surface, frame, 0)
    assert pages[name].painted_sheet(frame).surface.get_size() == (1024, 600)


@pytest.mark.parametrize(
    "size", [shown.SIZES[0], *(pytest.param(size, marks=pytest.mark.long) for size in shown.SIZES[1:])]
)
def test_a_language_40_percent_longer_stays_large_and_on_the_screen(size: tuple[int, int]) -> None:
    pages = build_pages(PageResources(size, Longer))
    screen = pygame.Rect((0, 0), size)
    for name, frame in shown.in_turn("en"):
        for text in pages[name].painted_sheet(frame).text_lines:
            assert text.size * 24 >= size[1]
            assert screen.contains(text.rect), text
