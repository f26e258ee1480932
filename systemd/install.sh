#!/usr/bin/env bash
# Puts the table companion on a Raspberry Pi and says each thing it does. It may be run again at any time: the same
# version is mended, another version takes its place, and games and settings stay.
set -euo pipefail
umask 022 # what is installed here others read, whatever whoever installs lets them otherwise

usage() {
  cat <<'TEXT'
usage: sudo ./install.sh [--offline DIR] [--desktop USER] [--no-start] [--owner-key FILE.pub | --owner-key-to DIR]
       sudo ./install.sh --uninstall [--forget-everything]

  --offline DIR        take the program and its libraries from DIR (made by `make bundle`); no network is used
  --desktop USER       where a desktop starts with the machine the table starts on it, as the one who is logged in there,
                       not as a service on the bare screen; this names somebody else
  --no-start           do not start the table at the end
  --owner-key FILE.pub the table takes only updates that are signed with this key; without it a first installation
                       makes a pair, whose private half goes into the home of whoever installs, and nowhere else
  --owner-key-to DIR   the private half goes there instead, such as on a stick
  --uninstall          remove the program; games and settings stay
  --forget-everything  with --uninstall: games, decks and settings too
TEXT
}

HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=/opt/companion STATE=/var/lib/companion SETTINGS=/etc/companion UNIT=/etc/systemd/system/companion.service
UPDATE_UNIT=/etc/systemd/system/companion-update@.service BACKUPS=/var/backups/companion
POLKIT=/etc/polkit-1/rules.d/50-companion.rules
UDEV=/etc/udev/rules.d/70-companion-stick.rules
PAGE_UNIT=/etc/systemd/system/companion-page.service DOOR_UNIT=/etc/systemd/system/companion-table-page.socket
PAGE_STATE=/var/lib/companion-page # the key of the stream's overlay
UPLINK_UNIT=/etc/systemd/system/companion-uplink.service UPLINK_DOOR=/etc/systemd/system/companion-table-uplink.socket
UPLINK_STATE=/var/lib/companion-uplink UPLINK_SECRETS=/etc/companion-uplink # what was sent; the broker's password
OLD_STICK=/etc/systemd/system/companion-stick@.service # of versions up to 0.1
OWNER_STATE=/var/lib/companion-update # the highest version, the owner's PIN: root alone writes there
OFFLINE='' OWNER_KEY='' OWNER_KEY_TO='' DESKTOP='' START=yes UNINSTALL='' FORGET=''
# Who draws, sees, presses and speaks. gpio comes with Raspberry Pi OS and is made where it is missing.
GROUPS_NEEDED='gpio video render input audio'
# The system's own: compiled against this system's kernel, camera and numpy, so never from a wheel.
PACKAGES='python3 python3-venv python3-picamera2 python3-lgpio python3-libgpiod python3-numpy openssh-client libgl1 libegl1 libgles2 libgbm1 libgl1-mesa-dri espeak-ng'
PACKAGES_TRIXIE='python3-pygame'
PACKAGES_BOOKWORM='libglib2.0-0' # for pygame from its wheel

while [ $# -gt 0 ]; do
  case $1 in
    --offline) OFFLINE=$(cd "${2:?--offline needs a folder}" && pwd) ; shift ;;
    --desktop) DESKTOP=${2:?--desktop needs a user} ; shift ;;
    --owner-key) OWNER_KEY=$(realpath -m "${2:?--owner-key needs a file}") ; shift ;;
    --owner-key-to) OWNER_KEY_TO=$(cd "${2:?--owner-key-to needs a folder}" && pwd) ; shift ;;
    --no-start) START='' ;;
    --uninstall) UNINSTALL=yes ;;
    --forget-everything) FORGET=yes ;;
    --packages) # for deb.sh: what a release needs, and nothing else is done
      case ${2:-} in trixie) PACKAGES="$PACKAGES $PACKAGES_TRIXIE" ;; bookworm) PACKAGES="$PACKAGES $PACKAGES_BOOKWORM" ;; esac
      printf '%s\n' "$PACKAGES"
      exit 0 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "install: unknown option $1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

say() { printf '• %s\n' "$*"; }
die() { printf 'install: %s\n' "$*" >&2; exit 1; }
warn() { printf '! %s\n' "$*" >&2; }
[ "$(id -u)" = 0 ] || die "this changes the system; run it as root: sudo $0"
# Python takes modules from the folder where somebody stands, such as a stick.
cd /

as_user() { # USER COMMAND…, with nothing of root's
  local user=$1
  shift
  setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups --no-new-privs env HOME="$(getent passwd "$user" | cut -d: -f6)" "$@"
}

# A tree that is only being put together, or a container, has no systemd that runs.
reload_units() { [ ! -d /run/systemd/system ] || systemctl daemon-reload; }

stop_service() {
  if systemctl is-active --quiet companion 2>/dev/null; then
    say "Stopping the table; a game in play is written and can be continued"
    systemctl stop companion
  fi
}

uninstall() {
  stop_service
  if [ -e "$UNIT" ]; then
    say "Removing $UNIT"
    systemctl disable --quiet --now companion-page 2>/dev/null || true
    systemctl disable --quiet --now companion-uplink 2>/dev/null || true
    systemctl disable --quiet companion 2>/dev/null || true
    rm -f "$UNIT" "$PAGE_UNIT" "$DOOR_UNIT" "$UPLINK_UNIT" "$UPLINK_DOOR"
    reload_units
    systemctl start getty@tty1.service 2>/dev/null || true
  fi
  for each in /home/*/.config/autostart/companion.desktop; do
    [ -e "$each" ] || continue
    say "Removing $each"
    as_user "$(stat -c %U "${each%/.config/*}")" rm -f "$each" || warn "$each stays: remove it as its user"
  done
  rm -f "$POLKIT" "$OLD_STICK" "$UDEV" "$UPDATE_UNIT" /usr/local/bin/companion
  reload_units
  udevadm control --reload 2>/dev/null || true
  say "Removing the program from $ROOT"
  rm -rf "$ROOT"
  if [ "$FORGET" ]; then
    say "Removing games, their copies, decks and settings: $STATE $BACKUPS $SETTINGS"
    rm -rf "$STATE" "$SETTINGS" "$BACKUPS" "$PAGE_STATE" "$UPLINK_STATE" "$UPLINK_SECRETS" "$OWNER_STATE"
    for user in companion companion-page companion-uplink; do if id "$user" >/dev/null 2>&1; then userdel "$user"; fi; done
  else
    say "Games stay in $STATE, settings in $SETTINGS; install again to continue"
  fi
}

# Whose desktop has the screen, below ROOT; nothing if it is bare. Beside a desktop a service can't draw.
desktop_user() {
  local root=${1:-} each user=''
  [ -e "$root/etc/systemd/system/display-manager.service" ] || [ -L "$root/etc/systemd/system/display-manager.service" ] || return 0
  [ "$(basename "$(readlink "$root/etc/systemd/system/default.target" || true)")" != multi-user.target ] || return 0
  for each in "$root"/home/*/.config/autostart/companion.desktop; do # as it is installed already
    [ ! -e "$each" ] || user=$(basename "${each%/.config/autostart/companion.desktop}")
  done
  [ "$user" ] || user=$({ cat "$root"/etc/lightdm/lightdm.conf "$root"/etc/lightdm/lightdm.conf.d/*.conf 2>/dev/null || true; } | sed -n 's/^autologin-user *= *//p' | tail -n 1)
  [ "$user" ] || [ "${SUDO_USER:-root}" = root ] || user=$SUDO_USER
  [ "$user" ] || user=$(awk -F: '$3 >= 1000 && $3 < 60000 { print $1; exit }' "$root/etc/passwd")
  printf '%s\n' "$user"
}

# Whether the desktop logs somebody in by itself, below ROOT, as far as lightdm says.
logs_in() {
  local root=${1:-}
  [ -e "$root/etc/lightdm/lightdm.conf" ] || return 0
  { cat "$root"/etc/lightdm/lightdm.conf "$root"/etc/lightdm/lightdm.conf.d/*.conf 2>/dev/null || true; } | grep -q '^autologin-user *= *[^ ]'
}

if [ "$UNINSTALL" ]; then uninstall; exit 0; fi
[ -z "$FORGET" ] || die "--forget-everything goes with --uninstall"

# What this machine is --------------------------------------------------------------------------------------------
if [ -z "$DESKTOP" ]; then
  DESKTOP=$(desktop_user)
  [ -z "$DESKTOP" ] || say "A desktop starts with this machine, so the table starts on it, as $DESKTOP. For the bare screen: sudo systemctl set-default multi-user.target, then run this again"
fi
. /etc/os-release
RELEASE=${VERSION_CODENAME:-unknown}
case $RELEASE in
  trixie) PACKAGES="$PACKAGES $PACKAGES_TRIXIE" ;;
  bookworm)
    # Its pygame is too old, and the wheel's cannot draw without a desktop.
    [ "$DESKTOP" ] || die "on bookworm the table needs the desktop, and none starts with this machine: use trixie, or the system with desktop"
    PACKAGES="$PACKAGES $PACKAGES_BOOKWORM" ;;
  *) die "this is $RELEASE; Raspberry Pi OS trixie or bookworm is needed" ;;
esac
[ "$(getconf LONG_BIT)" = 64 ] || die "a 64-bit system is needed; flash the 64-bit Raspberry Pi OS"
if [ "$OFFLINE" ]; then
  ls "$OFFLINE"/wheels/table_companion-*.whl >/dev/null 2>&1 || die "$OFFLINE holds no bundle; make one: make bundle"
  read -r made machine python <"$OFFLINE/RELEASE"
  [ "$made ${machine:=$(uname -m)}" = "$RELEASE $(uname -m)" ] || die "this bundle is for $made on $machine, this machine is $RELEASE on $(uname -m); make one: make bundle RELEASE=$RELEASE MACHINE=$(uname -m)"
  found=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  [ "${python:=$found}" = "$found" ] || die "this bundle is for Python $python, and $(command -v python3) is $found: with the system's own, sudo env PATH=/usr/bin:/bin:/usr/sbin:/sbin $0 --offline $OFFLINE"
  [ -e "$OFFLINE/requirements.lock" ] || die "$OFFLINE has no lock of its libraries; make it again: make bundle"
fi
if [ "$DESKTOP" ]; then id "$DESKTOP" >/dev/null 2>&1 || die "there is no user $DESKTOP"; fi
if [ "$OWNER_KEY" ]; then
  [ -f "$OWNER_KEY" ] || die "there is no key $OWNER_KEY"
  ! grep -q 'PRIVATE KEY' "$OWNER_KEY" || die "$OWNER_KEY is the private half; keep it, and name the one that ends in .pub"
  [ "$(grep -vE '^[[:space:]]*$|^#' "$OWNER_KEY" | grep -Ec '^(ssh|ecdsa|sk-)[A-Za-z0-9@.-]* ')-$(grep -cvE '^[[:space:]]*$|^#' "$OWNER_KEY")" = 1-1 ] || die "$OWNER_KEY isn't one public key; make a pair: ssh-keygen -t ed25519 -f owner"
fi

# System packages -------------------------------------------------------------------------------------------------
# A package counts as there if what it brings is there, from wherever.
missing() {
  for package in $PACKAGES; do
    case $package in
      python3-picamera2) python3 -c 'from importlib.util import find_spec as f; import sys; sys.exit(not f("picamera2"))' || echo "$package" ;;
      python3-lgpio) python3 -c 'from importlib.util import find_spec as f; import sys; sys.exit(not f("lgpio"))' || echo "$package" ;;
      *) dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package" ;;
    esac
  done
}
# A new system updates itself at first. apt waits for dpkg's lock if it is told to, never for that of its lists.
update_lists() {
  local said
  for _ in {1..30}; do
    if { said=$(LC_ALL=C apt-get update -q 2>&1 >&3); } 3>&1; then return 0; fi
    printf '%s\n' "$said" >&2
    case $said in *'get lock'*) ;; *) return 100 ;; esac
    say "This system is updating itself just now: trying again in 10 seconds"
    sleep 10
  done
  die "apt is still in use: wait until this system has updated itself, and run this again"
}
lacking=$(missing | tr '\n' ' ')
if [ "$lacking" ]; then
  if [ "$OFFLINE" ]; then
    warn "Not there, and not fetched because of --offline: $lacking"
    warn "Without picamera2 no Pi camera, without libgpiod or lgpio no buttons on pins, without espeak-ng no free text; the rest plays."
  else
    update_lists
    # Only Raspberry Pi OS has all of them.
    known='' unknown=''
    for package in $lacking; do
      if apt-cache show "$package" >/dev/null 2>&1; then known="$known $package"; else unknown="$unknown $package"; fi
    done
    [ -z "$unknown" ] || warn "This system's archives have no package of:$unknown. The table plays without these parts."
    if [ "$known" ]; then
      say "Installing from the system's packages, after 5 minutes at most if it updates itself just now:$known"
      DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends $known
    fi
  fi
fi
python3 -c 'import venv, ensurepip' 2>/dev/null || die "Python's venv module is missing: sudo apt install python3-venv"

# The program: a new folder beside the old one, then one link is turned --------------------------------------------
if [ "$OFFLINE" ]; then
  wheel=$(ls "$OFFLINE"/wheels/table_companion-*.whl)
  version=$(basename "$wheel" | cut -d- -f2)
else
  [ -e "$HERE/../pyproject.toml" ] || die "run this from a checkout, or from a bundle with --offline DIR"
  version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$HERE/../pyproject.toml")
fi
NEW=$ROOT/releases/$version-$(date +%s)
BEFORE=$(readlink "$ROOT/current" 2>/dev/null || true)
say "Putting version $version into $NEW"
mkdir -p "$ROOT/releases"
trap '[ "$(readlink "$ROOT/current")" = "$NEW" ] || rm -rf "$NEW"' EXIT # however it ends, only what took its place stays
trap 'warn "Nothing was changed: the version before is still in place"' ERR
mkdir "$NEW"
python3 -m venv --system-site-packages "$NEW/venv"
CHECKOUT=$(cd "$HERE/.." && pwd)
PIP=("$NEW/venv/bin/python" -m pip --quiet --disable-pip-version-check install)
# What a lock names, and nothing else, into an environment.
locked() {
  "$1/bin/python" -m pip --quiet --disable-pip-version-check install --no-deps --no-index --find-links "$OFFLINE/wheels" --require-hashes -r "$2"
}
if [ "$OFFLINE" ]; then
  cp "$OFFLINE/requirements.lock" "$NEW/"
  cp "$OFFLINE/page.lock" "$NEW/"
  locked "$NEW/venv" "$NEW/requirements.lock"
else
  numpy=$(python3 -c 'import numpy; print(numpy.__version__)' 2>/dev/null || true)
  [ -z "$numpy" ] || echo "numpy==$numpy" >"$NEW/constraints.txt"
  "${PIP[@]}" ${numpy:+--constraint "$NEW/constraints.txt"} "$CHECKOUT[page,home]" "$CHECKOUT/club"
  "$NEW/venv/bin/python" -m companion.system.setup_opencv
fi
say "Putting page and uplink into an environment of their own, without this system's packages"
python3 -m venv "$NEW/page"
if [ "$OFFLINE" ]; then
  locked "$NEW/page" "$NEW/page.lock"
else
  "$NEW/venv/bin/python" "$HERE/libraries.py" page >"$NEW/page.lock"
  "$NEW/page/bin/python" -m pip --quiet --disable-pip-version-check install --no-deps -r "$NEW/page.lock" "$CHECKOUT" "$CHECKOUT/club"
fi
"$NEW/page/bin/companion" page --help >/dev/null
"$NEW/page/bin/companion" uplink --help >/dev/null
say "Loading each library and looking at its version"
"$NEW/venv/bin/python" "$HERE/libraries.py" check ${OFFLINE:+"$NEW/requirements.lock"}
cp "$HERE/install.sh" "$NEW/"
cp "${OFFLINE:-$HERE/..}/README.md" "$NEW/"
say "Trying it: $("$NEW/venv/bin/companion" --version)"
"$NEW/venv/bin/python" -m compileall -q "$NEW/venv/lib" "$NEW/page/lib" >/dev/null 2>&1 || true
trap - ERR

# Who it runs as ----------------------------------------------------------------------------------------------------
for group in $GROUPS_NEEDED; do
  getent group "$group" >/dev/null || { say "Making the group $group"; groupadd --system "$group"; }
done
if ! id companion >/dev/null 2>&1; then
  say "Making the system user companion"
  useradd --system --user-group --home-dir "$STATE" --no-create-home --shell /usr/sbin/nologin companion
fi
# The unit gives these to the service alone; with them `sudo -u companion companion calibrate --once` opens parts, too.
usermod -aG "${GROUPS_NEEDED// /,}" companion
if ! id companion-page >/dev/null 2>&1; then
  say "Making the system user companion-page, which reads no games: the page for phones runs as it, once switched on"
  useradd --system --user-group --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin companion-page
fi
if ! id companion-uplink >/dev/null 2>&1; then
  say "Making the system user companion-uplink, which reads no games: the uplink runs as it, once switched on"
  useradd --system --user-group --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin companion-uplink
fi
install -d -m 750 -g companion-uplink "$UPLINK_SECRETS"
if [ "${SUDO_USER:-root}" != root ]; then
  say "Letting $SUDO_USER read the table's games (from the next log-in on)"
  usermod -aG companion "$SUDO_USER"
fi
if [ ! -e "$SETTINGS/settings.toml" ]; then
  say "Writing first settings to $SETTINGS/settings.toml"
  mkdir -p "$SETTINGS"
  printf '# See them all: companion settings\n[screen]\nfullscreen = true\n\n[storage]\nfolder = "%s"\n' "$STATE" >"$SETTINGS/settings.toml"
fi

# Whose updates it takes --------------------------------------------------------------------------------------------
TABLE_USER=${DESKTOP:-companion}
place_owner_key() {
  local who place private fresh public made=''
  if [ "$OWNER_KEY" ]; then
    say "From now on only updates signed with $OWNER_KEY go in: $SETTINGS/update.pub"
    install -m 644 "$OWNER_KEY" "$SETTINGS/update.pub"
    return 0
  fi
  # A table that takes updates without a key goes on so; where nobody installs (apt, an update), nobody could keep one.
  if [ -z "$OWNER_KEY_TO" ]; then
    if [ "$BEFORE" ] || [ -e "$SETTINGS/update.pub" ] || [ -L "$SETTINGS/update.pub" ]; then return 0; fi
    [ "${SUDO_USER-root}" ] || return 0
  fi
  who=${SUDO_USER:-root}
  if ! command -v ssh-keygen >/dev/null; then warn "No ssh-keygen here, so this table has no owner's key"; return 0; fi
  if [ "$OWNER_KEY_TO" ]; then who=root place=$OWNER_KEY_TO; else place=$(getent passwd "$who" | cut -d: -f6); fi
  if [ "$who" = "$TABLE_USER" ] && [ -z "$OWNER_KEY_TO" ]; then
    warn "No owner's key is made: $who is the table's user, too, and must not read it. Name one: --owner-key FILE.pub"
    return 0
  fi
  if as_user "$TABLE_USER" test -w "$place" 2>/dev/null; then
    die "the table's user could write in $place: name another place by --owner-key-to, or --owner-key FILE.pub"
  fi
  private=$place/companion-owner-key
  if [ ! -e "$private" ] && [ ! -L "$private" ]; then
    # Made by the one whose it is, in a folder of its own, and moved: nothing that lies there is written over or followed.
    fresh=$(as_user "$who" mktemp -d "$private.XXXXXX") || { warn "No owner's key could be made in $place"; return 0; }
    as_user "$who" ssh-keygen -q -t ed25519 -N '' -C companion-owner -f "$fresh/key" </dev/null || { rm -rf "$fresh"; warn "No owner's key could be made in $place"; return 0; }
    as_user "$who" mv -nT "$fresh/key.pub" "$private.pub"
    [ -e "$fresh/key.pub" ] || as_user "$who" mv -nT "$fresh/key" "$private"
    [ -e "$fresh/key" ] || made=yes
    rm -rf "$fresh"
    [ "$made" ] || die "$private.pub lies there already: delete it, or name it with --owner-key"
  fi
  if as_user "$TABLE_USER" test -r "$private" 2>/dev/null; then
    [ -z "$made" ] || rm -f "$private" "$private.pub"
    die "the table's user could read $private${made:+, so it was removed}: name another place by --owner-key-to, or --owner-key FILE.pub"
  fi
  public=$(as_user "$who" ssh-keygen -y -P '' -f "$private" </dev/null 2>/dev/null) || public=''
  # Whoever had that stick may have left a pair on it: only one that this table has already is known to be the owner's.
  if [ -z "$made" ] && { [ -z "$public" ] || [ "$(cut -d' ' -f1,2 <<<"$public")" != "$(cut -d' ' -f1,2 "$SETTINGS/update.pub" 2>/dev/null)" ]; }; then
    die "$private lies there already, and may be anybody's: delete it, or if it is yours, name its public half with --owner-key"
  fi
  printf '%s\n' "$public" >"$SETTINGS/update.pub.new"
  chmod 644 "$SETTINGS/update.pub.new"
  mv -f "$SETTINGS/update.pub.new" "$SETTINGS/update.pub"
  say "The owner's key is $private: sign updates with it (make bundle SIGN=…), and keep it where nobody else gets it"
  [ -z "$OWNER_KEY_TO" ] || warn "Pull the stick with it out now, and never put it into the table: from the next start on what is on a stick the table can read"
}
place_owner_key

# The games as they are now, before another version sees them ------------------------------------------------------
copy_games() {
  local copy owner
  # As the one whose games they are: root opens nothing that the table's user wrote.
  owner=$(stat -c %U "$STATE")
  copy=$BACKUPS/$(basename "$BEFORE")-until-$(date +%s)
  say "Copying the games to $copy first"
  install -d "$BACKUPS" && install -d -m 700 -o "$owner" "$copy" || return
  if (cd / && as_user "$owner" "$BEFORE/venv/bin/companion" backup "$copy"); then chown root:root "$copy"; return; fi
  # What the version before cannot copy is kept as it lies there.
  warn "It can't read them; its files are copied as they are"
  (cd / && as_user "$owner" cp -a "$STATE" "$copy/") || { rm -rf "$copy"; return 1; }
  chown root:root "$copy"
}
if [ "$BEFORE" ] && [ -x "$BEFORE/venv/bin/companion" ] && [ -d "$STATE" ]; then
  copy_games || die "no room in $BACKUPS for a copy of the games: make room, then run this again"
  ls -1dt "$BACKUPS"/*-until-* | tail -n +3 | while read -r old; do rm -rf "$old"; done
fi

# Turn the link, start ----------------------------------------------------------------------------------------------
stop_service
ln -sfn "$NEW" "$ROOT/current.new"
mv -T "$ROOT/current.new" "$ROOT/current"
ln -sfn "$ROOT/current/venv/bin/companion" /usr/local/bin/companion
if [ "$DESKTOP" ]; then
  home=$(getent passwd "$DESKTOP" | cut -d: -f6)
  say "Starting with the desktop of $DESKTOP: $home/.config/autostart/companion.desktop"
  systemctl disable --quiet companion 2>/dev/null || true
  rm -f "$UNIT"
  reload_units
  # As that user: root follows no link in a folder of somebody's.
  { as_user "$DESKTOP" mkdir -p "$home/.config/autostart" &&
    as_user "$DESKTOP" install -m 644 -T /dev/stdin "$home/.config/autostart/companion.desktop" <"$HERE/companion.desktop"; } ||
    warn "$DESKTOP can't write there, so the table doesn't start by itself"
  for group in $GROUPS_NEEDED; do usermod -aG "$group" "$DESKTOP"; done
  say "Keeping games in $STATE, as $DESKTOP"
  install -d -m 2750 "$STATE"
  chown -R "$DESKTOP:companion" "$STATE" # the service may have kept them before; it takes them back by itself
  say "Done. Log $DESKTOP in again, or reboot."
  logs_in || warn "nobody is logged in on the desktop by itself, so after power-on the table waits for a password: sudo raspi-config nonint do_boot_behaviour B4"
else
  say "Writing $UNIT"
  install -m 644 "$HERE/companion.service" "$UNIT"
  install -m 644 "$HERE/companion-update@.service" "$UPDATE_UNIT"
  install -m 644 "$HERE/companion-page.service" "$PAGE_UNIT"
  install -m 644 "$HERE/companion-table-page.socket" "$DOOR_UNIT"
  install -m 644 "$HERE/companion-uplink.service" "$UPLINK_UNIT"
  install -m 644 "$HERE/companion-table-uplink.socket" "$UPLINK_DOOR"
  mkdir -p "$(dirname "$POLKIT")"
  install -m 644 "$HERE/companion.rules" "$POLKIT"
  say "Mounting USB sticks for the table's games: $UDEV"
  rm -f "$OLD_STICK"
  install -D -m 644 "$HERE/companion-stick.rules" "$UDEV"
  udevadm control --reload 2>/dev/null || true
  reload_units
  systemctl enable --quiet companion
  if [ "$START" ]; then
    say "Starting the table"
    if ! systemctl restart companion; then
      journalctl -u companion -n 20 --no-pager >&2 || true
      if [ "$BEFORE" ] && [ -x "$BEFORE/venv/bin/companion" ]; then
        warn "It did not start; the version before takes its place again"
        ln -sfn "$BEFORE" "$ROOT/current"
        systemctl restart companion || true
      fi
      die "the table does not start; its log: journalctl -u companion; what is missing: companion doctor"
    fi
  fi
  say "Done. The table starts with the machine; its log: journalctl -u companion -f"
fi
# Before older versions go: which was the highest that this table ever had.
"$NEW/venv/bin/companion" update --installed
if [ "$START" ] && [ ! -e "$OWNER_STATE/pin" ]; then say "The owner's PIN for what isn't signed, or is older: sudo companion update --new-pin"; fi
# The version before stays for a way back; older ones go.
for old in "$ROOT"/releases/*; do
  [ "$old" = "$NEW" ] || [ "$old" = "$BEFORE" ] || { say "Removing the old version $old"; rm -rf "$old"; }
done
