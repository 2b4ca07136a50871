#!/usr/bin/env bash
# Runs the Helm chart with `podman kube play`: two instances of serve and a worker on the stores of deploy/compose.demo.yaml, with
# HAProxy in front of them. Checks the pods, their health while a store is cut off, and rolling restarts under load. It needs root,
# `npm ci`, the ports 8080, 8082 and 4568, and 10 GB of disk.
#
#   .ci/containers/kubernetes.sh [SECONDS]     SECONDS: how long the load lasts, by default 45
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/containers/setup.sh
load_seconds=${1:-45}
# Two instances serve. The third is the one that a rolling update starts before it stops another.
instances=(panel-pod-0-serve panel-pod-1-serve panel-pod-2-serve)
worker=panel-worker-pod-0-worker

environment() { podman inspect --format '{{range .Config.Env}}{{println .}}{{end}}' "$1"; }

render() {
  local name
  environment demo_fill_1 | node "$here/chart-values.ts" "$work"
  GO111MODULE=off GOPATH=/usr/share/gocode go run .ci/render-chart.go --json "$work/values.json" >"$work/chart.json"
  node "$here/pods.ts" "$work" <"$work/chart.json"
  grace_seconds=$(grep -o '"terminationGracePeriodSeconds":[0-9]*' "$work/chart.json" | grep -o '[0-9]*$' | sort -n | tail -n 1)
  for name in broadgauge broadgauge-migration; do
    podman secret rm "$name" >/dev/null 2>&1 || true
    podman secret create "$name" "$work/secret-$name.json" >/dev/null
  done
}

play() { podman kube play --network demo_default "$1" >"$work/play.log" 2>&1 || fail "$1 is not played: $(cat "$work/play.log")"; }

migrate() {
  local status
  play "$work/migrate.yaml"
  status=$(timeout 120 podman wait panel-migrate-migrate) || fail 'migrate does not end'
  [ "$status" = 0 ] || fail "migrate ended with $status: $(podman logs --tail 5 panel-migrate-migrate 2>&1)"
  podman pod rm --force panel-migrate >/dev/null
}

address() { # address CONTAINER: the address of its pod
  podman inspect --format '{{(index .NetworkSettings.Networks "demo_default").IPAddress}}' \
    "$(podman pod inspect --format '{{.InfraContainerID}}' "${1%-*}")"
}

ready() { curl --silent --output /dev/null --max-time 5 --fail "http://$1:8082/readyz"; }

wait_until_ready() {
  local deadline=$((SECONDS + 60))
  until ready "$(address "$1")"; do
    [ $SECONDS -lt $deadline ] || fail "$1 is not ready: $(podman logs --tail 5 "$1" 2>&1)"
    sleep 0.2
  done
}

start_balancer() {
  sed "s|SOCKET|$work/haproxy.sock|" "$here/haproxy.cfg" >"$work/haproxy.cfg"
  haproxy -db -f "$work/haproxy.cfg" >>"$work/haproxy.log" 2>&1 &
  balancer=$!
  until [ -S "$work/haproxy.sock" ]; do sleep 0.2; done
}

# A pod has another address after each start. In Kubernetes the endpoints of the Service follow it.
use() { # use CONTAINER: waits until HAProxy sends it requests
  local backend deadline=$((SECONDS + 60))
  wait_until_ready "$1"
  for backend in api operations; do
    echo "set server $backend/$1 addr $(address "$1"); set server $backend/$1 state ready" | socat - "UNIX-CONNECT:$work/haproxy.sock" >>"$work/socat.log"
  done
  until [ "$(state "$1")" = UP ]; do
    [ $SECONDS -lt $deadline ] || fail "HAProxy sees $1 as $(state "$1")"
    sleep 0.2
  done
}

# State of an instance for HAProxy: UP or DOWN.
state() { curl --silent 'http://127.0.0.1:8404/;csv' | awk -F, -v server="$1" '$1 == "api" && $2 == server { print $18 }'; }

# What the chart says of every pod holds in the containers.
check_pods() {
  local container
  for container in "${instances[@]}" "$worker"; do
    confined "$container"
    [ "$(podman exec "$container" id -u)" = 1000 ] || fail "$container has another user id"
    ! environment "$container" | grep -q '_ADMIN_' || fail "$container has settings of the migration"
  done
  environment "${instances[0]}" | grep -qx 'BROADGAUGE_EXPORTS_MAX=0' || fail "serve writes exports beside a worker"
}

# The health check of the image, which Podman replaces in pods by the livenessProbe.
check_health() {
  environment "${instances[0]}" | grep '^BROADGAUGE_' >"$work/serve.env"
  image=$(podman inspect --format '{{.ImageName}}' "${instances[0]}")
  podman run --detach --name health --network demo_default --env-file "$work/serve.env" --read-only --cap-drop ALL \
    --memory 512m "$image" >/dev/null 2>&1
  node "$here/health.ts" "$work/demo.json" health "http://$(address "${instances[0]}"):8082" "http://$(address "${instances[1]}"):8082"
  podman rm --force --time 0 health >/dev/null 2>&1
}

# replace OLD NEW: as a rolling update with maxSurge 1 and maxUnavailable 0 does.
replace() {
  local started=$EPOCHREALTIME used_at
  start "$2"
  use "$2"
  used_at=$EPOCHREALTIME
  stopped "$1" "$grace_seconds"
  awk -v old="$1" -v new="$2" -v t="$started" -v u="$used_at" -v e="$EPOCHREALTIME" \
    'BEGIN { printf "  %s gets requests after %.1f s, then %s stops within %.1f s\n", new, u - t, old, e - u }'
}

# Replaces the instances in turn under load.
roll() {
  local load replaced=0 end=$((SECONDS + load_seconds - 15))
  : >"$work/haproxy.log"
  node "$here/load.ts" "$work/demo.json" "$load_seconds" >"$work/load.log" &
  load=$!
  sleep 2
  while [ $SECONDS -lt $end ]; do
    replace "${instances[$((replaced % 3))]}" "${instances[$(((replaced + 2) % 3))]}"
    replaced=$((replaced + 1))
  done
  wait "$load" || fail "requests failed while $replaced instances were replaced: $(cat "$work/load.log")"
  note "$replaced instances were replaced: $(cat "$work/load.log")"
  note "HAProxy repeated $(grep -ac 'retries=+\?[1-9]' "$work/haproxy.log" || true) requests:"
  grep -a 'retries=+\?[1-9]' "$work/haproxy.log" | head -n 50 || true
}

stop_balancer() { [ -z "${balancer:-}" ] || kill "$balancer" 2>/dev/null || true; }

prepare catatonit haproxy socat golang-go golang-github-masterminds-sprig-dev golang-github-xeipuuv-gojsonschema-dev
trap 'stop_balancer; at_exit' EXIT
start_stores
render
migrate
play "$work/release.yaml"
check_pods
stopped "${instances[2]}" "$grace_seconds"
start_balancer
for container in "${instances[@]:0:2}"; do use "$container"; done
note 'two instances and a worker run behind HAProxy, and the pods are confined'
node "$here/requests.ts" "$work/demo.json"
note 'the requests were answered'
check_health
note 'health and readiness follow the stores'
roll
for container in $(podman ps --format '{{.Names}}' | grep '^panel-.*-\(serve\|worker\)$'); do stopped "$container" "$grace_seconds"; done
note 'SIGTERM stops the pods with exit code 0'
