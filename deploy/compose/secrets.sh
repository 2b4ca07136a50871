#!/bin/sh
# Writes random secrets for compose.yaml into deploy/.env, which nobody else may read, and leaves the S3 store to be filled in.
# Keep the file: data are encrypted by none of them, but the stores know them from their first start on.
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
  CLICKHOUSE_INGEST_PASSWORD CLICKHOUSE_EXPORT_PASSWORD CLICKHOUSE_CLUSTER_SECRET; do
  # Hexadecimal: they stand in addresses and in XML as they are.
  printf '%s=%s\n' "$name" "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
done
cat <<'END'
COMPOSE_PROJECT_NAME=broadgauge
# Yours: the store's address without a slash at the end, the bucket in it, and a key that has no rights beyond that bucket.
S3_ENDPOINT=
S3_REGION=
S3_BUCKET=
S3_ACCESS_KEY_ID=
S3_SECRET_ACCESS_KEY=
END
