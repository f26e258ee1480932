"""What a program may have besides the host that its game is played on."""

from typing import NamedTuple

from companion.core.appliance import Appliance
from companion.core.camera_views import Workshop
from companion.table.club import TableClub
from companion.table.host import Games, Guests, Runner
from companion.table.phones import TablePhones
from companion.table.public import Outlet
from companion.table.session import Session
from companion.ui import commands as do


class Around(NamedTuple):
    """The parts round a program; what is missing is not to be had there."""

    session: Session | None = None
    """A game that runs already."""
    again: do.Practice | None = None
    """Opens another of the kind of `session`."""
    games: Games | None = None
    guests: Guests = Guests()
    workshop: Workshop | None = None
    appliance: Appliance | None = None
    door: Outlet | None = None
    """Where other processes read along."""
    phones: TablePhones | None = None
    """The chairs that phones hold by it."""
    runner: Runner | None = None
    """Starts the page that phones come by."""
    club: TableClub | None = None
    """What the uplink is told and says."""
