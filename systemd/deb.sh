#!/usr/bin/env bash
# Packs a bundle (bundle.sh) as a Debian package that installs exactly what install.sh installs, by install.sh itself.
# usage: deb.sh BUNDLE OUT   → OUT/table-companion_VERSION_ARCHITECTURE.deb
#
# Only trixie: on bookworm the table needs a desktop, which a package cannot choose a user for.
set -euo pipefail
BUNDLE=$(cd "${1:?usage: deb.sh BUNDLE OUT}" && pwd)
OUT=$(mkdir -p "${2:?usage: deb.sh BUNDLE OUT}" && cd "$2" && pwd)
HOME_IN=/usr/lib/table-companion
CHECKOUT=$(cd "$(dirname "$0")/.." && pwd)
# If you give the package to others, name yourself, by MAINTAINER='Ada <ada@her.host>' or as Debian's own tools
# are told (DEBFULLNAME, DEBEMAIL), and says where the program lives, if anywhere: COMPANION_URL.
MAINTAINER=${MAINTAINER:-${DEBEMAIL:+${DEBFULLNAME:-The table companion} <$DEBEMAIL>}}
if [ -z "$MAINTAINER" ]; then
  MAINTAINER='The table companion <companion@example.org>' # a host that cannot exist
  echo "deb: nobody is named in the package; to give it to others: MAINTAINER='Ada <ada@her.host>' make deb" >&2
fi
# The same tree gives the same package, byte for byte.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$CHECKOUT" log -1 --format=%ct 2>/dev/null || stat -c %Y "$CHECKOUT/CHANGELOG.md")}
export SOURCE_DATE_EPOCH
[ "$(cut -d' ' -f1 "$BUNDLE/RELEASE")" = trixie ] || { echo "deb: this bundle is not for trixie" >&2; exit 2; }

version=$(basename "$BUNDLE"/wheels/table_companion-*.whl | cut -d- -f2)
case $(ls "$BUNDLE/wheels") in
  *aarch64*) arch=arm64 ;;
  *x86_64*) arch=amd64 ;;
  *) echo "deb: no wheel says which machine this is for" >&2; exit 2 ;;
esac
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree$HOME_IN" "$tree/DEBIAN"
cp -r "$BUNDLE/." "$tree$HOME_IN/"
chmod -R u=rwX,go=rX "$tree"

# What install.sh asks for. Raspberry Pi OS alone has packages of picamera2 and lgpio; the rest plays without them.
wanted=$("$BUNDLE/install.sh" --packages trixie)
depends='' recommends=''
for package in $wanted; do
  case $package in
    # Wheels are made for one Python.
    python3) depends="${depends:+$depends, }python3 (>= 3.13), python3 (<< 3.14)" ;;
    python3-picamera2 | python3-lgpio | espeak-ng) recommends="${recommends:+$recommends, }$package" ;;
    *) depends="${depends:+$depends, }$package" ;;
  esac
done
cat >"$tree/DEBIAN/control" <<CONTROL
Package: table-companion
Version: $version
Architecture: $arch
Maintainer: $MAINTAINER
Section: games
Priority: optional
Depends: $depends, systemd, udev
Recommends: $recommends, polkitd, python3-reportlab
Installed-Size: $(du -sk "$tree$HOME_IN" | cut -f1)
${COMPANION_URL:+Homepage: $COMPANION_URL
}Description: referee for real card games at a real table
 Lit buttons, an overhead camera, a screen and a voice: the table starts with
 the machine. Games are kept in /var/lib/companion, settings in
 /etc/companion; removing the package leaves both, purging it removes both.
CONTROL

docs=$tree/usr/share/doc/table-companion
mkdir -p "$docs"
# A native package, so its changelog is one entry that names the file where the changes are told.
gzip -9n >"$docs/changelog.gz" <<CHANGES
table-companion ($version) stable; urgency=medium

  * What changed for players and builders stands in CHANGELOG.md.gz beside this.

 -- $MAINTAINER  $(LC_ALL=C date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
CHANGES
gzip -9nc "$CHECKOUT/CHANGELOG.md" >"$docs/CHANGELOG.md.gz"
cp "$CHECKOUT/LICENCES.md" "$docs/"
{
  cat <<'RIGHTS'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: table-companion
Comment: The wheels of other makers in /usr/lib/table-companion/wheels are as
 they come; in each are the texts of its licence. LICENCES.md beside this
 names them all.

Files: *
Copyright: 2026 the table companion's engineers
License: Expat

Files: usr/lib/table-companion/wheels/*
Copyright: their makers, as each wheel says
License: various
 BSD-3-Clause, MIT, Apache-2.0 and LGPL-2.1; LICENCES.md says which is whose.

License: Expat
RIGHTS
  sed -n '/^Permission/,$p' "$CHECKOUT/LICENSE" | sed 's/^$/./; s/^/ /'
} >"$docs/copyright"
chmod -R u=rwX,go=rX "$tree/usr"
cat >"$tree/DEBIAN/postinst" <<SCRIPT
#!/bin/sh
set -e
if [ "\$1" = configure ]; then
  SUDO_USER= bash $HOME_IN/install.sh --offline $HOME_IN \$([ -d /run/systemd/system ] || echo --no-start)
fi
SCRIPT
cat >"$tree/DEBIAN/prerm" <<SCRIPT
#!/bin/sh
set -e
if [ "\$1" = remove ]; then bash $HOME_IN/install.sh --uninstall; fi
SCRIPT
cat >"$tree/DEBIAN/postrm" <<'SCRIPT'
#!/bin/sh
set -e
if [ "$1" = purge ]; then
  rm -rf /var/lib/companion /var/lib/companion-page /var/lib/companion-uplink /var/lib/companion-update /var/backups/companion
  rm -rf /etc/companion /etc/companion-uplink
  for user in companion companion-page companion-uplink; do if id "$user" >/dev/null 2>&1; then userdel "$user" || true; fi; done
fi
SCRIPT
chmod 755 "$tree"/DEBIAN/p*
deb=$OUT/table-companion_${version}_$arch.deb
# The wheels are compressed already, so little is spent on it.
dpkg-deb --root-owner-group -Zxz -z1 --build "$tree" "$deb" >/dev/null
echo "$deb: $(du -h "$deb" | cut -f1). On the Pi: sudo apt install ./$(basename "$deb")"
