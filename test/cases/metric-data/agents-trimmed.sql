SELECT
  toString(bucket) AS dtime,
  mean + if(agent_count = 0, NULL, 0) AS metricValue,
  agent_count AS agentCount,
  least + if(agent_count = 0, NULL, 0) AS min,
  greatest + if(agent_count = 0, NULL, 0) AS max,
  agents_below AS agentsBelowMinimum
FROM (
SELECT *,
  arraySum(v -> pow(v - mean, 2), agent_values) AS squares
FROM (
SELECT *,
  least + arraySum(v -> v - least, agent_values) / agent_count AS mean
FROM (
SELECT *,
  agent_values[1] AS least,
  agent_values[-1] AS greatest,
  toFloat64(agent_count) AS effective_agents,
  greatest(1, toFloat64(agent_count) - 1) AS freedom
FROM (
SELECT
  own_bucket AS bucket,
  countIf(own_counts) AS agent_count,
  countIf(NOT own_counts) AS agents_below,
  countIf(own_counts AND isNotNull(dictGet('broadgauge.agents', 'unit_id', own_agent))) AS unit_count,
  sumIf(own_results, own_counts) AS sample_count,
  arraySort(groupArrayIf(own_value, own_counts)) AS agent_values
FROM (
SELECT *,
  sample_count AS own_results,
  (toFloat64(arrayReduce('sum', arrayMap(x -> toInt128(x), trimmed))) / length(trimmed)) * 8 / 1e6 AS own_value,
  sample_count >= {p1:UInt32} AND notEmpty(trimmed) AS own_counts
FROM (
SELECT *,
  arrayFilter(x -> x >= lowest AND x <= highest, sorted) AS trimmed
FROM (
SELECT *,
  sorted[toUInt64(ceil(((sample_count - 1) * 1 / 100))) + 1] AS lowest,
  sorted[toUInt64(floor(((sample_count - 1) * 99 / 100))) + 1] AS highest
FROM (
SELECT *,
  arraySort(values) AS sorted
FROM (
SELECT
  own_bucket,
  own_agent,
  own_sample_count AS sample_count,
  own_values AS values
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p2:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS own_bucket,
  agent AS own_agent,
  count() AS own_sample_count,
  groupArray(number) AS own_values
FROM broadgauge.httpget
WHERE panel IN {p3:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p4:Date} AND {p5:Date}
  AND local_second BETWEEN {p6:Int64} AND {p7:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY own_bucket, own_agent
)
)
)
)
)
)
GROUP BY own_bucket
)
)
)
)
ORDER BY bucket
LIMIT {p8:UInt32}
