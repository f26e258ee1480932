"""What a machine that is only a table does for those who sit at it."""

from __future__ import annotations

from typing import Protocol

from companion.core.actions import Chair, Micros, Value
from companion.core.view import Sentence


class Machine(Value, frozen=True):
    """What the machine under the table can do for those who sit at it."""

    stick: bool = False
    """Whether a USB stick is in, to copy the games to."""
    copying: bool = False
    power: bool = False
    """Whether the program may switch the machine off."""


class Appliance(Protocol):
    """The machine itself, where the program is all it does."""

    def tick(self, now: Micros, *, held: bool) -> None:
        """Look after sticks, copies and power; `held`: the button that switches off is down."""

    def machine(self) -> Machine:
        """What can be done now."""

    def notice(self, now: Micros) -> Sentence | None:
        """What the table has to know of it now."""

    def lamps(self) -> frozenset[Chair] | None:
        """Which lamps glow while the machine is about to be switched off; None: the game's own."""

    def copy(self) -> None:
        """Copy games and decks to the stick."""

    def switch_off(self) -> None:
        """Switch the machine off, in order."""
