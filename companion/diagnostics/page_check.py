"""What `doctor` says of the page for phones and watchers."""

from companion.appliance.machine import Machine
from companion.diagnostics.verdict import Verdict, absent, fault, ok
from companion.settings.extras import LIBRARIES, to_add

PORT = 8420
"""Where the page serves if nobody says otherwise."""
UNIT = "etc/systemd/system/companion-page.service"
DOOR = "etc/systemd/system/companion-table-page.socket"
PROGRAM = "opt/companion/current/page/bin/companion"
LISTENS = "0A"
"""The state of a listening socket in /proc/net/tcp."""


def verdict(machine: Machine) -> Verdict:
    """Whether the page can be served, and is."""
    installed = bool(machine.find(UNIT))
    if installed and not (machine.find(PROGRAM) and machine.find(DOOR)):
        return fault("its service is here, but not all that it needs", "run the installer again")
    if not installed and (lacking := [name for name in LIBRARIES["page"] if machine.module(name) is None]):
        what = f"no phones and no stream: the library {lacking[0]} is not installed"
        return absent(what, to_add("page"))
    if not _serves(machine):
        return absent("off; Phones on the table's screen switches it on")
    if not _has_network(machine):
        what = f"it is on, at port {PORT}, but this machine has no network"
        return fault(what, "join a Wi-Fi or plug a cable in")
    return ok(f"on, at port {PORT}")


def _serves(machine: Machine) -> bool:
    """Whether anything listens where the page does."""
    rows = (line.split() for line in machine.text("proc/net/tcp").splitlines()[1:])
    return any(len(row) > 3 and row[1].endswith(f":{PORT:04X}") and row[3] == LISTENS for row in rows)


def _has_network(machine: Machine) -> bool:
    """Whether there is a way to anywhere besides this machine itself."""
    rows = (line.split() for line in machine.text("proc/net/route").splitlines()[1:])
    return any(row and row[0] != "lo" for row in rows)
