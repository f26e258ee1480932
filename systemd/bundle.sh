#!/usr/bin/env bash
# Gathers everything a table without a network needs into one folder: the program as a wheel, the wheels it
# depends on, the installer and the unit.   usage: bundle.sh DIR [trixie|bookworm] [aarch64|x86_64]
# SIGN=KEY signs it with a private key of ssh-keygen's; a table with its public half in /etc/companion/update.pub
# takes no other.
#
# What a Pi has from its own packages is left out on purpose: numpy (picamera2's modules are compiled against the
# system's), and on trixie pygame (the wheel's SDL cannot draw without a desktop, Debian's can).
set -euo pipefail
cd "$(dirname "$0")/.."
OUT=${1:?usage: bundle.sh DIR [trixie|bookworm] [aarch64|x86_64]}
RELEASE=${2:-trixie} MACHINE=${3:-aarch64}
PYTHON=${PYTHON:-.venv/bin/python}
case $RELEASE in
  trixie) VERSION=3.13 NUMPY=2.2.4 SYSTEM='numpy pygame' ;;
  bookworm) VERSION=3.11 NUMPY=1.24.2 SYSTEM='numpy' ;;
  *) echo "bundle: no release called $RELEASE; trixie or bookworm" >&2; exit 2 ;;
esac
[ -z "${SIGN:-}" ] || [ -r "$SIGN" ] || { echo "bundle: can't read the key $SIGN" >&2; exit 2; }
case $MACHINE in aarch64 | x86_64) ;; *) echo "bundle: no machine called $MACHINE; aarch64 or x86_64" >&2; exit 2 ;; esac

rm -rf "$OUT"
mkdir -p "$OUT/wheels"
echo "Building the wheels of program and club"
for project in . club; do
  "$PYTHON" -m build --wheel --outdir "$OUT/wheels" $project >"$OUT/build.log" 2>&1 \
    || { cat "$OUT/build.log" >&2; echo "bundle: the wheel of $project could not be built" >&2; exit 1; }
done
rm "$OUT/build.log"
wheel=$(echo "$OUT"/wheels/table_companion-*.whl) club=$(echo "$OUT"/wheels/table_companion_club-*.whl)
echo "numpy==$NUMPY" >"$OUT/constraints.txt"

echo "Fetching the libraries for $RELEASE on $MACHINE"
fetch() {
  "$PYTHON" -m pip --quiet --disable-pip-version-check download --only-binary=:all: --dest "$OUT/wheels" \
    --python-version "$VERSION" --implementation cp --abi "cp${VERSION/./}" --abi abi3 --abi none \
    --platform "manylinux2014_$MACHINE" --platform "manylinux_2_17_$MACHINE" --platform "manylinux_2_28_$MACHINE" \
    --constraint "$OUT/constraints.txt" "$@"
}
fetch "$wheel[page,home]" "$club"
opencv=$(basename "$OUT"/wheels/opencv_python-*.whl | cut -d- -f2)
fetch --no-deps "opencv-python-headless==$opencv"
# One OpenCV: nothing here opens a window of its own, and the ordinary wheel carries a desktop's libraries.
rm -f "$OUT"/wheels/opencv_python-*.whl
for package in $SYSTEM; do rm -f "$OUT/wheels/$package"-*.whl; done

# What the installer takes, file by file: no other wheel, and none that was changed on the way.
{ echo "# $RELEASE on $MACHINE"; "$PYTHON" systemd/libraries.py lock "$OUT/wheels"; } >"$OUT/requirements.lock"
{ echo "# page and uplink, of $RELEASE on $MACHINE"; "$PYTHON" systemd/libraries.py page "$OUT/wheels"; } >"$OUT/page.lock"
"$PYTHON" systemd/libraries.py sbom "$OUT/wheels" >"$OUT/sbom.cdx.json"

cp systemd/install.sh systemd/libraries.py systemd/companion*.service systemd/companion*.socket systemd/companion.desktop systemd/companion*.rules README.md LICENSE "$OUT"
echo "$RELEASE $MACHINE $VERSION" >"$OUT/RELEASE"
systemd/sums.sh "$OUT" "${SIGN:-}"
echo "$OUT: $(ls "$OUT/wheels" | wc -l) wheels, $(du -sh "$OUT" | cut -f1). On the Pi: sudo $(basename "$OUT")/install.sh --offline $(basename "$OUT")"
