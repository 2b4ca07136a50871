-- The history of the speeds of each package, in bits per second; 0 if a speed is not known. Reloaded after `package import`.
CREATE DICTIONARY IF NOT EXISTS {{database}}.package_speeds (
  package_id UInt32,
  current_from Date,
  current_download UInt64,
  current_upload UInt64,
  days Array(Date),
  download Array(UInt64),
  upload Array(UInt64)
)
PRIMARY KEY package_id
SOURCE(POSTGRESQL(NAME broadgauge_postgres DATABASE '{{postgres_database}}' TABLE 'dictionary_package_speeds'))
LAYOUT(FLAT(MAX_ARRAY_SIZE 10000000))
LIFETIME(0);
