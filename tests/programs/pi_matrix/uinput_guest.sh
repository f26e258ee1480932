#!/usr/bin/env bash
# Runs the matrix's row about uinput where this machine's kernel has none: Debian's own kernel in an emulated PC, which
# sees this machine's files, read-only. Two minutes at most; no KVM, no root, no network in the guest.
# usage: uinput_guest.sh WORK PYTHON   in a checkout in which `make pi-matrix` has run. Needs apt, qemu-system-x86_64.
set -euo pipefail
WORK=$(mkdir -p "${1:?usage: uinput_guest.sh WORK PYTHON}" && cd "$1" && pwd)
PYTHON=${2:?usage: uinput_guest.sh WORK PYTHON}
CHECKOUT=$PWD

cd "$WORK"
if [ ! -e initrd.gz ]; then
  kernel=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9]\)/\1/p' | head -1)
  apt-get download "$kernel" busybox-static
  for package in ./*.deb; do dpkg -x "$package" packages; done
  busybox=$PWD/packages/bin/busybox
  version=$(ls packages/lib/modules)
  mkdir -p tree/{bin,sbin,proc,sys,dev,host} "tree/lib/modules/$version/kernel"
  cp "$busybox" tree/bin/
  for name in sh mount insmod modprobe chroot poweroff mkdir; do ln -sf /bin/busybox "tree/bin/$name"; done
  ln -sf /bin/busybox tree/sbin/modprobe
  modules=$PWD/tree/lib/modules/$version
  (cd "packages/lib/modules/$version" && cp modules.{order,builtin} "$modules/")
  (cd "packages/lib/modules/$version/kernel" \
    && cp -r --parents drivers/virtio fs/9p fs/netfs fs/fscache net/9p lib drivers/input/{misc,evdev.ko*} "$modules/kernel/")
  "$busybox" depmod -b "$PWD/tree" "$version"
  cat >tree/init <<'INIT'
#!/bin/sh
export PATH=/bin:/sbin
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev
for module in virtio_pci 9pnet_virtio 9p evdev uinput; do modprobe "$module"; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,ro host /host
for folder in dev proc sys; do mount --bind "/$folder" "/host/$folder"; done
mkdir -p /host/dev/shm; mount -t tmpfs t /host/dev/shm; mount -t tmpfs t /host/tmp
read -r line </proc/cmdline
checkout=${line##*CHECKOUT=}; checkout=${checkout%% *}
python=${line##*PYTHON=}; python=${python%% *}
chroot /host /bin/sh -c "export HOME=/tmp PATH=/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1
cd $checkout && PYTHONPATH=$checkout:$checkout/club $python -m tests.programs.pi_matrix uinput"
poweroff -f
INIT
  chmod +x tree/init
  (cd tree && find . | "$busybox" cpio -o -H newc) | gzip >initrd.gz
fi
timeout 600 qemu-system-x86_64 -accel tcg -cpu qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt -m 1500 -nographic -no-reboot \
  -kernel packages/boot/vmlinuz-* -initrd initrd.gz \
  -append "console=ttyS0 loglevel=3 panic=-1 CHECKOUT=$CHECKOUT PYTHON=$PYTHON" \
  -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap | tee log.txt
grep -q '^1 cells, 0 wrong, 0 cannot occur' log.txt
