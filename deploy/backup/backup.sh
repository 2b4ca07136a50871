#!/usr/bin/env bash
# backup.sh DIRECTORY: writes all results, then all of PostgreSQL, to files. docs/backup.md states the guarantees.
# Settings: those of `broadgauge migrate`, and BACKUP_POSTGRES_URL with a role to which row-level security does not apply.
set -euo pipefail
umask 077
directory=${1:?usage: backup.sh DIRECTORY}
: "${BACKUP_POSTGRES_URL:?a superuser, or a role with BYPASSRLS and pg_read_all_data}"
# shellcheck source=deploy/backup/engine.sh
. "$(dirname "$0")/engine.sh"
name_postgres "$BACKUP_POSTGRES_URL"
mkdir "$directory"
# The file must exist even if there are no results.
: >"$directory/results.tsv"

# Read the results first: the PostgreSQL dump, which is written later, then contains every agent and panel that the results
# refer to. The lag excludes inserts that are in progress. The time is in UTC, like the columns: the server may have another
# time zone.
until=$(line "SELECT subtractSeconds(now64(3, 'UTC'), ${BACKUP_LAG_SECONDS:-60})")
tables=$(result_tables)
for table in $tables; do
  later=$(line "SELECT count() FROM $table WHERE ingested_at > greatest(now64(3, 'UTC'), toDateTime64('$until', 3, 'UTC'))")
  if [ "$later" -ne 0 ]; then
    echo "backup.sh: $later rows of $table have times in the future: ClickHouse's clock was set back. The backup would miss them. Wait" >&2
    echo "until the clock has caught up, or stop ingest and set a negative BACKUP_LAG_SECONDS that covers them." >&2
    exit 1
  fi
done
# back_up_month TABLE MONTH. Retries, because an erasure may change the rows between writing the file and computing its digest.
back_up_month() {
  local rows figures written file=$directory/$1.$2.native.gz
  rows="toYYYYMM(dtime) = $2 AND ingested_at <= toDateTime64('$until', 3, 'UTC')"
  for _ in 1 2 3; do
    ask "SELECT * FROM $1 WHERE $rows FORMAT Native" | gzip -1 >"$file"
    figures=$(digest "$1" "$rows")
    written=$(rows_in "$file" 'agent UInt32')
    if [ "$written" = "${figures%%$'\t'*}" ]; then
      printf '%s\t%s\t%s\n' "$1" "$2" "$figures" >>"$directory/results.tsv"
      return
    fi
  done
  fail "$file has $written rows, and $1 has ${figures%%$'\t'*}: is a disk of ClickHouse full?"
}
for table in $tables; do
  months=$(line "SELECT arrayStringConcat(arraySort(groupUniqArray(toYYYYMM(dtime))), ' ') FROM $table")
  for month in $months; do back_up_month "$table" "$month"; done
done
# Rows are added and expire during the backup. So the file must have at least as many rows as the smaller of two counts: the
# count before and the count after the file is written.
back_up_rejected() {
  local before after written file=$directory/rejected_results.native.gz
  for _ in 1 2 3; do
    before=$(line "SELECT count() FROM rejected_results")
    ask "SELECT * FROM rejected_results FORMAT Native" | gzip -1 >"$file"
    after=$(line "SELECT count() FROM rejected_results")
    written=$(rows_in "$file" 'organisation UInt32')
    [ "$written" -lt $((before < after ? before : after)) ] || return 0
  done
  fail "$file has $written rows, and rejected_results has $after: is a disk of ClickHouse full?"
}
back_up_rejected
with_password pg_dump --format=custom --file="$directory/postgres.dump" "$postgres_url"
# Written last: a directory without this file is not a complete backup.
echo "$until" >"$directory/until"
echo "Everything stored until $until UTC is in $directory."
