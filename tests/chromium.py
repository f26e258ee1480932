"""The Chromium of this machine, for whatever looks at pages in it."""

from importlib.util import find_spec
from shutil import which

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """Where it is; None: it is not installed."""
    return next(filter(None, map(which, PROGRAMS)), None)


def lacking() -> str:
    """What is missing to drive it, and where that comes from; empty: nothing."""
    if find_spec("playwright") is None:
        return "playwright is not installed: make browser"
    return "" if chromium() else "Chromium is not installed: apt install chromium"
