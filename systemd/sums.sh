#!/usr/bin/env bash
# Writes a bundle's SHA256SUMS, and signs it.   usage: sums.sh DIR [KEY]
#
# KEY is a private key of ssh-keygen's. A table with its public half in /etc/companion/update.pub takes only bundles
# that it signed; any other table shows the bundle's digest, which is that of SHA256SUMS.
set -euo pipefail
OUT=${1:?usage: sums.sh DIR [KEY]} KEY=${2:-}
[ -z "$KEY" ] || [ -r "$KEY" ] || { echo "bundle: can't read the key $KEY; make one: ssh-keygen -t ed25519 -f $KEY" >&2; exit 2; }
rm -f "$OUT"/SHA256SUMS*
(cd "$OUT" && find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum) >"$OUT.sums"
mv "$OUT.sums" "$OUT/SHA256SUMS"
[ -z "$KEY" ] || ssh-keygen -q -Y sign -f "$KEY" -n table-companion "$OUT/SHA256SUMS"
echo "Digest: $(sha256sum <"$OUT/SHA256SUMS" | cut -d' ' -f1)${KEY:+ (signed)}"
