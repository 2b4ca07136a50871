-- The speeds of packages, as a history. A query looks the speed up as of the measurement, so a new speed does not change what
-- results of the past are compared with. Rows are only added, except for `published`.
--
-- A row holds from its day on, also over later days of rows with a smaller number: the last recorded row wins.
CREATE TABLE package_speeds (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  package_id integer NOT NULL REFERENCES packages,
  -- The first speeds of a package hold from 1970-01-01 on.
  from_day date NOT NULL CHECK (from_day >= '1970-01-01'),
  -- Null if the speed is not known, for example if the package is sold as a range of speeds.
  download_bits_sec bigint CHECK (download_bits_sec > 0),
  upload_bits_sec bigint CHECK (upload_bits_sec > 0),
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- True if ClickHouse's dictionary contains the row.
  published boolean NOT NULL DEFAULT false
);
CREATE INDEX package_speeds_package ON package_speeds (package_id, id);
CREATE INDEX package_speeds_unpublished ON package_speeds (id) WHERE NOT published;

INSERT INTO package_speeds (package_id, from_day, download_bits_sec, upload_bits_sec)
SELECT id, '1970-01-01', download_bits_sec, upload_bits_sec FROM packages
WHERE download_bits_sec IS NOT NULL OR upload_bits_sec IS NOT NULL ORDER BY id;
ALTER TABLE packages DROP COLUMN download_bits_sec, DROP COLUMN upload_bits_sec;

-- `until_day` is the first day on which a later row holds; null if the row still holds. A row whose `until_day` is not after
-- its `from_day` holds on no day.
CREATE VIEW package_speed_history AS
  SELECT id, package_id, from_day, download_bits_sec, upload_bits_sec, recorded_at,
    min(from_day) OVER (PARTITION BY package_id ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS until_day
  FROM package_speeds;

-- No row is dated in the future, so the current speeds are those of the last row.
CREATE VIEW current_packages AS
  SELECT packages.id, isp_id, name, download_bits_sec, upload_bits_sec
  FROM packages LEFT JOIN package_speed_history AS speeds ON speeds.package_id = packages.id AND speeds.until_day IS NULL;

-- What ClickHouse reads: one row per package, so that a query reads either the old or the new history of a package. The columns
-- for the current speeds let a query find the speed of a recent result without searching the arrays. A speed that is not known
-- is 0.
CREATE VIEW dictionary_package_speeds AS
  SELECT package_id,
    max(from_day) AS current_from,
    (array_agg(coalesce(download_bits_sec, 0) ORDER BY from_day DESC))[1] AS current_download,
    (array_agg(coalesce(upload_bits_sec, 0) ORDER BY from_day DESC))[1] AS current_upload,
    array_agg(from_day ORDER BY from_day) AS days,
    array_agg(coalesce(download_bits_sec, 0) ORDER BY from_day) AS download,
    array_agg(coalesce(upload_bits_sec, 0) ORDER BY from_day) AS upload
  FROM package_speed_history WHERE until_day IS NULL OR from_day < until_day
  GROUP BY package_id;

-- There is no row-level security: like the packages, their speeds are shared by all organisations. The service reads them only
-- through ClickHouse.
GRANT SELECT ON dictionary_package_speeds TO broadgauge_dictionary;
GRANT SELECT, INSERT ON package_speeds TO broadgauge_operator;
GRANT SELECT ON package_speed_history, current_packages TO broadgauge_operator;
