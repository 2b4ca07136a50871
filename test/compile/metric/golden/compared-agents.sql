SELECT
  toString(bucket) AS dtime,
  mean + if(agent_count = 0, NULL, 0) AS metricValue,
  agents_below AS agentsBelowMinimum,
  if(agent_count = 0, emptyArrayString(), arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {30:UInt8} * (1 - 1e-12), 'few_agents', '')])) AS caution,
  compared_numbers AS compared
FROM (
SELECT *,
  [toFloat64(own_side.1), toFloat64(base_side.1), toFloat64(own_side.2), toFloat64(base_side.2), toFloat64(shared_agents), toFloat64(own_side.3), toFloat64(base_side.3), toFloat64(arraySum(d -> d * d, own_side.5)), toFloat64(arraySum(d -> d * d, base_side.5)), toFloat64(arraySum(d -> d * d, changes.1)), toFloat64(arraySum(d -> d * d, changes.2)), toFloat64((side = 0))] AS compared_numbers
FROM (
SELECT *,
  length(own_matched) AS shared_agents,
  (arrayMap((a, b) -> b - a, base_side.5, own_side.5), arrayMap((a, b) -> b / own_side.1 - a / base_side.1, base_side.5, own_side.5)) AS changes
FROM (
SELECT *,
  (base_sums.1, toFloat64(length(base_matched)), toFloat64(length(base_matched)) - 1, arrayMap(p -> p.2, base_matched), arrayMap(p -> (base_sums.1 - p.1) / sqrt(toFloat64(length(base_matched)) * (toFloat64(length(base_matched)) - 1)), base_matched)) AS base_side,
  (own_sums.1, toFloat64(length(own_matched)), toFloat64(length(own_matched)) - 1, arrayMap(p -> p.2, own_matched), arrayMap(p -> (own_sums.1 - p.1) / sqrt(toFloat64(length(own_matched)) * (toFloat64(length(own_matched)) - 1)), own_matched)) AS own_side
FROM (
SELECT *,
  tuple(arrayMap(first -> first + arraySum(p -> p.1 - first, base_matched) / length(base_matched), [base_matched[1].1])[1]) AS base_sums,
  tuple(arrayMap(first -> first + arraySum(p -> p.1 - first, own_matched) / length(own_matched), [own_matched[1].1])[1]) AS own_sums
FROM (
SELECT *,
  arrayMap(s -> s.3, arrayFilter(s -> s.2 = 0, shared_pairs)) AS base_matched,
  arrayMap(s -> s.3, arrayFilter(s -> s.2 = 1, shared_pairs)) AS own_matched
FROM (
SELECT *,
  arrayFilter((s, previous, next) -> s.1 = previous OR s.1 = next, both, arrayShiftRight(both_agents, 1, -1), arrayShiftLeft(both_agents, 1, -1)) AS shared_pairs
FROM (
SELECT *,
  arrayMap(s -> toInt64(s.1), both) AS both_agents
FROM (
SELECT *,
  arraySort(s -> s.1, arrayConcat(arrayMap(p -> (p.2, toUInt8(0), p), base_pairs), arrayMap(p -> (p.2, toUInt8(1), p), pairs))) AS both
FROM (
SELECT *,
  (anyIf(pairs, (side = 0)) OVER (PARTITION BY bucket)) AS base_pairs
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
  greatest(1, toFloat64(agent_count) - 1) AS freedom,
  arrayReduce('quantilesExactInclusive(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)', agent_values) AS levels
FROM (
SELECT
  own_bucket AS bucket,
  own_side AS side,
  countIf(own_counts) AS agent_count,
  countIf(NOT own_counts) AS agents_below,
  countIf(own_counts AND isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  sumIf(own_results, own_counts) AS sample_count,
  arraySort(groupArrayIf(own_value, own_counts)) AS agent_values,
  arraySort(p -> p.2, groupArrayIf((own_value, own_agent), own_counts)) AS pairs
FROM (
SELECT *,
  sample_count AS own_results,
  (toFloat64(midst) + mean) * 8 / 1e6 AS own_value,
  sample_count >= {1:UInt32} AS own_counts
FROM (
SELECT *,
  arraySum((h, v, m) -> h * (v + (m - mean) * (m - mean)), each_hours, each_variance, each_mean) / weight AS variance
FROM (
SELECT *,
  arraySum((h, m) -> h * m, each_hours, each_mean) / weight AS mean
FROM (
SELECT *,
  weight * weight / arraySum((h, n) -> h * h / n, each_hours, each_results) AS effective,
  arrayMap((t, n) -> toFloat64(t - n * midst) / n, each_total, each_results) AS each_mean,
  arrayMap((t, q, n) -> toFloat64(toInt256(n) * q - toInt256(t) * t) / n / n, each_total, each_squares, each_results) AS each_variance
FROM (
SELECT *,
  arraySum(each_hours) AS weight,
  intDiv(arraySum(each_total), toInt128(sample_count)) AS midst
FROM (
SELECT
  own_bucket,
  own_side,
  own_agent,
  own_sample_count AS sample_count,
  own_least AS least,
  own_greatest AS greatest,
  own_each_hours AS each_hours,
  arrayMap(n -> greatest(n, 1), own_each_results) AS each_results,
  own_each_total AS each_total,
  own_each_squares AS each_squares
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toUInt8((local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64})) AS row_side,
  toInt64(assumeNotNull(bytes_sec)) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {[0,0,0,0,0,0,1,1,1,1,1,1,2,2,2,2,2,2,3,3,4,4,5,5]:Array(UInt8)}[local_hour + 1] AS block,
  {[6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,2,2,2,2,2,2]:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  toDate(toUInt16(intDiv(local_second, 86400) + if(row_side = 0, 31, 0))) AS own_bucket,
  row_side AS own_side,
  agent AS own_agent,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  maxResample(0, 6, 1)(block_hours, block) AS own_each_hours,
  countResample(0, 6, 1)(block) AS own_each_results,
  sumResample(0, 6, 1)(toInt128(number), block) AS own_each_total,
  sumResample(0, 6, 1)(toInt256(toInt128(number) * number), block) AS own_each_squares
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND ((toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date} AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}) OR (toDate(dtime) BETWEEN {"2025-12-01":Date} AND {"2025-12-31":Date} AND local_second BETWEEN {1764547200:Int64} AND {1767225599:Int64}))
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY own_bucket, own_side, own_agent
)
)
)
)
)
)
)
GROUP BY own_bucket, own_side
)
)
)
)
)
)
)
)
)
)
)
)
)
WHERE side = 1
ORDER BY bucket
LIMIT {101:UInt32}
