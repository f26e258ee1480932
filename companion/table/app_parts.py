"""Optional parts of the app besides its host."""

from typing import NamedTuple

from companion.core.camera_tasks import CameraWizard
from companion.system.appliance import Appliance
from companion.table.host import Games, GuestHosts, PageProcess
from companion.table.remote.club_link import TableClub
from companion.table.remote.phone_seats import TablePhones
from companion.table.remote.public_view import Outlet
from companion.table.session import Session
from companion.ui import commands as do


class AppParts(NamedTuple):
    """The parts round a program; what is missing is not to be had there."""

    session: Session | None = None
    """A game that runs already."""
    again: do.StartPractice | None = None
    """Opens another of the kind of `session`."""
    games: Games | None = None
    guests: GuestHosts = GuestHosts()
    workshop: CameraWizard | None = None
    appliance: Appliance | None = None
    door: Outlet | None = None
    """Where other processes read along."""
    phones: TablePhones | None = None
    """The chairs that phones hold by it."""
    runner: PageProcess | None = None
    """Starts the page that phones come by."""
    club: TableClub | None = None
    """What the uplink is told and says."""
