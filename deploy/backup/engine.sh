# shellcheck shell=bash
# Sourced by backup.sh and restore.sh: ClickHouse over HTTP, as the user of migrations. Any node answers for a whole cluster.
IFS=, read -ra nodes <<<"${BROADGAUGE_CLICKHOUSE_URL:?}"
node=${nodes[0]}
database=${BROADGAUGE_CLICKHOUSE_DATABASE:-broadgauge}

# In a file that only we can read: a command line can be read by everybody.
headers=$(umask 077 && mktemp)
trap 'rm -f "$headers"' EXIT
printf 'X-ClickHouse-User: %s\nX-ClickHouse-Key: %s\n' \
  "${BROADGAUGE_CLICKHOUSE_ADMIN_USER:?}" "${BROADGAUGE_CLICKHOUSE_ADMIN_PASSWORD:?}" >"$headers"

# STATEMENT. Answered as a whole, so that what fails in the middle is a failure and not a short file.
ask() {
  curl --silent --show-error --fail-with-body --compressed --header @"$headers" --data-binary "$1" \
    "$node/?wait_end_of_query=1&enable_http_compression=1&max_execution_time=0&database=$database"
}

# FILE TABLE. A block like one before it holds rows all the same, so nothing is left out as sent before.
put() {
  gzip -dc "$1" | curl --silent --show-error --fail-with-body --header @"$headers" --request POST --upload-file - \
    "$node/?query=INSERT%20INTO%20$2%20FORMAT%20Native&database=$database&async_insert=0&insert_deduplicate=0&distributed_foreground_insert=1&max_execution_time=0"
}

# The tables of results, by one of the names given: on a cluster the test's own is over all shards.
result_tables() {
  ask "SELECT table FROM system.columns WHERE database = '$database' AND name IN ('dtime', 'ingested_at')
    AND NOT endsWith(table, '_shard') GROUP BY table HAVING count() = 2 ORDER BY table FORMAT TSV"
}

# TABLE CONDITION: rows, and a figure that any difference in any of them changes, in whatever order they are stored. By way of text,
# because the hash of a row with a null in it is null.
digest() {
  ask "SELECT count(), sum(sipHash64(toString(tuple(*)))) FROM $1 WHERE $2 FORMAT TSV"
}
