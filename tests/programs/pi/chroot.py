"""The Debian package in a bare trixie tree: a chroot without a boot or a network of its own, and not a Pi.

Installed, played and printed as a user, replaced by a newer version beside a game in play, back again,
removed and purged. systemd is there and not running: that the table starts and stops, `update_install.py`
looks at. usage: chroot.py [--keep]   --keep: the tree of the last run is used again It needs root,
mmdebstrap and lintian.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from machine import CHECKOUT, packed, work_folder
from run import step
from updating import KEPT, NEWER, half_a_game, newer

BESIDE = ("systemd", "udev", "polkitd", "passwd", "sqlite3", "espeak-ng", "python3-reportlab")
"""What Raspberry Pi OS has, and what the package recommends."""
ALONE = ("unshare", "--mount", "--pid", "--fork", "--net", "--kill-child")
STATE = "/var/lib/companion"
LEFT = (
    f"{STATE} {STATE}-page {STATE}-uplink {STATE}-update /etc/companion /etc/companion-uplink"
    " /var/backups/companion /opt/companion /usr/lib/table-companion"
)


class Tree:
    """A system's files, in which commands run as root or as somebody."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def try_run(self, command: str) -> tuple[int, str]:
        inside = f"mount -t proc proc '{self.root}/proc'; exec chroot '{self.root}' bash -c \"$0\""
        plain = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
        done = subprocess.run(
            [*ALONE, "sh", "-c", inside, command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=plain,
        )  # fmt: skip
        return done.returncode, done.stdout

    def run(self, command: str) -> str:
        code, said = self.try_run(command)
        assert code == 0, f"{command}\n→ {code}: {said[-3000:]}"
        return said

    def version(self) -> str:
        return self.run("companion --version").split()[-1]


def mirror() -> str:
    """The Debian mirror that this machine's apt is set up with."""
    asked = ("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    known = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    return next(each for each in known if re.search(r"/debian/?$", each)).rstrip("/")


def depends(deb: Path) -> list[str]:
    """The packages that a package cannot do without."""
    asked = ("dpkg-deb", "-f", str(deb), "Depends")
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    return re.findall(r"(?:^|, )([a-z0-9.+-]+)", said)


def made(deb: Path, root: Path) -> Tree:
    """A new tree with what the package depends on; fetched here, so that nothing inside needs the network."""
    names = sorted({*depends(deb), *BESIDE})
    shutil.rmtree(root, ignore_errors=True)
    options = ("--mode=root", "--variant=minbase", '--aptopt=Acquire::Check-Valid-Until "false"')
    lean = ('--aptopt=Apt::Install-Recommends "false"', f"--include={','.join(names)}", "--quiet")
    subprocess.run(["mmdebstrap", *options, *lean, "trixie", str(root), mirror()], check=True)
    return Tree(root)


def plays_and_prints(tree: Tree) -> None:
    tree.run("id ana >/dev/null 2>&1 || useradd -m -G companion ana")
    dummy = "SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy GPIOZERO_PIN_FACTORY=mock"
    as_ana = (
        f"cd /home/ana; runuser -u ana -- env HOME=/home/ana {dummy} companion --set storage.folder=games"
    )
    print("  " + tree.run(f"{as_ana} demo kobayakawa --fast --seed 3 2>&1").splitlines()[-1])
    print(
        "  " + tree.run(f"{as_ana} print kinapa --out sheets; ls sheets | wc -l").splitlines()[-1] + " PDFs"
    )


def serves_its_page(tree: Tree) -> None:
    """The page's environment has its own libraries, none of the system's, and serves as its own user."""
    asked = (
        "import starlette, uvicorn, importlib.util as u; assert '/page/lib/' in starlette.__file__; "
        "assert not any(map(u.find_spec, ('numpy', 'pygame', 'cv2'))); print('page', uvicorn.__version__)"
    )
    print("  " + tree.run(f'/opt/companion/current/page/bin/python -c "{asked}"').strip())
    said = tree.run(
        "cd /; runuser -u companion-page -- timeout --preserve-status -s INT 5"
        " /opt/companion/current/page/bin/companion page --host 127.0.0.1 2>&1 | grep -a Watch"
    )
    print("  " + said.strip())


def uplinks(tree: Tree) -> None:
    """The uplink's user runs it, with libraries of its own; where no broker is named, it says so."""
    asked = "import paho.mqtt as m; assert '/page/lib/' in m.__file__"
    tree.run(f'/opt/companion/current/page/bin/python -c "{asked}"')
    code, said = tree.try_run(
        "cd /; runuser -u companion-uplink -- env STATE_DIRECTORY=/tmp"
        " /opt/companion/current/page/bin/companion uplink 2>&1"
    )
    assert code == 2, said
    assert "[club] broker" in said, said
    print("  " + said.strip().splitlines()[-1])


def linted(deb: Path) -> None:
    """Debian's own reader of packages has nothing to say."""
    done = subprocess.run(
        ["lintian", "--allow-root", str(deb)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true")
    wanted = parser.parse_args()
    begun = time.monotonic()
    assert os.geteuid() == 0, "a tree of another system needs root: sudo make deb-check"
    work = work_folder()
    (work / "share").mkdir(parents=True, exist_ok=True)
    with step("this version and one further on are packed"):
        older = packed(CHECKOUT, work / "share/bundle")
        later = packed(newer(work), work / "share/newer")
    with step("lintian has nothing to say"):
        linted(older)
    kept = work / "chroot"
    with step("a bare trixie with what the package depends on"):
        tree = Tree(kept) if wanted.keep and kept.exists() else made(older, kept)
    inbox = tree.root / "root"
    for deb in (older, later):
        shutil.copy(deb, inbox)
    half_a_game(inbox)
    shutil.move(inbox / "half.jsonl", tree.root / "tmp/half.jsonl")
    with step("it is installed, plays a demo and prints a game, without a network"):
        print(tree.run(f"dpkg -i /root/{older.name} 2>&1"))
        before = tree.version()
        print("  Python " + tree.run("/opt/companion/current/venv/bin/python --version").split()[-1])
        plays_and_prints(tree)
        serves_its_page(tree)
        uplinks(tree)
    with step("a newer package takes its place beside half a game, which is copied first"):
        tree.run(f"install -d -o companion -g companion {STATE}; chmod 644 /tmp/half.jsonl")
        tree.run("cd /tmp; runuser -u companion -- companion import half.jsonl 2>&1")
        print(tree.run(f"dpkg -i /root/{later.name} 2>&1"))
        assert tree.version() == NEWER
        for store in (f"{STATE}/table/games.sqlite", "/var/backups/companion/*/*/*/*/games.sqlite"):
            found = tree.run(
                f"for f in {store}; do sqlite3 -readonly \"$f\" 'select count(*) from entries'; done"
            )
            assert found.split() == [str(KEPT)], found
        plays_and_prints(tree)
    with step("the version before comes back, and the newer one again"):
        for number in (before, NEWER):
            print("  " + tree.run("companion update --back 2>&1").strip())
            assert tree.version() == number
    with step("it is removed: the games stay; purged: nothing stays"):
        print(tree.run("dpkg -r table-companion 2>&1"))
        tree.run(f"test -e {STATE}/table/games.sqlite -a ! -e /opt/companion")
        tree.run("dpkg -P table-companion 2>&1")
        _, said = tree.try_run(
            f"ls -d {LEFT} /etc/systemd/system/companion* 2>/dev/null; id companion 2>/dev/null"
        )
        assert not said.strip(), said
    print(f"The package held in a chroot ({(time.monotonic() - begun) / 60:.0f} minutes), which is not a Pi.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
