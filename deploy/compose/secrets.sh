#!/bin/sh
# Writes random secrets for compose.yaml into deploy/.env, which nobody else may read. Keep the file: data are encrypted by none
# of them, but the stores know them from their first start on.
set -eu
umask 077
file=$(dirname "$0")/../.env
if [ -e "$file" ]; then
  echo "secrets.sh: $file is there already, and the stores know what is in it" >&2
  exit 1
fi
exec >"$file"
for name in POSTGRES_SUPERUSER_PASSWORD POSTGRES_ADMIN_PASSWORD POSTGRES_SERVICE_PASSWORD POSTGRES_DICTIONARY_PASSWORD \
  CLICKHOUSE_ADMIN_PASSWORD CLICKHOUSE_QUERY_PASSWORD CLICKHOUSE_STREAM_PASSWORD CLICKHOUSE_DICTIONARY_PASSWORD \
  CLICKHOUSE_INGEST_PASSWORD CLICKHOUSE_EXPORT_PASSWORD CLICKHOUSE_CLUSTER_SECRET S3_SECRET_ACCESS_KEY; do
  # Hexadecimal: they stand in addresses and in XML as they are.
  printf '%s=%s\n' "$name" "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
done
printf '%s\n' S3_ACCESS_KEY_ID=broadgauge COMPOSE_PROJECT_NAME=broadgauge
