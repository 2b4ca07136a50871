SELECT
  split1 AS shown_split1,
  nullIf(dictGet('bg.isps', 'name', toUInt64(split2)), '') AS shown_split2,
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count / 1e12 AS metricValue,
  arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {30:UInt8} * (1 - 1e-12), 'few_agents', ''), if(agent_count > 1 AND largest_share > 0.25 * (1 + 1e-12), 'dominated', '')]) AS caution,
  results_without_plan AS resultsWithoutPlan,
  compared_numbers AS compared
FROM (
SELECT *,
  [toFloat64(own_side.1), toFloat64(base_side.1), toFloat64(own_side.2), toFloat64(base_side.2), toFloat64(shared_agents), toFloat64(own_side.3), toFloat64(base_side.3), toFloat64(arraySum(d -> d * d, own_side.5)), toFloat64(arraySum(d -> d * d, base_side.5)), toFloat64(arraySum(d -> d * d, changes.1)), toFloat64(arraySum(d -> d * d, changes.2)), toFloat64((ifNull(split2 IN {[1]:Array(UInt32)}, 0) AND has_plan))] AS compared_numbers
FROM (
SELECT *,
  length(own_matched) AS shared_agents,
  (arrayMap((a, b) -> b - a, base_side.5, own_side.5), arrayMap((a, b) -> b / own_side.1 - a / base_side.1, base_side.5, own_side.5)) AS changes
FROM (
SELECT *,
  (toFloat64(toFloat64(base_sums.2) / base_sums.1 / 1e12), toFloat64(length(base_matched)), (toFloat64(toInt256(base_sums.1) * base_sums.1) / toFloat64(base_sums.3) - 1), arrayMap(p -> p.3, base_matched), arrayMap(p -> toFloat64((sqrt((toFloat64(length(base_matched)) - 1) / toFloat64(length(base_matched))) * (toFloat64(toInt256(p.1) * base_sums.2 - toInt256(p.2) * base_sums.1) / base_sums.1 / (base_sums.1 - p.1))) / 1e12), base_matched)) AS base_side,
  (toFloat64(toFloat64(own_sums.2) / own_sums.1 / 1e12), toFloat64(length(own_matched)), (toFloat64(toInt256(own_sums.1) * own_sums.1) / toFloat64(own_sums.3) - 1), arrayMap(p -> p.3, own_matched), arrayMap(p -> toFloat64((sqrt((toFloat64(length(own_matched)) - 1) / toFloat64(length(own_matched))) * (toFloat64(toInt256(p.1) * own_sums.2 - toInt256(p.2) * own_sums.1) / own_sums.1 / (own_sums.1 - p.1))) / 1e12), own_matched)) AS own_side
FROM (
SELECT *,
  (arrayReduce('sum', arrayMap(p -> p.1, base_matched)), arrayReduce('sum', arrayMap(p -> p.2, base_matched)), arrayReduce('sum', arrayMap(p -> toInt256(p.1) * p.1, base_matched))) AS base_sums,
  (arrayReduce('sum', arrayMap(p -> p.1, own_matched)), arrayReduce('sum', arrayMap(p -> p.2, own_matched)), arrayReduce('sum', arrayMap(p -> toInt256(p.1) * p.1, own_matched))) AS own_sums
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
  arraySort(s -> s.1, arrayConcat(arrayMap(p -> (p.3, toUInt8(0), p), base_pairs), arrayMap(p -> (p.3, toUInt8(1), p), pairs))) AS both
FROM (
SELECT *,
  (anyIf(pairs, (ifNull(split2 IN {[1]:Array(UInt32)}, 0) AND has_plan)) OVER (PARTITION BY bucket, split1)) AS base_pairs
FROM (
SELECT *,
  (sumIf(sample_count, NOT has_plan) OVER (PARTITION BY bucket, split1, split2)) AS results_without_plan
FROM (
SELECT *,
  (agent_count - 1) / agent_count * arraySum(arraySort(arrayMap(p -> pow(toFloat64(toInt256(p.1) * total - toInt256(p.2) * sample_count) / sample_count / (sample_count - p.1), 2), pairs))) AS agent_variance,
  toFloat64(toInt256(sample_count) * sample_count) / toFloat64(weight_squares) AS effective_agents,
  greatest(1, toFloat64(toInt256(sample_count) * sample_count) / toFloat64(weight_squares) - 1) AS freedom,
  toFloat64(largest_weight) / toFloat64(sample_count) AS largest_share
FROM (
SELECT
  bucket,
  split1,
  split2,
  has_plan,
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
  max(own_sample_count) AS largest_weight
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  if(toDate(dtime) >= dictGet('bg.package_speeds', ('current_from', 'current_download'), toUInt64(arrayMap(k -> dictGetOrDefault('bg.spans', 'package_id', k, dictGet('bg.spans_recent', 'package_id', k)), [span])[1])).1, dictGet('bg.package_speeds', ('current_from', 'current_download'), toUInt64(arrayMap(k -> dictGetOrDefault('bg.spans', 'package_id', k, dictGet('bg.spans_recent', 'package_id', k)), [span])[1])).2, arrayMap(history -> history.2[arrayLastIndex(d -> d <= toDate(dtime), history.1)], [dictGet('bg.package_speeds', ('days', 'download'), toUInt64(arrayMap(k -> dictGetOrDefault('bg.spans', 'package_id', k, dictGet('bg.spans_recent', 'package_id', k)), [span])[1]))])[1]) AS plan_speed,
  toInt128(assumeNotNull(intDiv(toInt128(bytes_sec) * 800000000000000 + if(bytes_sec < 0, -1, 1) * intDiv(toInt128(greatest(plan_speed, 1)), 2), toInt128(greatest(plan_speed, 1))))) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  threads AS split1,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'isp_id', k, dictGet('bg.spans_recent', 'isp_id', k)), [span])[1] AS split2,
  plan_speed > 0 AS has_plan,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(number) * number) AS own_squares,
  groupArray(toFloat64(number)) AS own_levels,
  agent AS own_agent
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1, split2, has_plan, own_agent
)
GROUP BY bucket, split1, split2, has_plan
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
WHERE has_plan
ORDER BY shown_split1 ASC NULLS LAST, shown_split2 ASC NULLS LAST, bucket
LIMIT {101:UInt32}
