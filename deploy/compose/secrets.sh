#!/bin/sh
# Writes random secrets for compose.yaml: deploy/compose/secrets.sh > deploy/.env. Keep the file: data are encrypted by none of
# them, but the stores know them from their first start on.
set -eu
umask 077
for name in POSTGRES_SUPERUSER_PASSWORD POSTGRES_ADMIN_PASSWORD POSTGRES_SERVICE_PASSWORD POSTGRES_DICTIONARY_PASSWORD \
  CLICKHOUSE_ADMIN_PASSWORD CLICKHOUSE_QUERY_PASSWORD CLICKHOUSE_STREAM_PASSWORD CLICKHOUSE_DICTIONARY_PASSWORD \
  CLICKHOUSE_INGEST_PASSWORD CLICKHOUSE_EXPORT_PASSWORD CLICKHOUSE_CLUSTER_SECRET S3_SECRET_ACCESS_KEY; do
  # Hexadecimal: they stand in addresses and in XML as they are.
  printf '%s=%s\n' "$name" "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
done
printf '%s\n' S3_ACCESS_KEY_ID=broadgauge COMPOSE_PROJECT_NAME=broadgauge
