#!/bin/sh
# The broker's certificate, and the club's own authority that vouches for it (club/README.md).
#   sudo club/systemd/certificate.sh club.example.org [FOLDER]
# ca.crt goes to every table (club.ca_file); ca.key stays here, or better on a stick in a drawer.
set -eu
host=${1:?"name the machine as the tables reach it: certificate.sh HOST [FOLDER]"}
to=${2:-/etc/mosquitto/companion}
mkdir -p "$to"
cd "$to"
umask 077
case $host in
    *[!0-9.]*) names="DNS:$host" ;;
    *) names="IP:$host" ;;
esac
[ -e ca.key ] || openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -sha256 -subj "/CN=Club of $host" \
    -addext 'keyUsage=critical,keyCertSign,cRLSign' -keyout ca.key -out ca.crt 2>/dev/null
openssl req -new -newkey rsa:3072 -nodes -subj "/CN=$host" -keyout server.key -out server.csr 2>/dev/null
# Python 3.13 and newer take no certificate that leaves any of these out.
cat > server.ext <<EXTENSIONS
subjectAltName=$names
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature,keyEncipherment
extendedKeyUsage=serverAuth
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
EXTENSIONS
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 825 -sha256 -extfile server.ext \
    -out server.crt 2>/dev/null
rm -f server.csr server.ext
chmod 644 ca.crt server.crt
if [ "$(id -u)" = 0 ] && id mosquitto >/dev/null 2>&1; then
    chgrp mosquitto server.key
    chmod 640 server.key
fi
echo "The broker's certificate for $host is in $to/server.crt; give $to/ca.crt to every table."
