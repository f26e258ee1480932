"""What happens at the glass: touches, keys and the window. Button presses arrive as observations instead."""

from companion.core.actions import Value
from companion.core.observations import ButtonHeld, ButtonPressed, ButtonReleased


class Tap(Value, frozen=True):
    """A finger or the mouse came down."""

    x: int
    y: int
    finger: int = 0


class Lift(Value, frozen=True):
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


class Closed(Value, frozen=True):
    """The window's own close button."""


class Resized(Value, frozen=True):
    """The window has another size now."""

    width: int
    height: int


Input = (
    Tap
    | Lift
    | KeyPressed
    | KeyReleased
    | Wheel
    | Closed
    | Resized
    | ButtonPressed
    | ButtonReleased
    | ButtonHeld
)
"""What a page handles. Presses of real buttons come as observations, when the page takes them."""
