#!/usr/bin/env bash
# restore.sh DIRECTORY: into an empty PostgreSQL database and an empty ClickHouse database, with no copy of the service running.
# Empty ClickHouse: DROP DATABASE … SYNC on every node, because replicated tables have fixed paths in the Keeper.
# Settings: those of `broadgauge migrate`; RESTORE_POSTGRES_URL: a superuser, on the empty database; BROADGAUGE: the command,
# which must take its settings from the environment of this script.
set -euo pipefail
directory=${1:?usage: restore.sh DIRECTORY}
: "${RESTORE_POSTGRES_URL:?a superuser, on the empty database}"
# shellcheck source=deploy/backup/engine.sh
. "$(dirname "$0")/engine.sh"
name_postgres "$RESTORE_POSTGRES_URL"
until=$(cat "$directory/until")

sql() { with_password psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --command "$1" "$postgres_url"; }
# [SETTING=VALUE]
migrate() { env "$@" ${BROADGAUGE:-broadgauge} migrate >/dev/null; }

# The schema belongs to whoever migrates.
owner=$(sql "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()")
with_password pg_restore --exit-on-error --single-transaction --no-owner --role="$owner" --dbname="$postgres_url" \
  "$directory/postgres.dump"
# Tables and dictionaries of the engine, empty. Kept for ever for now: what has had its time since the backup would be dropped
# while it is compared.
migrate BROADGAUGE_RETENTION_DAYS=

while IFS=$'\t' read -r table month rows figure; do
  present=$(digest "$table" "toYYYYMM(dtime) = $month")
  [ "$present" = $'0\t0' ] || fail "$table has rows of $month; restore into an empty database"
  put "$directory/$table.$month.native.gz" "$table"
  present=$(digest "$table" "toYYYYMM(dtime) = $month")
  [ "$present" = "$rows"$'\t'"$figure" ] || fail "$table of $month did not come back as it was: $present"
  echo "$table $month: $rows rows, as they were"
done <"$directory/results.tsv"
put "$directory/rejected_results.native.gz" rejected_results

# Deliveries after the results were read are not among them, although PostgreSQL says so. They count as begun and not finished:
# sent again, they are compared row by row with what is there. Forgotten, they would be inserted without looking, those that are
# in the backup a second time. One of days ago whose rejected rows were stored since is known by when it was stored.
recently="timestamptz '$until UTC' - interval '1 hour'"
sql "UPDATE ingest_batches SET stored_at = NULL, leased_until = NULL WHERE greatest(begun_at, stored_at) > $recently"
# Their files are gone through again, batch by batch, and compared.
again="anew = true, bytes_done = 0, accepted = 0, duplicates = 0, rejected = 0, finished_at = NULL"
sql "UPDATE import_files SET $again WHERE coalesce(finished_at, 'infinity') > $recently"

# Sums of old days are made again from the results. None is kept: PostgreSQL may name one that the engine does not have, and one
# that it has may count an agent that was erased since.
suffix=${BROADGAUGE_CLICKHOUSE_CLUSTER:+_shard}
for node in "${nodes[@]}"; do ask "TRUNCATE TABLE metric_rollup$suffix"; done
sql "TRUNCATE rollup_days, rollup_panels, rollup_builds, rollup_tests"

# A number that a result names is never given to another agent or panel, whatever has become of the first.
tables=$(result_tables)
for register in agents panels; do
  largest=0
  for table in $tables; do
    found=$(line "SELECT max(${register%s}) FROM $table")
    [ "$found" -le "$largest" ] || largest=$found
  done
  [ "$largest" -eq 0 ] || sql "SELECT setval('${register}_id_seq', greatest($largest, last_value)) FROM ${register}_id_seq" >/dev/null
done

# Whoever was erased stays erased.
erased=$(sql "SELECT coalesce(string_agg(agent_number::text, ','), '') FROM erasures")
for node in "${nodes[@]}"; do
  for table in $tables; do
    [ -z "$erased" ] || ask "ALTER TABLE $table$suffix DELETE WHERE agent IN ($erased) SETTINGS mutations_sync = 2"
  done
  dictionaries=$(line "SELECT arrayStringConcat(groupArray(name), ' ') FROM system.dictionaries WHERE database = '$database'")
  for dictionary in $dictionaries; do ask "SYSTEM RELOAD DICTIONARY $database.$dictionary"; done
done
# Now with the times for which results are kept.
migrate || fail "everything is restored; only the times for which results are kept are not set. Run broadgauge migrate."
echo "Restored to $until UTC. Look at it with broadgauge doctor, then start serve."
