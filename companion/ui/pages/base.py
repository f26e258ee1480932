"""What every page does alike: paint once per frame, walk the focus, activate what was chosen."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

import pygame
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Chair, Micros
from companion.ui import inputs
from companion.ui.commands import ChairPress, Command, Leave, ReadOut, SharedPress
from companion.ui.frame import Frame
from companion.ui.glass import Glass
from companion.ui.overlays.help import page_help
from companion.ui.screen import Screen
from companion.ui.sheet import Deed, Sheet, Target, deed
from companion.ui.sprites import rounded
from companion.ui.theme import GROUND, INK, LOOK, TEXT
from companion.ui.words import Words

ALOUD = deed(ReadOut(), aloud=True)
"""What the buttons mark is read aloud from now on."""
F = TypeVar("F", bound=Frame)
Over = Callable[[Sheet, F], None]
Handled = tuple[Glass, tuple[Command, ...]]
NEXT_KEYS = frozenset({"tab", "down", "right"})
PREVIOUS_KEYS = frozenset({"up", "left"})
ENTER_KEYS = frozenset({"return", "enter", "space"})


class Page(ABC, Generic[F]):
    """One page. It keeps what it painted last; everything else is in the frame."""

    shortcuts: Mapping[str, Deed] = {"s": ALOUD}
    """Key → what it does on this page; listed by the help overlay as `ui.key.<key>`."""
    way_out: Deed = deed(Leave())
    """What the way out does where nothing lies over the page."""
    usual: str = ""
    """What is marked before anybody walked, where it can be done; else the first that can."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
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

    def pace(self, frame: F) -> Micros:
        """How often what moves is drawn again; 0: nothing moves."""
        return 0

    def overlays(self, frame: F) -> Mapping[str, Over[F]]:
        """Overlay of the glass → what paints it over the page."""
        return {"help": page_help}

    def overlay(self, frame: F) -> str:
        """The overlay that is shown; a page may fold it away."""
        return frame.glass.overlay

    def takes_shared(self, frame: F) -> bool:
        """Whether back, next and ok are this page's now, rather than the game's."""
        return True

    def takes_chairs(self, frame: F) -> bool:
        """Whether the chairs' buttons are this page's now, rather than the game's."""
        return False

    def escape(self, frame: F) -> Deed:
        """What the way out does."""
        return deed(overlay="") if frame.glass.overlay else self.way_out

    def closing(self, frame: F) -> Deed:
        """What the window's own close button does, where it does not leave at once."""
        return deed(Leave())

    def chair_pressed(self, frame: F, chair: Chair) -> Deed:
        """What a chair's button does here, where it is the page's."""
        return Deed()

    def chair_held(self, frame: F, chair: Chair) -> Deed:
        """What a chair's button does here when it is held."""
        return Deed()

    def chair_released(self, frame: F, chair: Chair) -> Deed:
        """What it does when it comes up again."""
        return Deed()

    def shortcut(self, frame: F, key: str) -> Deed | None:
        """What a key does here, also while something lies over the page."""
        return self.shortcuts.get(key)

    def likely(self, frame: F) -> str:
        """The target that is marked before anybody walked, where it can be done."""
        return self.usual

    def typed(self, frame: F, key: inputs.KeyPressed) -> Deed | None:
        """What a key does before all else: a page that takes text answers here."""
        return None

    # Drawing ----------------------------------------------------------------------------------------------

    def words(self, frame: F) -> Words:
        """The language of the glass."""
        return self.screen.words(frame.glass.language)

    def sheet(self, frame: F) -> Sheet:
        """The painted page, kept until the frame changes; the mark is drawn over it, and may walk."""
        size = self.screen.size
        if frame is self._asked and self._painted is not None and self._painted[1] == size:
            return self._painted[2]
        self._asked = frame
        frame = dataclasses.replace(frame, glass=replace(frame.glass, focus=""))
        if self._painted is None or self._painted[1] != size or self._painted[0] != frame:
            surface = pygame.Surface(size)
            surface.fill(GROUND)
            self.screen.painter.language = frame.glass.language
            sheet = Sheet(surface, self.screen.painter, self.screen.art, self.words(frame), frame)
            self.paint(sheet, frame)
            if (lies_over := self.overlays(frame).get(self.overlay(frame))) is not None:
                sheet.veil()
                lies_over(sheet, frame)
            self._painted = (frame, size, sheet)
        return self._painted[2]

    def draw(self, surface: pygame.Surface, frame: F, now: Micros) -> None:
        """Put the page on `surface`, as it is at `now` (µs); laid out again for another size in pixels."""
        if surface.get_size() != self.screen.size:
            self.screen.resize(surface.get_size())
        sheet = self.sheet(frame)
        surface.blit(sheet.surface, (0, 0))
        self.animate(surface, sheet, frame, now)
        target = self.focused(frame)
        if target is not None:
            focus(surface, sheet, target.rect)
        if frame.glass.brightness < 100:
            level = max(10, frame.glass.brightness) * 255 // 100
            surface.fill((level, level, level), special_flags=pygame.BLEND_RGB_MULT)
        self._shown = self._state(frame, now, surface.get_size())

    def needs_redraw(self, frame: F, now: Micros) -> bool:
        """Whether drawing now would show anything new."""
        return self._shown != self._state(frame, now, self.screen.size)

    def _state(self, frame: F, now: Micros, size: tuple[int, int]) -> tuple[object, ...]:
        pace = self.pace(frame)
        return (frame, id(getattr(frame, "camera", None)), size, now // pace if pace else 0)

    # Handling ---------------------------------------------------------------------------------------------

    def handle(self, entered: inputs.Input, frame: F) -> Handled:
        """The glass afterwards, and what the app shall do."""
        glass = frame.glass
        match entered:
            case inputs.Tap():
                return self._tapped(frame, entered)
            case inputs.Lift():
                return _lifted(glass, entered.finger)
            case inputs.KeyPressed():
                return self._key(frame, entered)
            case inputs.KeyReleased():
                return self._key_up(frame, entered)
            case inputs.Wheel():
                return replace(glass, scroll=max(0, glass.scroll - entered.steps)), ()
            case inputs.Closed():
                return self.does(frame, self.closing(frame))
            case inputs.Resized():
                self.screen.resize((entered.width, entered.height))
            case ob.ButtonPressed(chair=None):
                return self._shared(frame, entered.button)
            case ob.ButtonHeld(chair=None, button="back"):
                return self.does(frame, self.escape(frame))
            case ob.ButtonHeld(chair=None, button="next"):
                return self.does(frame, ALOUD)
            case ob.ButtonPressed() if entered.chair is not None:
                return self.does(frame, self.chair_pressed(frame, entered.chair))
            case ob.ButtonHeld() if entered.chair is not None:
                return self.does(frame, self.chair_held(frame, entered.chair))
            case ob.ButtonReleased() if entered.chair is not None:
                return self.does(frame, self.chair_released(frame, entered.chair))
        return glass, ()

    def focused(self, frame: F) -> Target | None:
        """The target that ok would activate; where the page takes the shared buttons there is always one."""
        walked = [target for target in self.sheet(frame).targets if target.walked]
        for target in walked:
            if target.key == frame.glass.focus:
                return target
        if not walked or not self.takes_shared(frame):
            return None
        usual = self.likely(frame)
        return next((target for target in walked if target.key == usual), walked[0])

    def heard(self, frame: F) -> tuple[str, str]:
        """For somebody who does not see the screen: what this page is, and what is marked on it."""
        sheet, target = self.sheet(frame), self.focused(frame)
        return sheet.title, "" if target is None else sheet.label(target)

    def does(self, frame: F, what: Deed, focus: str | None = None) -> Handled:
        """Carry a deed over to the glass; a new overlay starts with its own focus, and about nothing."""
        changes = dict(what.changes)
        if focus is not None and "overlay" not in changes:
            changes.setdefault("focus", what.leads or focus)
        if "overlay" in changes:
            changes = {"focus": "", "scroll": 0, "about": -1, **changes}
        if self.overlay(frame) != frame.glass.overlay:
            changes = {"overlay": self.overlay(frame), **changes}
        return replace(frame.glass, **changes), what.commands

    def _tapped(self, frame: F, tap: inputs.Tap) -> Handled:
        for target in reversed(self.sheet(frame).targets):
            if target.rect.collidepoint(tap.x, tap.y):
                glass, commands = self.does(frame, target.does)
                if target.does.lifted:
                    held = (*glass.held, (tap.finger, target.does.lifted))
                    glass = replace(glass, held=held)
                return glass, commands
        return frame.glass, ()

    def _key(self, frame: F, key: inputs.KeyPressed) -> Handled:
        own = self.typed(frame, key)
        if own is not None:
            return self.does(frame, own)
        part = self.screen.parts.get(key.key, "")
        if part.isdigit():
            return frame.glass, (ChairPress(int(part) - 1, down=True, source="key"),)
        if part and not self.takes_shared(frame):
            return frame.glass, (SharedPress(part, down=True, source="key"),)
        if key.key in PREVIOUS_KEYS or (key.key == "tab" and key.shift):
            return self._walk(frame, -1)
        if key.key in NEXT_KEYS:
            return self._walk(frame, 1)
        if key.key in ENTER_KEYS:
            return self._activate(frame)
        if part:
            return self._shared(frame, part)
        if key.key in {"escape", "ac back"}:
            return self.does(frame, self.escape(frame))
        if key.text == "?" or key.key in {"f1", "help"}:
            return self.does(frame, deed(overlay="" if frame.glass.overlay == "help" else "help"))
        does = self.shortcut(frame, key.key)
        if does is not None:
            return self.does(frame, does)
        return frame.glass, ()

    def _key_up(self, frame: F, key: inputs.KeyReleased) -> Handled:
        """Told on every page: the page that had the press has its release, too."""
        part = self.screen.parts.get(key.key, "")
        if part.isdigit():
            return frame.glass, (ChairPress(int(part) - 1, down=False, source="key"),)
        return frame.glass, (SharedPress(part, down=False, source="key"),) if part else ()

    def _shared(self, frame: F, button: str) -> Handled:
        if button == "ok":
            return self._activate(frame)
        return self._walk(frame, 1 if button == "next" else -1)

    def _walk(self, frame: F, step: int) -> Handled:
        keys = [target.key for target in self.sheet(frame).targets if target.walked]
        if not keys:
            return frame.glass, ()
        here = self.focused(frame)
        if here is None:
            place = 0 if step > 0 else len(keys) - 1
        else:
            place = (keys.index(here.key) + step) % len(keys)
        return replace(frame.glass, focus=keys[place]), ()

    def _activate(self, frame: F) -> Handled:
        target = self.focused(frame)
        if target is None:
            return frame.glass, ()
        glass, commands = self.does(frame, target.does, focus=target.key)
        return glass, (*commands, *(target.does.lifted))


def focus(surface: pygame.Surface, sheet: Sheet, rect: pygame.Rect) -> None:
    """A white ring round `rect` (pixels), which ok would activate.

    A dark one under it makes it show on bright grounds.
    """
    gap, thick = sheet.u(LOOK.line["focus_gap"]), max(2, sheet.u(LOOK.line["focus"]))
    dark = max(1, sheet.u(LOOK.line["hair"]))
    for reach, colour, width in ((gap + thick + dark, INK, thick + 2 * dark), (gap + thick, TEXT, thick)):
        ring = rect.inflate(2 * reach, 2 * reach)
        corner = sheet.u(LOOK.radius["button"]) + reach
        rounded(surface, sheet.art.sprites, ring, None, colour, radius=corner, width=width)


def _lifted(glass: Glass, finger: int) -> Handled:
    commands = tuple(command for held, lifted in glass.held if held == finger for command in lifted)
    return replace(glass, held=tuple(pair for pair in glass.held if pair[0] != finger)), commands


def chair_press(chair: Chair, *, down: bool, source: str) -> Deed:
    """A chair's button by key or finger."""
    return deed(ChairPress(chair, down, source))
