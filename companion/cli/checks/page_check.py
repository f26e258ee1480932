"""The `doctor` check of the web page for phones."""

from companion.core.verdict import CheckVerdict, absent_verdict, fault_verdict, ok_verdict
from companion.system.extras import LIBRARIES, install_command
from companion.system.machine import Machine

DEFAULT_PORT = 8420
"""Where the page serves if nobody says otherwise."""
PAGE_UNIT = "etc/systemd/system/companion-page.service"
SOCKET_UNIT = "etc/systemd/system/companion-table-page.socket"
PAGE_PROGRAM = "opt/companion/current/page/bin/companion"
LISTEN_STATE = "0A"
"""The state of a listening socket in /proc/net/tcp."""


def check_web_page(machine: Machine) -> CheckVerdict:
    """Whether the page can be served, and is."""
    installed = bool(machine.find(PAGE_UNIT))
    if installed and not (machine.find(PAGE_PROGRAM) and machine.find(SOCKET_UNIT)):
        return fault_verdict("its service is here, but not all that it needs", "run the installer again")
    if not installed and (lacking := [name for name in LIBRARIES["page"] if machine.module(name) is None]):
        what = f"no phones and no stream: the library {lacking[0]} is not installed"
        return absent_verdict(what, install_command("page"))
    if not _is_port_listening(machine):
        return absent_verdict("off; Phones on the table's screen switches it on")
    if not _has_network(machine):
        what = f"it is on, at port {DEFAULT_PORT}, but this machine has no network"
        return fault_verdict(what, "join a Wi-Fi or plug a cable in")
    return ok_verdict(f"on, at port {DEFAULT_PORT}")


def _is_port_listening(machine: Machine) -> bool:
    """Whether anything listens where the page does."""
    rows = (line.split() for line in machine.read_text("proc/net/tcp").splitlines()[1:])
    return any(
        len(row) > 3 and row[1].endswith(f":{DEFAULT_PORT:04X}") and row[3] == LISTEN_STATE for row in rows
    )


def _has_network(machine: Machine) -> bool:
    """Whether there is a way to anywhere besides this machine itself."""
    rows = (line.split() for line in machine.read_text("proc/net/route").splitlines()[1:])
    return any(row and row[0] != "lo" for row in rows)
