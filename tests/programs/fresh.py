"""`make fresh`: the README's commands on a machine that has only what the README names.

python -m tests.programs.fresh [trixie] [bookworm]    one of them alone

In an empty Debian of each kind a user without rights clones what is committed of this checkout, and types the
three commands: the demo is ended by Ctrl-C after some rulings, the table after some seconds, the tests run to
their end. What pip is set up with here holds there too, with the folders and files that it names. What was
printed is kept in build/fresh. Needs root, mmdebstrap and the network; about a quarter of an hour each.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from tests.outside_programs import mirror, program

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "fresh"
RELEASES = ("trixie", "bookworm")
PACKAGES = re.compile(r"`sudo apt install ([a-z0-9 .+-]+)`")
"""Where the README names what it needs."""
ALONE = ("unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child")
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
OF_THE_NETWORK = ("http_proxy", "https_proxy", "no_proxy")
RULING = re.compile(r"^ *\d+\.\d\d  \S")
"""As the demo prints it where there is no screen."""
RULINGS = 10
OPEN_S = 20
"""The table is open so long."""
LONGEST_S = 3600
"""A command that takes so long never ends."""
STOPPED = 128 + signal.SIGINT
"""What a program ends with after Ctrl-C."""
NOISE = re.compile(r"WARNING: Location '")
"""Lines of pip that are kept, and not shown."""


class Typed(NamedTuple):
    """A command as the README has it, and when it is ended by Ctrl-C: after lines, or after seconds."""

    line: str
    stop: Callable[[str], bool] | None = None
    after_s: float = 0.0
    codes: tuple[int, ...] = (0,)


class Ended(NamedTuple):
    """What came of it."""

    line: str
    seconds: float
    trouble: str
    last: str


def main(words: Sequence[str]) -> int:
    if os.geteuid():
        sys.exit("another system's tree needs root: sudo make fresh")
    program("mmdebstrap")
    # A job in the background ignores it, and so would all that is started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    releases = [release for release in RELEASES if release in words or not words]
    began = time.monotonic()
    if git("status", "--porcelain"):
        print("what is not committed is not tried", flush=True)
    print(f"about a quarter of an hour each: {', '.join(releases)}", flush=True)
    found = {release: tried(release) for release in releases}
    print(f"\nfresh, {git('rev-parse', '--short', 'HEAD')}, {(time.monotonic() - began) / 60:.0f} minutes:")
    for release, ended in found.items():
        for one in ended:
            verdict = f"FAILED, {one.trouble}" if one.trouble else "ok"
            print(f"  {release:8}  {one.seconds:5.0f} s  {one.line}: {verdict}; {one.last}")
    wrong = [one for ended in found.values() for one in ended if one.trouble]
    print(
        f"fresh: {len(wrong)} of {sum(map(len, found.values()))} failed; output in {KEPT.relative_to(ROOT)}"
    )
    return 1 if wrong else 0


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def packages() -> list[str]:
    """What the README says to install."""
    named = PACKAGES.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert named is not None, "the README names no packages"
    return named[1].split()


def commands() -> Iterator[Typed]:
    """What the README says to type."""
    rulings = iter(range(RULINGS))

    def enough(line: str) -> bool:
        return bool(RULING.match(line)) and next(rulings, None) is None

    yield Typed("git clone /srv/table-companion.git")
    page = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Three commands")[2]
    lines = re.findall(r"```console\n(.*?)```", page, flags=re.DOTALL)[0].splitlines()
    how = {
        "make demo": Typed("", stop=enough, codes=(2, STOPPED)),  # make's own, or what the demo ends with
        ".venv/bin/companion play": Typed("", after_s=OPEN_S, codes=(STOPPED,)),
        "make test": Typed(""),
    }
    assert list(how) == lines, lines
    for line in lines:
        yield how[line]._replace(line=line)


def tried(release: str) -> list[Ended]:
    """Every command in an empty Debian; after the first that fails the others are not tried."""
    folder = KEPT / release
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tree = folder / "tree"
    ended: list[Ended] = []
    with said(release, "an empty Debian with what the README names"):
        empty(release, tree)
    for one in commands():
        print(f"[{release}] $ {one.line}", flush=True)
        ended.append(
            typed(tree, one, folder / f"{len(ended)}-{one.line.split()[0].rsplit('/')[-1]}.txt", release)
        )
        if ended[-1].trouble:
            print(f"[{release}] FAILED: {ended[-1].trouble}", flush=True)
            return ended
    shutil.rmtree(tree)
    return ended


@contextmanager
def said(release: str, what: str) -> Iterator[None]:
    print(f"[{release}] … {what}", flush=True)
    began = time.monotonic()
    yield
    print(f"[{release}] ✓ {what} ({time.monotonic() - began:.0f} s)", flush=True)


def empty(release: str, tree: Path) -> None:
    """A system with the README's packages, a user, and the checkout at an address."""
    lean = ('--aptopt=Apt::Install-Recommends "false"', '--aptopt=Acquire::Check-Valid-Until "false"')
    kind = ("--quiet", "--mode=root", "--variant=minbase", *lean, f"--include={','.join(packages())}")
    subprocess.run([program("mmdebstrap"), *kind, release, str(tree), mirror()], check=True)
    at = tree / "srv" / "table-companion.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(ROOT), str(at)], check=True)
    subprocess.run(
        ["chroot", str(tree), "useradd", "--create-home", "--shell", "/bin/bash", "ana"], check=True
    )
    subprocess.run(["chroot", str(tree), "chown", "-R", "ana:", "/srv/table-companion.git"], check=True)


def pip_settings() -> dict[str, str]:
    """What pip is set up with here, as variables of the environment; those of ours stand above its files."""
    asked = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    pairs = [line.partition("=")[::2] for line in listed.splitlines()]
    pairs.sort(key=lambda pair: pair[0].startswith(":env:"))
    return {
        "PIP_" + key.rpartition(".")[2].upper().replace("-", "_"): " ".join(
            str(ast.literal_eval(value)).split()
        )
        for key, value in pairs
    }


def places(settings: Mapping[str, str]) -> list[Path]:
    """The folders and files of this machine that the settings name; beside an index lies what it lists."""
    words = [word for value in settings.values() for word in value.split()]
    named = [Path(unquote(urlsplit(word).path)) for word in words if word.startswith(("file:", "/"))]
    known = dict.fromkeys(path.parent if path.name == "simple" else path for path in named if path.exists())
    return [path for path in known if not any(other in path.parents for other in known)]


def entered(tree: Path, command: str) -> list[str]:
    """How the user's command is begun in the tree, which sees this machine's network and pip's folders."""
    settings = pip_settings()
    network = {name: os.environ[name] for name in OF_THE_NETWORK if name in os.environ}
    bound = [CERTIFICATES, *map(str, places(settings))]
    env = {
        **settings,
        **network,
        "HOME": "/home/ana",
        "USER": "ana",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "SDL_VIDEODRIVER": "dummy",  # a machine without a screen
        "SDL_AUDIODRIVER": "dummy",
    }
    binds = [
        f'mkdir -p "$(dirname .{at})"; [ -d {at} ] && mkdir -p .{at} || touch .{at}; mount --bind {at} .{at}'
        for at in map(shlex.quote, dict.fromkeys(bound))
    ]
    user = shlex.join(["env", "-i", *(f"{name}={value}" for name, value in env.items()), "bash", "-c"])
    inside = [
        *("set -e", f"cd {shlex.quote(str(tree))}", "mount -t proc proc proc", "mount --rbind /dev dev"),
        *("cp /etc/resolv.conf /etc/hosts etc/", *binds),
        # Not in the place of this shell: process 1 hears no Ctrl-C.
        f'chroot . runuser -u ana -- {user} "$0" || exit',
    ]
    return [*ALONE, "sh", "-c", "\n".join(inside), command]


def typed(tree: Path, one: Typed, kept: Path, release: str) -> Ended:
    """Type a command and follow it to its end."""
    began = time.monotonic()
    folder = "" if one.line.startswith("git clone") else "cd table-companion; "
    stopped, last = False, ""
    with (
        subprocess.Popen(
            entered(tree, f"cd; {folder}{one.line}"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # a group, to which Ctrl-C goes
        ) as running,
        kept.open("w", encoding="utf-8") as output,
    ):
        assert running.stdout is not None

        def interrupt() -> None:
            nonlocal stopped
            stopped = True
            os.killpg(running.pid, signal.SIGINT)

        timers = [Timer(LONGEST_S, os.killpg, (running.pid, signal.SIGKILL))]
        timers += [Timer(one.after_s, interrupt)] if one.after_s else []
        for timer in timers:
            timer.start()
        for line in running.stdout:
            output.write(line)
            output.flush()
            if line.strip() and not NOISE.match(line):
                last = line.strip()
                print(f"[{release}] {last}", flush=True)
            if not stopped and one.stop is not None and one.stop(line):
                interrupt()
        code = running.wait()
        for timer in timers:
            timer.cancel()
    text = kept.read_text(encoding="utf-8")
    trouble = "" if code in one.codes else f"ended with {code}"
    if one.stop or one.after_s:
        trouble = trouble if stopped else f"ended by itself with {code}"
        trouble = trouble or ("a traceback" if "Traceback" in text else "")
    summary = [
        line for line in text.splitlines() if re.match(r"=* ?\d+ (passed|failed)|not tested here", line)
    ]
    return Ended(one.line, time.monotonic() - began, trouble, "; ".join(summary) or last)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
