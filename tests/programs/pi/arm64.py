"""The program on arm64: trixie's own packages and the bundle's wheels in `qemu-system-aarch64 -M virt`.

Doctor is asked, three cards are read from a picture, a demo goes on to three rulings. Debian's packages are
only unpacked, for no arm64 program runs while the tree is made; that the Debian package installs itself there
is tried on a hosted machine (`.ci/arm64`). There is no Pi's kernel, camera or pins. Everything is emulated:
it takes up to an hour, and times of the guest say nothing. usage: arm64.py [--keep]   --keep: the tree of the
last run is used again. It needs root, mmdebstrap, qemu-system-aarch64 and the network.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
from machine import CHECKOUT, work_folder

from companion.games import mat_layout
from companion.system.asset_paths import bundled_assets_folder
from companion.vision.renderer import EASY, TableRenderer, TableScene, Textures

SECONDS = 3600
CARDS = ("object:1-2", "object:3-4", "object:5-6")
PACKAGES = (
    "base-passwd,systemd-sysv,udev,kmod,bash,coreutils,util-linux,mount,grep,sed,libc-bin,linux-image-cloud-arm64,"
    "python3,python3-venv,python3-numpy,python3-pygame,python3-libgpiod,python3-evdev,libgl1,espeak-ng"
)
"""What the program has from the system on trixie, and a kernel with NVMe built in: no initrd is needed."""
GUEST = """#!/usr/bin/bash
export PATH=/usr/sbin:/usr/bin HOME=/root LANG=C.UTF-8 PYTHONPATH=/opt/companion
export SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy OPENBLAS_NUM_THREADS=1
export LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu/blas:/usr/lib/aarch64-linux-gnu/lapack
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t tmpfs tmp /tmp; mount -t tmpfs run /run
cd /tmp
companion() { python3 -m companion --set storage.folder=/tmp/games "$@" 2>&1; }
echo "== machine: $(uname -m), $(python3 --version)"
echo "== doctor"; companion doctor
echo "== cards"; companion recognise --deck kinapa /opt/three.png
echo "== demo"; companion demo kobayakawa --fast --seed 3 | grep -a -m 3 -E 'passes|fights|shows the'
echo "== end"
sync; echo o > /proc/sysrq-trigger; sleep 60
"""


def make_tree(root: Path, bundle: Path) -> None:
    """Debian's packages, unpacked; the bundle's wheels in /opt; the picture; the first program."""
    asked = ("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    known = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    mirror = next(each for each in known if re.search(r"/debian/?$", each))
    shutil.rmtree(root, ignore_errors=True)
    fetch = ["mmdebstrap", "--mode=root", "--architectures=arm64", "--variant=extract", "--quiet"]
    fetch += ['--aptopt=Acquire::Check-Valid-Until "false"', '--aptopt=Apt::Install-Recommends "false"']
    subprocess.run([*fetch, f"--include={PACKAGES}", "trixie", str(root), mirror], check=True)
    place = ["--target", str(root / "opt/companion"), "--platform", "manylinux_2_28_aarch64"]
    place += ["--platform", "manylinux2014_aarch64", "--python-version", "3.13", "--only-binary=:all:"]
    wheels = sorted(map(str, (bundle / "wheels").glob("*.whl")))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, *place, *wheels], check=True)
    (root / "usr/bin/sh").symlink_to("bash")
    for name in ("passwd", "group"):
        shutil.copy(root / f"usr/share/base-passwd/{name}.master", root / "etc" / name)
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
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", str(root), str(image), "3G"], check=True)
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
    bundle, root = work / "share/bundle-arm64", work / "rootfs-arm64"
    if not (keep and root.exists()):
        gather = [str(CHECKOUT / "systemd/bundle.sh"), str(bundle), "trixie", "aarch64"]
        subprocess.run(gather, check=True, env={**os.environ, "PYTHON": sys.executable})
        make_tree(root, bundle)
    said = boot(work, root)
    _, doctor, cards, demo = (said.partition("== end")[0]).split("== ")[1:]
    assert "aarch64" in said, said
    assert "opencv" in doctor, doctor
    read = [card for card in CARDS if card in cards]
    assert len(read) == len(CARDS), f"read of {CARDS}: {read}"
    rulings = demo.strip().splitlines()[1:]
    assert len(rulings) == 3, rulings
    print("arm64: doctor ran, three cards read, three rulings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
