#!/bin/sh
# Does what this project needs of the vendor's entry point: initialises an empty data directory, runs the scripts of
# /docker-entrypoint-initdb.d on a server without a TCP listener, and starts the server.
set -eu
export PGDATA=/var/lib/postgresql/18/docker
sockets=/var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 \
    --locale=C.UTF-8 --no-instructions >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="-c listen_addresses='' -c unix_socket_directories=$sockets" start >/dev/null
  for script in /docker-entrypoint-initdb.d/*.sh; do sh "$script"; done
  pg_ctl --wait --mode=fast stop >/dev/null
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories="$sockets"
