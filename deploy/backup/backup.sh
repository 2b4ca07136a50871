#!/usr/bin/env bash
# backup.sh DIRECTORY: results, then everything PostgreSQL holds, into files. docs/backup.md says what that guarantees.
# Settings: those of `broadgauge migrate`, and BACKUP_POSTGRES_URL: a role that row-level security does not bind.
set -euo pipefail
umask 077
directory=${1:?usage: backup.sh DIRECTORY}
: "${BACKUP_POSTGRES_URL:?a superuser, or a role with BYPASSRLS and pg_read_all_data}"
# shellcheck source=deploy/backup/engine.sh
. "$(dirname "$0")/engine.sh"
name_postgres "$BACKUP_POSTGRES_URL"
mkdir "$directory"
# Also where there are no results yet.
: >"$directory/results.tsv"

# Results first: PostgreSQL must know every agent and panel that they name. What is being stored just now is left for next time.
# In UTC by name, as the columns are: the server's own time zone may be any.
until=$(line "SELECT subtractSeconds(now64(3, 'UTC'), ${BACKUP_LAG_SECONDS:-60})")
tables=$(result_tables)
for table in $tables; do
  later=$(line "SELECT count() FROM $table WHERE ingested_at > greatest(now64(3, 'UTC'), toDateTime64('$until', 3, 'UTC'))")
  if [ "$later" -ne 0 ]; then
    echo "backup.sh: $later rows of $table bear times to come: ClickHouse's clock was set back. They would be missing. Wait" >&2
    echo "until it has caught up, or give a negative BACKUP_LAG_SECONDS that reaches as far, while nothing is delivered." >&2
    exit 1
  fi
done
# TABLE MONTH. Once more where an erasure came between the file and its figures.
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
# It grows meanwhile, and its rows go when they are old.
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
# Written last: a directory without it is no backup.
echo "$until" >"$directory/until"
echo "Everything stored until $until UTC is in $directory."
