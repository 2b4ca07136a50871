SELECT rowNumberInAllBlocks() + 1 AS row, line AS raw,
  -- The list of keys is empty if the line is not an object. If a key occurs twice, two parsers could use different values.
  empty(keys) OR length(arrayDistinct(keys)) != length(keys) AS malformed,
  if(hasAll(['agent_id', 'dtime', 'target', 'address', 'rtt', 'speed', 'sequence', 'ip_version', 'successes', 'base', 'ddate', 'unit_id'], keys), NULL, arrayFirst(name -> NOT has(['agent_id', 'dtime', 'target', 'address', 'rtt', 'speed', 'sequence', 'ip_version', 'successes', 'base', 'ddate', 'unit_id'], name), keys)) AS unexpected,
  -- A text can also begin with a bracket. Only in this case the statement reads the raw value from the line.
  if(or(substring(c_agent_id, 1, 1) IN ('{', '['), substring(c_dtime, 1, 1) IN ('{', '['), substring(c_target, 1, 1) IN ('{', '['), substring(c_address, 1, 1) IN ('{', '['), 0),
    arrayFirst((name, value) -> substring(value, 1, 1) IN ('{', '['),
      JSONExtractKeysAndValuesRaw(line).1, JSONExtractKeysAndValuesRaw(line).2), '') AS nested,
  ifNull(values.agent_id, '') AS c_agent_id,
  ifNull(values.dtime, '') AS c_dtime,
  ifNull(values.target, '') AS c_target,
  ifNull(values.address, '') AS c_address,
  ifNull(values.rtt, '') AS c_rtt,
  ifNull(values.speed, '') AS c_speed,
  ifNull(values.sequence, '') AS c_sequence,
  ifNull(values.ip_version, '') AS c_ip_version,
  ifNull(values.successes, '') AS c_successes
FROM (SELECT line, JSONExtractKeys(line) AS keys, JSONExtract(line, 'Tuple(agent_id Nullable(String), dtime Nullable(String), target Nullable(String), address Nullable(String), rtt Nullable(String), speed Nullable(String), sequence Nullable(String), ip_version Nullable(String), successes Nullable(String))') AS values FROM input('line String'))
