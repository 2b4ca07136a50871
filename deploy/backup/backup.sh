#!/usr/bin/env bash
# backup.sh DIRECTORY: results, then everything PostgreSQL holds, into files. docs/backup.md says what that guarantees.
# Settings: those of `broadgauge migrate`, and BACKUP_POSTGRES_URL: a role that row-level security does not bind.
set -euo pipefail
umask 077
directory=${1:?usage: backup.sh DIRECTORY}
: "${BACKUP_POSTGRES_URL:?a superuser, or a role with BYPASSRLS and pg_read_all_data}"
# shellcheck source=deploy/backup/engine.sh
. "$(dirname "$0")/engine.sh"
mkdir "$directory"
# Also where there are no results yet.
: >"$directory/results.tsv"

# Results first: PostgreSQL must know every agent and panel that they name. What is being stored just now is left for next time.
# In UTC by name, as the columns are: the server's own time zone may be any.
until=$(ask "SELECT subtractSeconds(now64(3, 'UTC'), ${BACKUP_LAG_SECONDS:-60}) FORMAT TSV")
tables=$(result_tables)
for table in $tables; do
  later=$(ask "SELECT count() FROM $table WHERE ingested_at > greatest(now64(3, 'UTC'), toDateTime64('$until', 3, 'UTC')) FORMAT TSV")
  if [ "$later" -ne 0 ]; then
    echo "backup.sh: $later rows of $table bear times to come: ClickHouse's clock was set back. They would be missing. Wait" >&2
    echo "until it has caught up, or give a negative BACKUP_LAG_SECONDS that reaches as far, while nothing is delivered." >&2
    exit 1
  fi
done
for table in $tables; do
  months=$(ask "SELECT DISTINCT toYYYYMM(dtime) AS month FROM $table ORDER BY month FORMAT TSV")
  for month in $months; do
    rows="toYYYYMM(dtime) = $month AND ingested_at <= toDateTime64('$until', 3, 'UTC')"
    ask "SELECT * FROM $table WHERE $rows FORMAT Native" | gzip -1 >"$directory/$table.$month.native.gz"
    figures=$(digest "$table" "$rows")
    printf '%s\t%s\t%s\n' "$table" "$month" "$figures" >>"$directory/results.tsv"
  done
done
for table in audited_queries rejected_results; do
  ask "SELECT * FROM $table FORMAT Native" | gzip -1 >"$directory/$table.native.gz"
done
pg_dump --format=custom --file="$directory/postgres.dump" "$BACKUP_POSTGRES_URL"
# Written last: a directory without it is no backup.
echo "$until" >"$directory/until"
echo "Everything stored until $until UTC is in $directory."
