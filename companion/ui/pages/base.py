"""Base class of all pages: it paints once per frame, moves the focus, handles input."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Generic, TypeVar

import pygame
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Chair, Micros
from companion.language.language import Translator
from companion.ui.commands import ChairPress, Command, LeaveOrQuit, ReadPageAloud, SharedPress
from companion.ui.frame import PageFrame, UiState
from companion.ui.layout import Box
from companion.ui.overlays.key_list import paint_page_keys
from companion.ui.toolkit import inputs
from companion.ui.toolkit.picture_cache import PictureCache
from companion.ui.toolkit.sheet import Sheet, Target, TouchAction, touch_action
from companion.ui.toolkit.text_painter import TextPainter
from companion.ui.toolkit.theme import GROUND
from companion.ui.toolkit.widgets import draw_focus_ring

DEFAULT_KEYS: Mapping[str, str] = {
    **{str(chair): str(chair) for chair in range(1, 9)},
    "back": "left",
    "next": "right",
    "ok": "space",
}
"""The keyboard keys that stand in for buttons: part → key."""
FRENCH_DIGITS: Mapping[str, str] = dict(zip("&é\"'(-è_", map(str, range(1, 9)), strict=True))
"""What the keys of the digits are called on a French keyboard, where those need Shift → the digit."""

UPRIGHT = 0.75
"""A screen that is higher than wide is measured by its width: what is 1 % of the height elsewhere."""


class PageResources:
    """Owns what is drawn with; made for each size of the window."""

    def __init__(
        self,
        size: tuple[int, int],
        languages: Callable[[str], Translator],
        keys: Mapping[str, str] = DEFAULT_KEYS,
    ) -> None:
        self._languages = languages
        self._spoken: dict[str, Translator] = {}
        self.keys = {**DEFAULT_KEYS, **keys}
        self.parts = {key: part for part, key in self.keys.items()}
        self.parts = {
            sign: self.parts[key] for sign, key in FRENCH_DIGITS.items() if key in self.parts
        } | self.parts
        """Key → the button it stands in for."""
        self.resize(size)

    def resize(self, size: tuple[int, int]) -> None:
        """The window has another size now."""
        self.size = size
        self.painter, self.art = _resources_for(min(size[1], round(size[0] * UPRIGHT)))

    def words(self, code: str) -> Translator:
        """One language, loaded at its first use."""
        if code not in self._spoken:
            self._spoken[code] = self._languages(code)
        return self._spoken[code]


@lru_cache(maxsize=2)
def _resources_for(height: int) -> tuple[TextPainter, PictureCache]:
    """Fonts and pictures for one height: a later screen of that height finds what was drawn before."""
    painter = TextPainter(height)
    return painter, PictureCache(painter)


READ_ALOUD = touch_action(ReadPageAloud(), aloud=True)
"""What the buttons mark is read aloud from now on."""
F = TypeVar("F", bound=PageFrame)
OverlayPainter = Callable[[Sheet, F], None]
InputResult = tuple[UiState, tuple[Command, ...]]
NEXT_KEYS = frozenset({"tab", "down", "right"})
PREVIOUS_KEYS = frozenset({"up", "left"})
ENTER_KEYS = frozenset({"return", "enter", "space"})


class Page(ABC, Generic[F]):
    """One page. It keeps what it painted last; everything else is in the frame."""

    shortcuts: Mapping[str, TouchAction] = {"s": READ_ALOUD}
    """Key → what it does on this page; listed by the help overlay as `ui.key.<key>`."""
    exit_action: TouchAction = touch_action(LeaveOrQuit())
    """What the way out does where nothing lies over the page."""
    default_focus: str = ""
    """What is marked before anybody walked, where it can be done; else the first that can."""

    def __init__(self, screen: PageResources) -> None:
        self.resources = screen
        self._painted: tuple[F, tuple[int, int], Sheet] | None = None
        self._asked: F | None = None
        """The frame that was asked for last: the very same is not compared again."""
        self._shown: tuple[object, ...] = ()

    # What a page has to say -------------------------------------------------------------------------------

    @abstractmethod
    def paint(self, sheet: Sheet, frame: F) -> None:
        """Paint everything that stands still, and say what can be touched."""

    def animate(self, surface: pygame.Surface, sheet: Sheet, frame: F, now: Micros) -> None:
        """Draw what moves, as it is at `now` (µs)."""

    def redraw_interval(self, frame: F) -> Micros:
        """How often what moves is drawn again; 0: nothing moves."""
        return 0

    def overlays(self, frame: F) -> Mapping[str, OverlayPainter[F]]:
        """Overlay of the glass → what paints it over the page."""
        return {"help": paint_page_keys}

    def active_overlay(self, frame: F) -> str:
        """The overlay that is shown; a page may fold it away."""
        return frame.ui_state.overlay

    def takes_shared_buttons(self, frame: F) -> bool:
        """Whether back, next and ok are this page's now, rather than the game's."""
        return True

    def takes_chair_buttons(self, frame: F) -> bool:
        """Whether the chairs' buttons are this page's now, rather than the game's."""
        return False

    def escape_action(self, frame: F) -> TouchAction:
        """What the way out does."""
        return touch_action(overlay="") if frame.ui_state.overlay else self.exit_action

    def close_action(self, frame: F) -> TouchAction:
        """What the window's own close button does, where it does not leave at once."""
        return touch_action(LeaveOrQuit())

    def chair_press_action(self, frame: F, chair: Chair) -> TouchAction:
        """What a chair's button does here, where it is the page's."""
        return TouchAction()

    def chair_hold_action(self, frame: F, chair: Chair) -> TouchAction:
        """What a chair's button does here when it is held."""
        return TouchAction()

    def chair_release_action(self, frame: F, chair: Chair) -> TouchAction:
        """What it does when it comes up again."""
        return TouchAction()

    def shortcut_action(self, frame: F, key: str) -> TouchAction | None:
        """What a key does here, also while something lies over the page."""
        return self.shortcuts.get(key)

    def find_default_focus(self, frame: F) -> str:
        """The target that is marked before anybody walked, where it can be done."""
        return self.default_focus

    def text_key_action(self, frame: F, key: inputs.KeyPressed) -> TouchAction | None:
        """What a key does before all else: a page that takes text answers here."""
        return None

    # Drawing ----------------------------------------------------------------------------------------------

    def words(self, frame: F) -> Translator:
        """The language of the glass."""
        return self.resources.words(frame.ui_state.language)

    def painted_sheet(self, frame: F) -> Sheet:
        """The painted page, kept until the frame changes; the mark is drawn over it, and may walk."""
        size = self.resources.size
        if frame is self._asked and self._painted is not None and self._painted[1] == size:
            return self._painted[2]
        self._asked = frame
        frame = dataclasses.replace(frame, ui_state=replace(frame.ui_state, focus=""))
        if self._painted is None or self._painted[1] != size or self._painted[0] != frame:
            surface = pygame.Surface(size)
            surface.fill(GROUND)
            self.resources.painter.language = frame.ui_state.language
            sheet = Sheet(surface, self.resources.painter, self.resources.art, self.words(frame), frame)
            self.paint(sheet, frame)
            if (lies_over := self.overlays(frame).get(self.active_overlay(frame))) is not None:
                sheet.cover_page()
                lies_over(sheet, frame)
            self._painted = (frame, size, sheet)
        return self._painted[2]

    def draw(self, surface: pygame.Surface, frame: F, now: Micros) -> None:
        """Put the page on `surface`, as it is at `now` (µs); laid out again for another size in pixels."""
        if surface.get_size() != self.resources.size:
            self.resources.resize(surface.get_size())
        sheet = self.painted_sheet(frame)
        surface.blit(sheet.surface, (0, 0))
        self.animate(surface, sheet, frame, now)
        target = self.focused_target(frame)
        if target is not None and target.mark is not None:
            target.mark(sheet.on_screen(surface))
        elif target is not None:
            draw_focus_ring(surface, sheet, Box(*target.rect))
        if frame.ui_state.brightness < 100:
            level = max(10, frame.ui_state.brightness) * 255 // 100
            surface.fill((level, level, level), special_flags=pygame.BLEND_RGB_MULT)
        self._shown = self._drawing_key(frame, now, surface.get_size())

    def needs_redraw(self, frame: F, now: Micros) -> bool:
        """Whether drawing now would show anything new."""
        return self._shown != self._drawing_key(frame, now, self.resources.size)

    def _drawing_key(self, frame: F, now: Micros, size: tuple[int, int]) -> tuple[object, ...]:
        pace = self.redraw_interval(frame)
        return (frame, id(getattr(frame, "camera", None)), size, now // pace if pace else 0)

    # Handling ---------------------------------------------------------------------------------------------

    def handle(self, entered: inputs.Input, frame: F) -> InputResult:
        """The glass afterwards, and what the app shall do."""
        ui_state = frame.ui_state
        match entered:
            case inputs.FingerDown():
                return self._handle_tap(frame, entered)
            case inputs.FingerUp():
                return _handle_lift(ui_state, entered.finger)
            case inputs.KeyPressed():
                return self._handle_key(frame, entered)
            case inputs.KeyReleased():
                return self._handle_key_up(frame, entered)
            case inputs.Wheel():
                return replace(ui_state, scroll=max(0, ui_state.scroll - entered.steps)), ()
            case inputs.CloseRequested():
                return self.apply_action(frame, self.close_action(frame))
            case inputs.WindowResized():
                self.resources.resize((entered.width, entered.height))
            case ob.ButtonPressed(chair=None):
                return self._handle_shared_button(frame, entered.button)
            case ob.ButtonHeld(chair=None, button="back"):
                return self.apply_action(frame, self.escape_action(frame))
            case ob.ButtonHeld(chair=None, button="next"):
                return self.apply_action(frame, READ_ALOUD)
            case ob.ButtonPressed() if entered.chair is not None:
                return self.apply_action(frame, self.chair_press_action(frame, entered.chair))
            case ob.ButtonHeld() if entered.chair is not None:
                return self.apply_action(frame, self.chair_hold_action(frame, entered.chair))
            case ob.ButtonReleased() if entered.chair is not None:
                return self.apply_action(frame, self.chair_release_action(frame, entered.chair))
        return ui_state, ()

    def step_by_chair(self, entered: inputs.Input, frame: F, since: Micros = 0) -> InputResult:
        """One button does it all: a tap marks the next, a hold chooses what is marked.

        `since`: when what is asked came up; a press from before counts for nothing.
        """
        ui_state, mark = frame.ui_state, (getattr(entered, "chair", None), since)
        if isinstance(entered, ob.ButtonPressed):
            return replace(ui_state, begun=mark), ()
        if ui_state.begun != mark:
            return ui_state, ()
        held = isinstance(entered, ob.ButtonHeld)
        ui_state, wanted = self._activate(frame) if held else self._move_focus(frame, 1)
        return replace(ui_state, begun=None), wanted

    def focused_target(self, frame: F) -> Target | None:
        """The target that ok would activate; where the page takes the shared buttons there is always one."""
        walked = [target for target in self.painted_sheet(frame).targets if target.takes_focus]
        for target in walked:
            if target.key == frame.ui_state.focus:
                return target
        if not walked or not self.takes_shared_buttons(frame):
            return None
        usual = self.find_default_focus(frame)
        return next((target for target in walked if target.key == usual), walked[0])

    def describe_focus(self, frame: F) -> tuple[str, str]:
        """For somebody who does not see the screen: what this page is, and what is marked on it."""
        sheet, target = self.painted_sheet(frame), self.focused_target(frame)
        return sheet.title, "" if target is None else sheet.label(target)

    def apply_action(self, frame: F, what: TouchAction, focus: str | None = None) -> InputResult:
        """Carry a deed over to the glass; a new overlay starts with its own focus, and about nothing."""
        changes = dict(what.changes)
        if focus is not None and "overlay" not in changes:
            changes.setdefault("focus", what.leads or focus)
        if "overlay" in changes:
            changes = {"focus": "", "scroll": 0, "about": -1, **changes}
        if self.active_overlay(frame) != frame.ui_state.overlay:
            changes = {"overlay": self.active_overlay(frame), **changes}
        return replace(frame.ui_state, **changes), what.commands

    def _handle_tap(self, frame: F, tap: inputs.FingerDown) -> InputResult:
        for target in reversed(self.painted_sheet(frame).targets):
            if target.rect.collidepoint(tap.x, tap.y):
                ui_state, commands = self.apply_action(frame, target.action)
                if target.action.lifted:
                    held = (*ui_state.held, (tap.finger, target.action.lifted))
                    ui_state = replace(ui_state, held=held)
                return ui_state, commands
        return frame.ui_state, ()

    def _handle_key(self, frame: F, key: inputs.KeyPressed) -> InputResult:
        own = self.text_key_action(frame, key)
        if own is not None:
            return self.apply_action(frame, own)
        part = self.resources.parts.get(key.key, "")
        if part.isdigit():
            return frame.ui_state, (ChairPress(int(part) - 1, down=True, source="key"),)
        if part and not self.takes_shared_buttons(frame):
            return frame.ui_state, (SharedPress(part, down=True, source="key"),)
        if key.key in PREVIOUS_KEYS or (key.key == "tab" and key.shift):
            return self._move_focus(frame, -1)
        if key.key in NEXT_KEYS:
            return self._move_focus(frame, 1)
        if key.key in ENTER_KEYS:
            return self._activate(frame)
        if part:
            return self._handle_shared_button(frame, part)
        if key.key in {"escape", "ac back"}:
            return self.apply_action(frame, self.escape_action(frame))
        if key.text == "?" or key.key in {"f1", "help"}:
            return self.apply_action(
                frame, touch_action(overlay="" if frame.ui_state.overlay == "help" else "help")
            )
        does = self.shortcut_action(frame, key.key)
        if does is not None:
            return self.apply_action(frame, does)
        return frame.ui_state, ()

    def _handle_key_up(self, frame: F, key: inputs.KeyReleased) -> InputResult:
        """Told on every page: the page that had the press has its release, too."""
        part = self.resources.parts.get(key.key, "")
        if part.isdigit():
            return frame.ui_state, (ChairPress(int(part) - 1, down=False, source="key"),)
        return frame.ui_state, (SharedPress(part, down=False, source="key"),) if part else ()

    def _handle_shared_button(self, frame: F, button: str) -> InputResult:
        if button == "ok":
            return self._activate(frame)
        return self._move_focus(frame, 1 if button == "next" else -1)

    def _move_focus(self, frame: F, step: int) -> InputResult:
        keys = [target.key for target in self.painted_sheet(frame).targets if target.takes_focus]
        if not keys:
            return frame.ui_state, ()
        here = self.focused_target(frame)
        if here is None:
            place = 0 if step > 0 else len(keys) - 1
        else:
            place = (keys.index(here.key) + step) % len(keys)
        return replace(frame.ui_state, focus=keys[place]), ()

    def _activate(self, frame: F) -> InputResult:
        target = self.focused_target(frame)
        if target is None:
            return frame.ui_state, ()
        ui_state, commands = self.apply_action(frame, target.action, focus=target.key)
        return ui_state, (*commands, *(target.action.lifted))


def _handle_lift(ui_state: UiState, finger: int) -> InputResult:
    commands = tuple(command for held, lifted in ui_state.held if held == finger for command in lifted)
    return replace(ui_state, held=tuple(pair for pair in ui_state.held if pair[0] != finger)), commands


def chair_button_action(chair: Chair, *, down: bool, source: str) -> TouchAction:
    """A chair's button by key or finger."""
    return touch_action(ChairPress(chair, down, source))
