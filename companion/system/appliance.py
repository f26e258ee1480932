"""Interface to a machine dedicated to the table, for stick copies, updates and power-off."""

from typing import Protocol

from companion.core.actions import Chair, Micros, Value
from companion.core.view import Sentence


class UpdateOffer(Value, frozen=True):
    """Another version on the stick, as people see it before they say yes."""

    version: str = ""
    digest: str = ""
    """Of the bundle, in groups of eight."""
    signed: bool = False
    """By this table's key; False: it has none."""
    older: bool = False
    """Than a version that this table had before."""
    pin: int = 0
    """Digits of the owner's PIN, without which it is not installed; 0: it is not asked for."""
    hold: bool = False
    """Whether OK is held for it, once the screen is dark."""
    refused: Sentence | None = None
    """Why this table does not install it."""


class MachineStatus(Value, frozen=True):
    """What the machine can do at the moment."""

    stick: bool = False
    """Whether there is a USB stick to copy the games to."""
    copying: bool = False
    power: bool = False
    """Whether the program may switch the machine off."""
    update: UpdateOffer | None = None


class Appliance(Protocol):
    """A machine dedicated to this program."""

    def tick(self, now: Micros, *, held: bool) -> None:
        """Update sticks, copies and power; `held`: whether the power button is down."""

    def read_status(self) -> MachineStatus:
        """What the machine can do at the moment."""

    def message_for_players(self, now: Micros) -> Sentence | None:
        """A message for the players, if there is one."""

    def lit_lamps(self) -> frozenset[Chair] | None:
        """The lamps that are lit before the machine switches off; None: leave them to the game."""

    def copy_to_stick(self) -> None:
        """Copy games and decks to the stick."""

    def install_update(self, digest: str, pin: str = "") -> None:
        """Install the update that is shown with this digest; `pin`: what somebody typed for the owner's."""

    def switch_off(self) -> None:
        """Shut the machine down."""
