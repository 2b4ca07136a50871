SELECT
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count * 8 / 1e6 + if(NOT is_kept, NULL, 0) AS metricValue,
  if(is_kept, arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {30:UInt8} * (1 - 1e-12), 'few_agents', ''), if(agent_count > 1 AND largest_share > 0.25 * (1 + 1e-12), 'dominated', '')]), []) AS caution,
  prefilter_before AS prefilter_before,
  prefilter_removed AS prefilter_removed,
  prefilter_unfilteredValue AS prefilter_unfilteredValue,
  prefilter_agentsLost AS prefilter_agentsLost,
  prefilter_rules AS prefilter_rules,
  compared_numbers AS compared
FROM (
SELECT *,
  [toFloat64(own_side.1), toFloat64(base_side.1), toFloat64(own_side.2), toFloat64(base_side.2), toFloat64(shared_agents), toFloat64(own_side.3), toFloat64(base_side.3), toFloat64(arraySum(d -> d * d, own_side.5)), toFloat64(arraySum(d -> d * d, base_side.5)), toFloat64(arraySum(d -> d * d, changes.1)), toFloat64(arraySum(d -> d * d, changes.2)), toFloat64(((side = 0 AND is_kept) OR NOT is_kept))] AS compared_numbers
FROM (
SELECT *,
  length(arrayIntersect(own_side.4, base_side.4)) AS shared_agents,
  arrayMap(sums -> (sums.2, sums.3), [arrayReduce('sumMap', [arrayConcat(own_side.4, base_side.4)], [arrayConcat(own_side.5, arrayMap(d -> -d, base_side.5))], [arrayConcat(arrayMap(d -> d / own_side.1, own_side.5), arrayMap(d -> -d / base_side.1, base_side.5))])])[1] AS changes
FROM (
SELECT *,
  (anyIf(own_side, (side = 0 AND is_kept)) OVER (PARTITION BY bucket)) AS base_side
FROM (
SELECT *,
  (toFloat64(toFloat64(total) / sample_count * 8 / 1e6), agent_count, effective_agents - 1, arrayMap(p -> p.3, pairs), arrayMap(p -> toFloat64((sqrt((agent_count - 1) / agent_count) * (toFloat64(toInt256(p.1) * total - toInt256(p.2) * sample_count) / sample_count / (sample_count - p.1))) * 8 / 1e6), pairs)) AS own_side
FROM (
SELECT *,
  toFloat64(all_above) / toFloat64(all_below) * 8 / 1e6 AS prefilter_unfilteredValue,
  CAST([('no-throughput', 1, all_matched[1], all_alone[1]), ('above-10-gigabit', 1, all_matched[2], all_alone[2]), ('no-warm-up', 1, all_matched[3], all_alone[3])], 'Array(Tuple(name String, version UInt16, matched UInt64, alone UInt64))') AS prefilter_rules
FROM (
SELECT *,
  (max(is_kept) OVER (PARTITION BY bucket, side)) AS has_kept,
  (sum(sample_count) OVER (PARTITION BY bucket, side)) AS prefilter_before,
  (sumIf(sample_count, NOT is_kept) OVER (PARTITION BY bucket, side)) AS prefilter_removed,
  toUInt64((groupBitmapMerge(point_agents) OVER (PARTITION BY bucket, side)) - (sumIf(agent_count, is_kept) OVER (PARTITION BY bucket, side))) AS prefilter_agentsLost,
  (sumForEach(matched) OVER (PARTITION BY bucket, side)) AS all_matched,
  (sumForEach(alone) OVER (PARTITION BY bucket, side)) AS all_alone,
  (sum(total) OVER (PARTITION BY bucket, side)) AS all_above,
  (sum(sample_count) OVER (PARTITION BY bucket, side)) AS all_below
FROM (
SELECT *,
  (agent_count - 1) / agent_count * arraySum(arraySort(arrayMap(p -> pow(toFloat64(toInt256(p.1) * total - toInt256(p.2) * sample_count) / sample_count / (sample_count - p.1), 2), pairs))) AS agent_variance,
  toFloat64(toInt256(sample_count) * sample_count) / toFloat64(weight_squares) AS effective_agents,
  greatest(1, toFloat64(toInt256(sample_count) * sample_count) / toFloat64(weight_squares) - 1) AS freedom,
  toFloat64(largest_weight) / toFloat64(sample_count) AS largest_share
FROM (
SELECT
  bucket,
  side,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  quantilesExactInclusiveArray(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(own_levels) AS levels,
  count() AS agent_count,
  countIf(isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  arraySort(p -> p.3, groupArray((own_sample_count, own_total, own_agent))) AS pairs,
  sum(toInt256(own_sample_count) * own_sample_count) AS weight_squares,
  max(own_sample_count) AS largest_weight,
  own_rules = 0 AS is_kept,
  [sumIf(own_sample_count, bitAnd(own_rules, 1) > 0), sumIf(own_sample_count, bitAnd(own_rules, 2) > 0), sumIf(own_sample_count, bitAnd(own_rules, 4) > 0)] AS matched,
  [sumIf(own_sample_count, own_rules = 1), sumIf(own_sample_count, own_rules = 2), sumIf(own_sample_count, own_rules = 4)] AS alone,
  groupBitmapState(own_agent) AS point_agents
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toUInt8((local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64})) AS row_side,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400) + if(row_side = 0, 31, 0))) AS bucket,
  row_side AS side,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
  groupArray(number) AS own_levels,
  agent AS own_agent,
  toUInt16(0 + 1 * (ifNull(bytes_sec <= 0, false)) + 2 * (ifNull(bytes_sec > 1250000000, false)) + 4 * (ifNull(isNull(warmup_time) OR warmup_time <= 0, false))) AS own_rules
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND ((toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date} AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}) OR (toDate(dtime) BETWEEN {"2025-12-01":Date} AND {"2025-12-31":Date} AND local_second BETWEEN {1764547200:Int64} AND {1767225599:Int64}))
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, side, own_agent, own_rules
)
GROUP BY bucket, side, is_kept
)
)
)
)
)
)
)
)
WHERE side = 1 AND (is_kept OR NOT has_kept)
ORDER BY bucket
LIMIT {101:UInt32}
