#!/bin/sh
# Writes random secrets for compose.yaml into deploy/.env, which only its owner can read. You add the settings of your S3 store.
# Keep the file: after their first start, the stores accept only these secrets.
set -eu
umask 077
file=$(dirname "$0")/../.env
if [ -e "$file" ]; then
  echo "secrets.sh: $file is there already; the stores use its secrets" >&2
  exit 1
fi
exec >"$file"
for name in POSTGRES_SUPERUSER_PASSWORD POSTGRES_ADMIN_PASSWORD POSTGRES_SERVICE_PASSWORD POSTGRES_DICTIONARY_PASSWORD \
  CLICKHOUSE_ADMIN_PASSWORD CLICKHOUSE_QUERY_PASSWORD CLICKHOUSE_STREAM_PASSWORD CLICKHOUSE_DICTIONARY_PASSWORD \
  CLICKHOUSE_INGEST_PASSWORD CLICKHOUSE_EXPORT_PASSWORD CLICKHOUSE_CLUSTER_SECRET; do
  # Hexadecimal secrets need no escaping in URLs and XML.
  printf '%s=%s\n' "$name" "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
done
cat <<'END'
# Fill in the address of the S3 store without a final slash, the bucket, and a key that has rights only on that bucket.
S3_ENDPOINT=
S3_REGION=
S3_BUCKET=
S3_ACCESS_KEY_ID=
S3_SECRET_ACCESS_KEY=
END
