#!/usr/bin/env bash
# restore.sh DIRECTORY: restores into an empty PostgreSQL database and an empty ClickHouse database. No instance of the service
# may run. To empty ClickHouse, run DROP DATABASE … SYNC on every node, because replicated tables have fixed paths in the
# Keeper.
# Settings:
# - those of `broadgauge migrate`
# - RESTORE_POSTGRES_URL: the empty database, with a superuser
# - BROADGAUGE: the command, which must read its settings from the environment of this script
set -euo pipefail
directory=${1:?usage: restore.sh DIRECTORY}
: "${RESTORE_POSTGRES_URL:?a superuser, on the empty database}"
# shellcheck source=deploy/backup/engine.sh
. "$(dirname "$0")/engine.sh"
name_postgres "$RESTORE_POSTGRES_URL"
until=$(cat "$directory/until")

sql() { with_password psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --command "$1" "$postgres_url"; }
# migrate [SETTING=VALUE]
migrate() { env "$@" ${BROADGAUGE:-broadgauge} migrate >/dev/null; }

# The role that migrates must own the schema.
owner=$(sql "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()")
with_password pg_restore --exit-on-error --single-transaction --no-owner --role="$owner" --dbname="$postgres_url" \
  "$directory/postgres.dump"
# Create empty tables and dictionaries in ClickHouse, without retention. With retention, ClickHouse could drop results that
# have expired after the backup, while the script compares them.
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

# PostgreSQL lists batches that were stored after the results were read: the backup lacks some or all of their rows. Mark these
# batches as unfinished: if such a batch is sent again, the service compares it row by row with the stored rows. If its record
# were deleted, the service would insert it without a comparison, and rows that are in the backup would be stored twice.
# `stored_at` also finds older batches whose rejected rows were stored recently.
recently="timestamptz '$until UTC' - interval '1 hour'"
sql "UPDATE ingest_batches SET stored_at = NULL, leased_until = NULL WHERE greatest(begun_at, stored_at) > $recently"
# Reset the progress of imported files, so that their next import compares them batch by batch.
again="anew = true, bytes_done = 0, accepted = 0, duplicates = 0, rejected = 0, finished_at = NULL"
sql "UPDATE import_files SET $again WHERE coalesce(finished_at, 'infinity') > $recently"

# Remove all rollups: the service rebuilds them from the results. PostgreSQL may refer to a rollup that ClickHouse does not
# have, and a rollup in ClickHouse may include an agent that was erased later.
suffix=${BROADGAUGE_CLICKHOUSE_CLUSTER:+_shard}
for node in "${nodes[@]}"; do ask "TRUNCATE TABLE metric_rollup$suffix"; done
sql "TRUNCATE rollup_days, rollup_panels, rollup_builds, rollup_tests"

# Advance the sequences: no new agent or panel may get a number that a result contains, even if the earlier agent or panel no
# longer exists.
tables=$(result_tables)
for register in agents panels; do
  largest=0
  for table in $tables; do
    found=$(line "SELECT max(${register%s}) FROM $table")
    [ "$found" -le "$largest" ] || largest=$found
  done
  [ "$largest" -eq 0 ] || sql "SELECT setval('${register}_id_seq', greatest($largest, last_value)) FROM ${register}_id_seq" >/dev/null
done

# Remove results of agents that were erased after the results were read: these agents must stay erased.
erased=$(sql "SELECT coalesce(string_agg(agent_number::text, ','), '') FROM erasures")
for node in "${nodes[@]}"; do
  for table in $tables; do
    [ -z "$erased" ] || ask "ALTER TABLE $table$suffix DELETE WHERE agent IN ($erased) SETTINGS mutations_sync = 2"
  done
  dictionaries=$(line "SELECT arrayStringConcat(groupArray(name), ' ') FROM system.dictionaries WHERE database = '$database'")
  for dictionary in $dictionaries; do ask "SYSTEM RELOAD DICTIONARY $database.$dictionary"; done
done
# Migrate again, now with the retention of results.
migrate || fail "everything is restored, but the retention of results is not set. Run broadgauge migrate."
echo "Restored to $until UTC. Run broadgauge doctor, then start serve."
