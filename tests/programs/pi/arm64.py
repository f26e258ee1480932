"""The Debian package on arm64: trixie installs it, and what it needs, in `qemu-system-aarch64 -M virt`.

Doctor is asked, three cards are read from a picture, a demo goes on to three rulings. No arm64 program runs
while the tree is made: packages are unpacked, and the guest itself installs them. There is no Pi's kernel,
camera or pins, and systemd does not run. Everything is emulated: it takes up to an hour, and times of the
guest say nothing. usage: arm64.py [--keep]   --keep: the tree of the last run is used again. It needs root,
mmdebstrap, qemu-system-aarch64 and the network.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
from chroot import depends, mirror
from machine import CHECKOUT, work_folder

from companion.games import mat_layout
from companion.system.asset_paths import bundled_assets_folder
from companion.vision.renderer import EASY, TableRenderer, TableScene, Textures

CARDS = ("object:1-2", "object:3-4", "object:5-6")
BESIDE = ("linux-image-cloud-arm64", "mount", "systemd", "udev", "espeak-ng")
"""A kernel with NVMe built in, for there is no initrd; what the first program calls; a voice."""
GUEST = """#!/usr/bin/bash
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin HOME=/root LANG=C.UTF-8
export DEBIAN_FRONTEND=noninteractive
export SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy OPENBLAS_NUM_THREADS=1
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t tmpfs tmp /tmp; mount -t tmpfs run /run
cd /tmp
table() { companion --set storage.folder=/tmp/games "$@" 2>&1; }
echo "== machine: $(uname -m)"
system() { dpkg --force-depends --unpack /opt/debs/*.deb && dpkg --configure -a; }
system >/tmp/system 2>&1 || tail -n 40 /tmp/system
echo "== package"; dpkg --install /opt/table-companion.deb 2>&1
dpkg-query -W -f '${Status}\\n' table-companion; companion --version
echo "== doctor"; table doctor
echo "== cards"; table recognise --deck kinapa /opt/three.png
echo "== demo"; table demo kobayakawa --fast --seed 3 | grep -a -m 3 -E 'passes|fights|shows the'
echo "== end"
sync; echo o > /proc/sysrq-trigger; sleep 60
"""


def make_tree(root: Path, deb: Path) -> None:
    """Debian's packages, unpacked and beside it as they came; ours; the picture; the first program."""
    shutil.rmtree(root, ignore_errors=True)
    fetch = ["mmdebstrap", "--mode=root", "--architectures=arm64", "--variant=extract", "--quiet"]
    fetch += ['--aptopt=Acquire::Check-Valid-Until "false"', '--aptopt=Apt::Install-Recommends "false"']
    fetch += ["--skip=cleanup/apt", "--include=?essential", f"--include={','.join([*depends(deb), *BESIDE])}"]
    subprocess.run([*fetch, "trixie", str(root), mirror()], check=True)
    kept = root / "opt/debs"
    kept.mkdir(parents=True)
    for each in (root / "var/cache/apt/archives").glob("*.deb"):
        if not each.name.startswith("linux-"):
            each.rename(kept / each.name)
    shutil.copy(deb, root / "opt/table-companion.deb")
    draw_cards(root / "opt/three.png")
    first = root / "first"
    first.write_text(GUEST, encoding="utf-8")
    first.chmod(0o755)


def draw_cards(picture: Path) -> None:
    """Three cards of Kinapa side by side on the mat."""
    layout = mat_layout("kinapa", 4)
    renderer = TableRenderer(Textures.load(bundled_assets_folder() / "decks" / "kinapa"), layout, EASY)
    places = [layout.object_card_place(f"slot:{slot}").centre_mm for slot in (1, 2, 3)]
    laid = tuple((card, place, 0.0) for card, place in zip(CARDS, places, strict=True))
    cv2.imwrite(str(picture), renderer.render(TableScene(laid), np.random.default_rng(1)))


def boot(work: Path, root: Path) -> str:
    """Everything that the guest wrote on its console until it switched itself off."""
    image = work / "arm64.ext4"
    image.unlink(missing_ok=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", str(root), str(image), "5G"], check=True)
    (kernel,) = (root / "boot").glob("vmlinuz-*")
    machine = ["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", "2048"]
    machine += ["-nodefaults", "-display", "none", "-no-reboot", "-kernel", str(kernel), "-serial", "stdio"]
    machine += ["-drive", f"file={image},format=raw,if=none,id=disk,snapshot=on"]
    machine += ["-device", "nvme,drive=disk,serial=1", "-device", "virtio-rng-pci"]
    machine += ["-append", "console=ttyAMA0 quiet root=/dev/nvme0n1 rootfstype=ext4 rw init=/first panic=-1"]
    said = ""
    with subprocess.Popen(machine, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as guest:
        assert guest.stdout is not None
        for line in guest.stdout:
            print("  " + line.rstrip(), flush=True)
            said += line
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true")
    keep = parser.parse_args().keep
    work = work_folder()
    share, root = work / "share", work / "rootfs-arm64"
    bundle = share / "bundle-arm64"
    if not (keep and root.exists()):
        gather = [str(CHECKOUT / "systemd/bundle.sh"), str(bundle), "trixie", "aarch64"]
        subprocess.run(gather, check=True, env={**os.environ, "PYTHON": sys.executable})
        subprocess.run([str(CHECKOUT / "systemd/deb.sh"), str(bundle), str(share)], check=True)
        make_tree(root, max(share.glob("*_arm64.deb"), key=os.path.getmtime))
    said = boot(work, root)
    machine, package, doctor, cards, demo = (said.partition("== end")[0]).split("== ")[1:]
    assert "aarch64" in machine, machine
    assert "install ok installed" in package, package
    assert "opencv" in doctor, doctor
    read = [card for card in CARDS if card in cards]
    assert len(read) == len(CARDS), f"read of {CARDS}: {read}"
    rulings = demo.strip().splitlines()[1:]
    assert len(rulings) == 3, rulings
    print("arm64: the package installed itself, doctor ran, three cards read, three rulings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
