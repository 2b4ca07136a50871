# shellcheck shell=bash
# backup.sh and restore.sh source this file. It calls ClickHouse over HTTP as the admin user. Any node answers for the whole cluster.
fail() {
  echo "$(basename "$0"): $1" >&2
  exit 1
}

# name_postgres URL: removes the password from the URL, because other users can read command lines. Sets postgres_url to the
# rest.
# shellcheck disable=SC2034 # the sourcing scripts use postgres_url
name_postgres() {
  postgres_url=$1
  if [[ $1 =~ ^([a-z]+://[^:@/]*):([^@/]*)@(.*)$ ]]; then
    local password=${BASH_REMATCH[2]//\\/\\\\}
    postgres_url=${BASH_REMATCH[1]}@${BASH_REMATCH[3]}
    printf -v postgres_password %b "${password//%/\\x}"
  fi
}
# with_password COMMAND…: runs a command that connects to postgres_url. Other commands use other roles and must not get this
# password.
with_password() { PGPASSWORD=${postgres_password-${PGPASSWORD-}} "$@"; }

IFS=, read -ra nodes <<<"${BROADGAUGE_CLICKHOUSE_URL:?}"
node=${nodes[0]}
database=${BROADGAUGE_CLICKHOUSE_DATABASE:-broadgauge}

# The headers are in a private file, because other users can read command lines.
headers=$(umask 077 && mktemp)
trap 'rm -f "$headers"' EXIT
printf 'X-ClickHouse-User: %s\nX-ClickHouse-Key: %s\n' \
  "${BROADGAUGE_CLICKHOUSE_ADMIN_USER:?}" "${BROADGAUGE_CLICKHOUSE_ADMIN_PASSWORD:?}" >"$headers"

# ask STATEMENT: runs a statement. With wait_end_of_query, an error in the middle of a response makes the request fail. But if
# the disk of ClickHouse is full, the response has status 200 with only some of the rows, or none. So `line` requires one row,
# and `rows_in` reads a file back.
ask() {
  curl --silent --show-error --fail-with-body --compressed --header @"$headers" --data-binary "$1" \
    "$node/?wait_end_of_query=1&enable_http_compression=1&max_execution_time=0&database=$database"
}

# line STATEMENT: runs a statement that returns one row. An empty response is a failure.
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

# rows_in FILE COLUMN: the number of rows that ClickHouse finds in the file, counted by one column with its type. A truncated
# row is a failure.
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

# put FILE TABLE: inserts a file without deduplication. ClickHouse would drop a block that equals an earlier one, but its rows
# must be stored too.
put() {
  gzip -dc "$1" | curl --silent --show-error --fail-with-body --header @"$headers" --request POST --upload-file - \
    "$node/?query=INSERT%20INTO%20$2%20FORMAT%20Native&database=$database&async_insert=0&insert_deduplicate=0&distributed_foreground_insert=1&max_execution_time=0"
}

# Lists the tables of results. On a cluster these are the Distributed tables over all shards.
result_tables() {
  line "SELECT arrayStringConcat(arraySort(groupArray(table)), ' ') FROM (SELECT table FROM system.columns
    WHERE database = '$database' AND name IN ('dtime', 'ingested_at') AND NOT endsWith(table, '_shard')
    GROUP BY table HAVING count() = 2)"
}

# digest TABLE CONDITION: the number of rows, and a hash over all rows that does not depend on their order. It hashes the text
# of a row, because the hash of a row that contains a null is null.
digest() {
  line "SELECT count(), sum(sipHash64(toString(tuple(*)))) FROM $1 WHERE $2"
}
