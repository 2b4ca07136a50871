#!/usr/bin/env bash
# Does what README.md says as a new person would: an ordinary user without rights, in a clone, without Ceph. Prints how long it
# takes from `npm ci` to the first response. Needs root, to become that user.
set -euo pipefail
person=broadgauge-reader
home=$(mktemp -d)
cleanup() {
  pkill -KILL -u "$person" || true
  userdel --force "$person" 2>/dev/null || true
  rm -rf "$home"
}
trap cleanup EXIT

# A run that was killed may have left the person.
userdel --force "$person" 2>/dev/null || true
useradd --no-create-home --home-dir "$home" "$person"
# Every program of the system, except Ceph's.
mkdir "$home/bin"
find /usr/local/bin /usr/bin /bin -maxdepth 1 ! -name 'ceph*' ! -name 'rados*' ! -name 'monmaptool' -exec ln -sf -t "$home/bin" {} +
[ ! -f "$HOME/.npmrc" ] || cp "$HOME/.npmrc" "$home/.npmrc"
git clone --quiet . "$home/broadgauge"
chown -R "$person" "$home"
cd "$home/broadgauge"
setpriv --reuid="$person" --regid="$person" --clear-groups \
  env -i LANG=C.UTF-8 HOME="$home" PATH="$home/broadgauge/node_modules/.bin:$home/bin" \
  NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-}" \
  bash -euo pipefail -c '
    started=$SECONDS
    npm ci --no-audit --no-fund
    echo "npm ci: $((SECONDS - started)) s"
    node .ci/try-readme.ts'
