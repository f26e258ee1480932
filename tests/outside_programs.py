"""The programs of others that tests start, each with its Debian package: the one way to any of them.

A test says what it needs by `@needs("mosquitto")`, a fixture by `@starts("mosquitto")` below
`@pytest.fixture`. What needs a program that is not here is skipped, and named in the last line of the run; a
test that starts one without saying so fails wherever it runs (`conftest.py`). Whoever starts one asks
`program` where it is.

python -m tests.outside_programs NAME …          1 and a sentence, unless all of these are here python -m
tests.outside_programs --packages      the Debian packages of what tests and browsers lack here python -m
tests.outside_programs --without WORD … run a command on a PATH that has everything but these programs

TEST_PROGRAMS=required in the environment: a test whose program is missing fails. =hidden: none is found.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

import pytest

F = TypeVar("F", bound=Callable[..., object])


class Program(NamedTuple):
    """What it is called, where it comes from, and what is not tried where it is missing."""

    package: str
    lost: str
    names: tuple[str, ...] = ()
    """Its commands, if they are not called as it is; the first that is found is taken."""
    beside: tuple[str, ...] = ()
    """Folders that are on no user's PATH."""
    tested: bool = True
    """`make test` or `make browser` needs it; else only a target of its own does."""


CLUB = "a club with a real broker"
SIGNED = "signed updates"
TREE = "another Debian in a tree"
PROGRAMS = {
    "mosquitto": Program("mosquitto", CLUB, beside=("/usr/sbin",)),
    "mosquitto_passwd": Program("mosquitto", CLUB),
    "postgresql": Program(
        *("postgresql", "a club's database on PostgreSQL"),
        names=("initdb", "postgres", "createdb"),
        beside=("/usr/lib/postgresql/*/bin",),
    ),
    "openssl": Program("openssl", "a club's certificates"),
    "ssh-keygen": Program("openssh-client", SIGNED),
    "espeak-ng": Program("espeak-ng", "clips and free text by espeak-ng"),
    "systemd-analyze": Program("systemd", "units as systemd reads them"),
    "dpkg-deb": Program("dpkg", "the Debian package"),
    "fish": Program("fish", "words that fish completes"),
    "zsh": Program("zsh", "words that zsh completes"),
    "chromium": Program(
        "chromium", "pages in a browser", names=("chromium", "chromium-browser", "google-chrome")
    ),
    "WebKitWebDriver": Program("webkit2gtk-driver", "phones in WebKitGTK", tested=False),
    "Xvfb": Program("xvfb", "phones in WebKitGTK", tested=False),
    "ffmpeg": Program("ffmpeg", "the film", tested=False),
    "mmdebstrap": Program("mmdebstrap", TREE, tested=False),
    "lintian": Program("lintian", "the Debian package as lintian reads it", tested=False),
    "qemu-system-aarch64": Program("qemu-system-arm", "the program on arm64", tested=False),
    "qemu-system-x86_64": Program("qemu-system-x86", "the virtual Pi", tested=False),
    "systemd-nspawn": Program("systemd-container", "a club's machine", tested=False),
    "slirp4netns": Program("slirp4netns", "a club's machine", tested=False),
    "ip": Program("iproute2", "a network of its own", beside=("/usr/sbin",), tested=False),
}
COMMANDS = {command: name for name, each in PROGRAMS.items() for command in each.names or (name,)}
"""What may be started → the name in the table."""
KERNEL_LOG = ("dmesg", "journalctl")
"""How a table asks for it."""
EVERYWHERE = frozenset(
    {"bash", "cp", "env", "false", "git", "make", "nice", "sh", "tar", "true", "uname", *KERNEL_LOG}
)
"""What the README asks for, what Debian is never without, and what asks for the kernel's log."""
MODE = os.environ.get("TEST_PROGRAMS", "")
SYSTEM = ("/bin", "/sbin", "/usr")
"""Where programs of others are; what a test makes or installs is elsewhere."""

needs = pytest.mark.needs


def starts(*names: str) -> Callable[[F], F]:
    """This fixture starts these programs: every test that uses it needs them."""

    def marked(fixture: F) -> F:
        fixture.starts = names  # type: ignore[attr-defined]
        return fixture

    return marked


def found(name: str) -> str | None:
    """Where a program of the table is; None: not here, or hidden."""
    if MODE == "hidden":
        return None
    one = PROGRAMS[name]
    folders = [os.environ.get("PATH", ""), *(str(each) for place in one.beside for each in _newest(place))]
    where = os.pathsep.join(folders)
    return next(filter(None, (shutil.which(each, path=where) for each in one.names or (name,))), None)


def _newest(pattern: str) -> list[Path]:
    """The folders of a pattern with a version in it, the newest first."""
    numbered = Path("/").glob(pattern.lstrip("/"))
    return sorted(numbered, key=lambda at: [int(part) for part in at.parts if part.isdecimal()], reverse=True)


def program(name: str) -> str:
    """Where it is; ends the program with the sentence of `lacking` if it is not here."""
    where = found(name)
    if where is None:
        sys.exit(lacking([name]))
    return where


def absent(names: Iterable[str]) -> list[str]:
    """Those that are not here."""
    return [name for name in names if found(name) is None]


def lacking(names: Iterable[str]) -> str:
    """What is not here, and how it comes; empty: all are here."""
    gone = absent(names)
    packages = " ".join(dict.fromkeys(PROGRAMS[name].package for name in gone))
    return f"not installed here: {', '.join(gone)} (sudo apt install {packages})" if gone else ""


def untested(names: Iterable[str]) -> str:
    """What is not tested where these are missing, and how it can be; empty: all are here."""
    gone = dict.fromkeys(
        f"{PROGRAMS[name].lost} (apt install {PROGRAMS[name].package})" for name in absent(names)
    )
    return " and ".join(gone)


def mirror() -> str:
    """The Debian mirror that this machine's apt is set up with."""
    asked = ("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    known = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    return next(each for each in known if re.search(r"/debian/?$", each)).rstrip("/")


def main(words: Sequence[str]) -> int:
    match words:
        case ["--packages"]:
            tested = absent(name for name, each in PROGRAMS.items() if each.tested)
            print(*dict.fromkeys(PROGRAMS[name].package for name in tested))
        case ["--without", *command]:
            return without(command)
        case _ if sentence := lacking(words):
            print(sentence, file=sys.stderr)
            return 1
    return 0


def without(command: Sequence[str]) -> int:
    """Run a command where none of the table is found; its exit code."""
    with TemporaryDirectory(prefix="without-") as folder:
        for place in os.get_exec_path():
            for one in Path(place).iterdir() if Path(place).is_dir() else ():
                link = Path(folder) / one.name
                if one.name not in COMMANDS and not link.is_symlink():
                    link.symlink_to(one)
        hidden = {**os.environ, "PATH": folder, "TEST_PROGRAMS": "hidden"}
        return subprocess.run(command, env=hidden, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
