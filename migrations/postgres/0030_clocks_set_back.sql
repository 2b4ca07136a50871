-- A bucket that was filled at a moment to come, because the clock has been set back since, gains nothing once and is filled
-- from now on. It waited for that moment, and everybody with it.
CREATE OR REPLACE FUNCTION fill_bucket(
  bucket_kind text, bucket_subject text, full_balance double precision, per_second double precision
) RETURNS double precision
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  INSERT INTO limit_buckets AS bucket (kind, subject, balance, filled_at)
  VALUES (bucket_kind, bucket_subject, full_balance, clock_timestamp())
  ON CONFLICT (kind, subject) DO UPDATE SET
    balance = least(full_balance, bucket.balance
      + per_second * greatest(0, extract(epoch FROM clock_timestamp() - bucket.filled_at)::double precision)),
    filled_at = clock_timestamp()
  RETURNING bucket.balance;
END;
