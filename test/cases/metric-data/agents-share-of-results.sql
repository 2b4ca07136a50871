SELECT
  toString(bucket) AS dtime,
  mean + if(agent_count = 0, NULL, 0) AS metricValue,
  least + if(agent_count = 0, NULL, 0) AS min,
  greatest + if(agent_count = 0, NULL, 0) AS max,
  agents_reaching AS reachingAgents,
  agent_count AS exactAgents,
  agents_below AS agentsBelowMinimum
FROM (
SELECT *,
  if(greatest - least < 1e-12 * greatest(abs(greatest), abs(least)), 0, arraySum(v -> pow(v - mean, 2), agent_values)) AS squares
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
  arraySort(groupArrayIf(own_value, own_counts)) AS agent_values,
  countIf(own_counts AND own_value < {p1:Float64}) AS agents_reaching
FROM (
SELECT *,
  sample_count AS own_results,
  100 * arraySum((h, n, k) -> h * (k / n), each_hours, each_results, each_hits) / weight AS own_value,
  sample_count >= {p2:UInt32} AS own_counts
FROM (
SELECT *,
  arraySum(each_hours) AS weight
FROM (
SELECT
  own_bucket,
  own_agent,
  own_sample_count AS sample_count,
  own_least AS least,
  own_greatest AS greatest,
  own_each_hours AS each_hours,
  arrayMap(n -> greatest(n, 1), own_each_results) AS each_results,
  own_each_total AS each_total,
  own_each_squares AS each_squares,
  own_each_hits AS each_hits
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p3:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {p4:Array(UInt8)}[local_hour + 1] AS block,
  {p5:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS own_bucket,
  agent AS own_agent,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  maxResample(0, 6, 1)(block_hours, block) AS own_each_hours,
  countResample(0, 6, 1)(block) AS own_each_results,
  sumResample(0, 6, 1)(toInt128(number), block) AS own_each_total,
  sumResample(0, 6, 1)(toInt256(toInt128(number) * number), block) AS own_each_squares,
  sumResample(0, 6, 1)(toUInt64(toFloat64(number) * 8 / 1e6 >= {p6:Float64}), block) AS own_each_hits
FROM broadgauge.httpget
WHERE panel IN {p7:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p8:Date} AND {p9:Date}
  AND local_second BETWEEN {p10:Int64} AND {p11:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY own_bucket, own_agent
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
LIMIT {p12:UInt32}
