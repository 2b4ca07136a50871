# shellcheck shell=bash
# Sourced by backup.sh and restore.sh: ClickHouse over HTTP, as the user of migrations. Any node answers for a whole cluster.
fail() {
  echo "$(basename "$0"): $1" >&2
  exit 1
}

# URL. Its password is kept apart, because a command line can be read by everybody; the rest is postgres_url.
# shellcheck disable=SC2034 # postgres_url: by whoever sources this
name_postgres() {
  postgres_url=$1
  if [[ $1 =~ ^([a-z]+://[^:@/]*):([^@/]*)@(.*)$ ]]; then
    local password=${BASH_REMATCH[2]//\\/\\\\}
    postgres_url=${BASH_REMATCH[1]}@${BASH_REMATCH[3]}
    printf -v postgres_password %b "${password//%/\\x}"
  fi
}
# COMMAND… that is given postgres_url. Others, whose role is another, do not get its password.
with_password() { PGPASSWORD=${postgres_password-${PGPASSWORD-}} "$@"; }

IFS=, read -ra nodes <<<"${BROADGAUGE_CLICKHOUSE_URL:?}"
node=${nodes[0]}
database=${BROADGAUGE_CLICKHOUSE_DATABASE:-broadgauge}

# In a file that only we can read: a command line can be read by everybody.
headers=$(umask 077 && mktemp)
trap 'rm -f "$headers"' EXIT
printf 'X-ClickHouse-User: %s\nX-ClickHouse-Key: %s\n' \
  "${BROADGAUGE_CLICKHOUSE_ADMIN_USER:?}" "${BROADGAUGE_CLICKHOUSE_ADMIN_PASSWORD:?}" >"$headers"

# STATEMENT. Answered as a whole, so that what fails in the middle is a failure; but for a full disk of the engine, which answers
# with a part or with nothing. So one row is asked for by `line`, and a file is read back by `rows_in`.
ask() {
  curl --silent --show-error --fail-with-body --compressed --header @"$headers" --data-binary "$1" \
    "$node/?wait_end_of_query=1&enable_http_compression=1&max_execution_time=0&database=$database"
}

# STATEMENT of one row. None at all is a failure.
line() {
  local answer
  answer=$(ask "$1 FORMAT TSV" && printf .) || {
    echo "$answer" >&2
    return 1
  }
  if [[ $answer != *$'\n.' ]]; then
    echo "ClickHouse gave no answer; is its disk full? $1" >&2
    return 1
  fi
  printf %s "${answer%.}"
}

# FILE COLUMN: how many rows the engine finds in it, by one of its columns and that one's type. A row cut in two is a failure.
rows_in() {
  local said
  said=$(gzip -dc "$1" | curl --silent --show-error --fail-with-body --header @"$headers" --request POST --upload-file - \
    --write-out '%header{x-clickhouse-summary}' \
    "$node/?query=INSERT%20INTO%20FUNCTION%20null('${2/ /%20}')%20FORMAT%20Native&wait_end_of_query=1&async_insert=0&max_execution_time=0") || {
    echo "$said" >&2
    return 1
  }
  if [[ ! $said =~ \"written_rows\":\"([0-9]+)\" ]]; then
    echo "ClickHouse did not say how many rows are in $1 (X-ClickHouse-Summary): does a proxy take it away, is curl before 7.84?" >&2
    return 1
  fi
  echo "${BASH_REMATCH[1]}"
}

# FILE TABLE. A block like one before it holds rows all the same, so nothing is left out as sent before.
put() {
  gzip -dc "$1" | curl --silent --show-error --fail-with-body --header @"$headers" --request POST --upload-file - \
    "$node/?query=INSERT%20INTO%20$2%20FORMAT%20Native&database=$database&async_insert=0&insert_deduplicate=0&distributed_foreground_insert=1&max_execution_time=0"
}

# The tables of results, by one of the names given: on a cluster the test's own is over all shards.
result_tables() {
  line "SELECT arrayStringConcat(arraySort(groupArray(table)), ' ') FROM (SELECT table FROM system.columns
    WHERE database = '$database' AND name IN ('dtime', 'ingested_at') AND NOT endsWith(table, '_shard')
    GROUP BY table HAVING count() = 2)"
}

# TABLE CONDITION: rows, and a figure that any difference in any of them changes, in whatever order they are stored. By way of text,
# because the hash of a row with a null in it is null.
digest() {
  line "SELECT count(), sum(sipHash64(toString(tuple(*)))) FROM $1 WHERE $2"
}
