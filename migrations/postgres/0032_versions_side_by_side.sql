-- While two versions of the service run side by side, each would have all days built its own way, and take the other's for
-- outdated as soon as they are there, for as long as both run. So a day that has just been built is left for an hour.
CREATE OR REPLACE FUNCTION outdate_rollups(test_keys text[], versions text[]) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  outdated integer;
BEGIN
  UPDATE rollup_days SET stale = true
  FROM unnest(test_keys, versions) AS wanted (test, version)
  WHERE rollup_days.test = wanted.test AND rollup_days.version <> wanted.version AND NOT stale
    AND NOT EXISTS (
      SELECT FROM rollup_builds
      WHERE rollup_builds.id = rollup_days.build AND rollup_builds.finished_at > now() - interval '1 hour'
    );
  GET DIAGNOSTICS outdated = ROW_COUNT;
  RETURN outdated;
END
$$;
