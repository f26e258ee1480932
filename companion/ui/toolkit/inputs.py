"""Input events of the window: touches, keys, wheel, size. Button presses arrive as observations instead."""

from companion.core.actions import Value
from companion.core.observations import ButtonHeld, ButtonPressed, ButtonReleased


class FingerDown(Value, frozen=True):
    """A finger or the mouse came down."""

    x: int
    y: int
    finger: int = 0


class FingerUp(Value, frozen=True):
    """That finger came up again, wherever it was by then."""

    x: int
    y: int
    finger: int = 0


class KeyPressed(Value, frozen=True):
    """A key went down: its name as pygame calls it, and what it types."""

    key: str
    text: str = ""
    shift: bool = False


class KeyReleased(Value, frozen=True):
    """A key came up."""

    key: str


class Wheel(Value, frozen=True):
    """The wheel turned: positive is away from the hand."""

    steps: int


class CloseRequested(Value, frozen=True):
    """The window's own close button."""


class WindowResized(Value, frozen=True):
    """The window has another size now."""

    width: int
    height: int


Input = (
    FingerDown
    | FingerUp
    | KeyPressed
    | KeyReleased
    | Wheel
    | CloseRequested
    | WindowResized
    | ButtonPressed
    | ButtonReleased
    | ButtonHeld
)
"""What a page handles. Presses of real buttons come as observations, when the page takes them."""
