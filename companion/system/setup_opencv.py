"""Replacement of opencv-python by its headless package where libGL is missing.

The ordinary wheel carries Qt, which needs libGL and GLib; a machine without a desktop often has neither. The
two packages share the folder `cv2`, so one has to leave before the other comes. Run by the Makefile and
named by `companion doctor`.
"""

import ctypes
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

FULL_PACKAGE, HEADLESS_PACKAGE = "opencv-python", "opencv-python-headless"
DESKTOP_LIBRARIES = ("libGL.so.1", "libgthread-2.0.so.0")
"""What the ordinary wheel needs of the system."""


def has_libgl(*libraries: str) -> bool:
    """Whether the system's loader finds each of `libraries`; without any, those of a desktop."""
    if not sys.platform.startswith("linux"):
        return True
    try:
        for library in libraries or DESKTOP_LIBRARIES:
            ctypes.CDLL(library)
    except OSError:
        return False
    return True


def installed_version(package: str) -> str | None:
    """The version of `package` in this environment."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def pip_commands(full: str | None, *, libgl: bool) -> tuple[tuple[str, ...], ...]:
    """The pip commands that bring this environment to the OpenCV it can load."""
    if libgl or full is None:
        return ()
    wanted = f"{HEADLESS_PACKAGE}=={full}"
    # pip would keep a headless package that is already there, although uninstalling took its files along.
    return (("uninstall", "-y", FULL_PACKAGE), ("install", "--force-reinstall", "--no-deps", wanted))


def main() -> int:
    full = installed_version(FULL_PACKAGE)
    todo = pip_commands(full, libgl=has_libgl())
    if todo:
        sys.stdout.write(
            f"This system lacks {' or '.join(DESKTOP_LIBRARIES)}: {HEADLESS_PACKAGE} {full} "
            f"takes the place of {FULL_PACKAGE}.\n"
        )
        sys.stdout.flush()
    for step in todo:
        if subprocess.run([sys.executable, "-m", "pip", "--quiet", *step], check=False).returncode:
            sys.stderr.write("That failed; check the network, or install libGL: sudo apt install libgl1\n")
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
