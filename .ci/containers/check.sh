#!/usr/bin/env bash
# Builds the image of the service, runs deploy/compose.demo.yaml with it, and checks both, on a Debian machine without Docker. It
# needs root, `npm ci`, the ports 8080 to 8082, 8090 and 4568, and 10 GB of disk.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/containers/setup.sh

# The image runs with any user id. SIGTERM lets a running response finish: curl reads it slowly while the container stops.
any_user() {
  local token status
  podman inspect --format '{{range .Config.Env}}{{println .}}{{end}}' demo_serve_1 | grep '^BROADGAUGE_' >"$work/serve.env"
  podman run --detach --name any-user --network demo_default --env-file "$work/serve.env" --user 54321:54321 --read-only \
    --cap-drop ALL --security-opt no-new-privileges --memory 512m --publish 127.0.0.1:8090:8080 broadgauge >/dev/null 2>&1
  healthy any-user
  confined any-user
  [ "$(podman exec any-user id -u)" = 54321 ] || fail 'any-user has another user id'
  token=$(node -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1])).tokens.data' "$work/demo.json")
  curl --silent --show-error --fail --limit-rate 4M --output "$work/response.json" http://127.0.0.1:8090/test_data \
    --header "Authorization: Bearer $token" --json '{"test":"latency","date":{"from":"-1 day","to":"now"}}' &
  sleep 1
  stopped any-user
  wait $! || fail 'the response was cut while the service stopped'
  node -e 'JSON.parse(require("node:fs").readFileSync(process.argv[1]))' "$work/response.json" || fail 'the response is not complete'
  podman rm any-user >/dev/null 2>&1
  note "SIGTERM let a response of $(stat --format %s "$work/response.json") bytes finish"
}

prepare
started=$SECONDS
start_stores
for service in serve worker; do start "demo_${service}_1"; done
node "$here/requests.ts" "$work/demo.json"
note "the requests were answered; compose started $((SECONDS - started)) s ago"
confined demo_serve_1
confined demo_worker_1
any_user
stopped demo_worker_1
stopped demo_serve_1
note 'the containers are confined, and SIGTERM stops them with exit code 0'
compose down --volumes >"$work/down.log" 2>&1
[ -z "$(podman ps --all --quiet)$(podman volume ls --quiet)" ] || fail 'compose down left containers or volumes'
note 'everything is removed'
