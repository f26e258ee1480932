#!/usr/bin/env bash
# Builds the virtual Pi: a Debian trixie guest, which Raspberry Pi OS trixie is made from, with the kernel's simulated
# GPIO, libcamera's virtual camera, picamera2, gpiozero on lgpio, a KMS screen and systemd. No loop mounts, no network later.
# usage: build.sh WORK   -> WORK/{root,desktop}.ext4, vmlinuz, initrd.img; a second run reuses the trees it finds
# Debian packages it needs here: mmdebstrap debian-archive-keyring e2fsprogs qemu-system-x86. Needs root.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
WORK=$(mkdir -p "${1:?usage: build.sh WORK}" && cd "$1" && pwd)
ROOT=$WORK/rootfs
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
BACKPORTS='linux-image-amd64 python3-libcamera libcamera-tools libcamera-ipa'
APT='apt-get -q -o Acquire::Check-Valid-Until=false -o APT::Install-Recommends=false'
PYTHON_SITE=$ROOT/usr/local/lib/python3.13/dist-packages

mirror() { # the Debian mirror that this machine's apt is set up with
  local found
  found=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -E '/debian/?$' | sort -u | head -1)
  [ -n "$found" ] || found=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources | grep -E '/debian/?$' | head -1)
  echo "${found%/}"
}

in_guest() { # a command in the guest's tree, with proc, dev, name resolution and this machine's certificates
  mountpoint -q "$ROOT/proc" || mount -t proc proc "$ROOT/proc"
  mountpoint -q "$ROOT/dev" || mount --rbind /dev "$ROOT/dev"
  cp /etc/resolv.conf /etc/hosts "$ROOT/etc/"
  cp /etc/ssl/certs/ca-certificates.crt "$ROOT/tmp/ca.crt"
  local code=0
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PIP_CERT=/tmp/ca.crt PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_BREAK_SYSTEM_PACKAGES=1 DEBIAN_FRONTEND=noninteractive chroot "$ROOT" "$@" || code=$?
  umount "$ROOT/proc"
  umount -l "$ROOT/dev"
  return $code
}

image() { # the tree as a disk
  : >"$ROOT/etc/resolv.conf"
  echo '127.0.0.1 localhost virtual-pi' >"$ROOT/etc/hosts"
  rm -f "$1"
  mke2fs -q -t ext4 -d "$ROOT" -L root "$1" "$2"
  ls -lsh "$1"
}

# 1. The tree. What the installer would take from apt on a Pi is there, because the guest has no network.
PACKAGES=systemd-sysv,udev,dbus,kmod,procps,iproute2,initramfs-tools,lz4,zstd,ca-certificates,sqlite3,alsa-utils
PACKAGES+=,python3,python3-venv,python3-pip,python3-setuptools,python3-libgpiod,gpiod,espeak-ng,openssh-client
PACKAGES+=,python3-numpy,python3-pygame,python3-prctl,python3-piexif,python3-av,python3-evdev
PACKAGES+=,libgl1,libgl1-mesa-dri,libegl1,libegl-mesa0,libgbm1,libgles2,polkitd,dosfstools
[ -e "$ROOT/etc/debian_version" ] || mmdebstrap --mode=root --variant=minbase --components=main --include="$PACKAGES" \
  --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Apt::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook='echo virtual-pi > "$1/etc/hostname"; chroot "$1" passwd -d root' \
  trixie "$ROOT" "$(mirror)"

# 2. From trixie-backports: a stock kernel with gpio-sim, and a libcamera with the virtual pipeline.
printf 'deb [signed-by=%s] %s %s main\n' "$KEYRING" "$(mirror)" trixie "$KEYRING" "$(mirror)" trixie-backports \
  >"$ROOT/etc/apt/sources.list"
rm -f "$ROOT"/etc/apt/sources.list.d/*
mkdir -p "$ROOT/usr/share/keyrings"
cp "$KEYRING" "$ROOT/usr/share/keyrings/"
[ -e "$ROOT/usr/bin/cam" ] || in_guest sh -c "$APT update && $APT install -y -t trixie-backports $BACKPORTS"

# 3. What Raspberry Pi OS has as packages and Debian has not: lgpio (no wheel for 3.13: built once), gpiozero, picamera2.
[ -d "$PYTHON_SITE/picamera2" ] || in_guest sh -c "$APT install -y gcc libc6-dev python3-dev swig make \
  && PYPI=1 pip install -q --no-deps --no-binary=lgpio lgpio==0.2.2.0 pidng \
  && pip install -q --no-deps gpiozero colorzero picamera2 simplejpeg videodev2 libarchive-c tqdm jsonschema \
       jsonschema-specifications referencing attrs rpds-py OpenEXR \
  && $APT purge -y gcc libc6-dev python3-dev swig make && $APT autoremove -y && $APT clean \
  && rm -rf /var/lib/apt/lists/* /root/.cache"
python3 "$HERE/virtual_picamera2.py" "$PYTHON_SITE"
cp "$HERE/pykms.py" "$PYTHON_SITE/"

# 4. The simulated hardware, a small initrd, the image.
cp -a "$HERE/guest/." "$ROOT/"
mkdir -p "$ROOT/mnt/share" "$ROOT/var/lib/hil/frames"
chroot "$ROOT" sh -c 'getent group gpio >/dev/null || groupadd -r gpio'
chroot "$ROOT" systemctl enable -q hil-agent hil-hw
KERNEL=$(ls "$ROOT/lib/modules" | sort -V | tail -1)
in_guest update-initramfs -u -k "$KERNEL"
cp "$ROOT/boot/vmlinuz-$KERNEL" "$WORK/vmlinuz"
cp "$ROOT/boot/initrd.img-$KERNEL" "$WORK/initrd.img"
image "$WORK/root.ext4" 4G

# 5. The same with a desktop, as Raspberry Pi OS makes it: lightdm logs the user in, labwc starts what XDG's folders name.
ROOT=$WORK/rootfs-desktop
[ -e "$ROOT" ] || cp -a "$WORK/rootfs" "$ROOT"
[ -e "$ROOT/usr/bin/labwc" ] || in_guest sh -c "$APT update && $APT install -y labwc lxsession lightdm xwayland \
  && $APT clean && rm -rf /var/lib/apt/lists/* && rm /etc/xdg/autostart/*"
cp -a "$HERE/desktop/." "$ROOT/"
chmod +x "$ROOT/etc/xdg/labwc/autostart"
chroot "$ROOT" sh -c 'id ana >/dev/null 2>&1 || { useradd -m ana; groupadd -f autologin; usermod -aG autologin ana; }'
in_guest systemctl set-default graphical.target
image "$WORK/desktop.ext4" 5G
