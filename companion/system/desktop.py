"""Finds the desktop that has the machine's screen, and whether a program could draw without it."""

import ctypes
import errno
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from companion.core.view import Sentence

SESSIONS = "run/systemd/sessions"
"""Where logind writes down who sits at the machine, for all to read."""
GRAPHICAL_TYPES = frozenset({"wayland", "x11", "mir"})
DISPLAY_MANAGER = "etc/systemd/system/display-manager.service"
"""A link to the program that starts desktops, where one is enabled."""
DEFAULT_TARGET = "etc/systemd/system/default.target"
UNTOLD_SCREEN_REMEDY = "use another HDMI cable or adapter, in which all wires are"
DESKTOP_REMEDY = (
    "start the table in a terminal on that desktop; by ssh, as its user, write WAYLAND_DISPLAY=wayland-0 "
    "(X11: DISPLAY=:0) before the command"
)
DARK_SCREEN = Sentence("shared.screen.none")
"""What is said aloud where no screen answers."""
GRAPHICS_LIBRARIES = ("libGLESv2.so.2", "libEGL.so.1")
"""What SDL loads to draw without a desktop; its package depends on neither."""
GRAPHICS_PACKAGES = "libegl1 libgles2 libgl1-mesa-dri"
"""Debian's, that bring them and the driver below."""
_SET_MASTER = 0x641E
"""DRM_IOCTL_SET_MASTER."""


class Desktop(NamedTuple):
    """What has the screen."""

    user: str
    """Whose it is; empty: nobody's yet."""
    program: str
    """What started it, such as `lightdm`."""

    def __str__(self) -> str:
        if not self.user:
            return f"the desktop that {self.program} starts"
        return f"the desktop of {self.user}" + (f" ({self.program})" if self.program else "")


def find_desktop(root: Path = Path("/")) -> Desktop | None:
    """The desktop on the machine's own screen, or the one that is started with the machine."""
    for session in _read_sessions(root):
        on_screen = session.get("SEAT") == "seat0" and session.get("ACTIVE") == "1"
        if on_screen and session.get("TYPE") in GRAPHICAL_TYPES:
            return Desktop(session.get("USER", ""), session.get("SERVICE") or session.get("DESKTOP", ""))
    manager = root / DISPLAY_MANAGER
    enabled = manager.is_symlink() or manager.exists()
    if not enabled or _link_name(root / DEFAULT_TARGET) == "multi-user.target":
        return None
    return Desktop("", _link_name(manager).removesuffix(".service"))


def find_monitors(root: Path = Path("/")) -> tuple[tuple[str, str], ...] | None:
    """Each connected screen's socket and best size, such as `HDMI-A-1`, `1920x1080`; None: no list."""
    states = sorted((root / "sys/class/drm").glob("card*-*/status"))
    if not states:
        return None
    return tuple(
        (state.parent.name.partition("-")[2], _read_line(state.parent / "modes"))
        for state in states
        if _read_line(state) == "connected"
    )


def second_screen_remedy(monitors: Sequence[tuple[str, str]] | None) -> str:
    """Which of several screens is drawn on without a desktop, and how another is; empty: there is one."""
    if monitors is None or len(monitors) < 2:
        return ""
    sockets = [socket for socket, _ in monitors]
    return (
        f"the table is drawn on one of {' and '.join(sockets)}, mostly the first: to have another, unplug "
        f"{sockets[0]}, or write video={sockets[0]}:d at the end of /boot/firmware/cmdline.txt, and restart"
    )


def untold_screens(root: Path = Path("/")) -> tuple[str, ...]:
    """The sockets of connected screens that do not tell what they are: they have no EDID.

    So a cable or an adapter has not all its wires; the kernel takes a small size, and HDMI has no sound.
    """
    found = []
    for state in sorted((root / "sys/class/drm").glob("card*-HDMI-*/status")):
        try:
            is_untold = _read_line(state) == "connected" and not (state.parent / "edid").read_bytes()
        except OSError:
            continue
        if is_untold:
            found.append(state.parent.name.partition("-")[2])
    return tuple(found)


def take_screen(card: Path) -> str:
    """Why no program could draw on this graphics card now; empty: it could.

    The kernel lets one program at a time set what a screen shows (DRM master), the first that opens it.
    """
    import fcntl  # not on every system

    try:
        opened = os.open(card, os.O_RDWR | os.O_CLOEXEC)
    except OSError as trouble:
        return trouble.strerror or str(trouble)
    try:
        fcntl.ioctl(opened, _SET_MASTER)
    except OSError as trouble:
        taken = trouble.errno in {errno.EBUSY, errno.EACCES, errno.EINVAL}
        return "another program draws on it" if taken else trouble.strerror or str(trouble)
    finally:
        os.close(opened)
    return find_missing_library()


def find_missing_library(load: Callable[[str], object] = ctypes.CDLL) -> str:
    """Which library SDL would miss when it draws without a desktop, as the loader words it; empty: none."""
    for name in GRAPHICS_LIBRARIES:
        try:
            load(name)
        except OSError as trouble:
            return str(trouble)
    return ""


def _read_sessions(root: Path) -> Iterator[dict[str, str]]:
    """What logind keeps of each session, by its names."""
    for file in sorted((root / SESSIONS).glob("*")):
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue  # the session's pipe, or it has just ended
        yield dict(line.split("=", 1) for line in lines if "=" in line)


def _read_line(path: Path) -> str:
    """The first line of a small file; empty where it cannot be read."""
    try:
        return path.read_text(encoding="ascii", errors="replace").partition("\n")[0].strip()
    except OSError:
        return ""


def _link_name(path: Path) -> str:
    """The last name of what a link points to, or its own: the target may be another machine's."""
    return path.readlink().name if path.is_symlink() else path.name
