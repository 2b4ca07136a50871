SELECT
  agent_count AS agentCount,
  bin_edges AS histogram_edges,
  bin_counts AS histogram_counts,
  below_bins AS histogram_below,
  above_bins AS histogram_above,
  agents_below AS agentsBelowMinimum,
  results_without_plan AS resultsWithoutPlan
FROM (
SELECT *,
  (sumIf(all_results, NOT has_plan) OVER (PARTITION BY bucket)) AS results_without_plan
FROM (
SELECT *,
  {p1:Array(Float64)} AS bin_edges,
  arraySlice(all_bins, 2, 2 - 1) AS bin_counts,
  all_bins[1] AS below_bins,
  all_bins[-1] AS above_bins
FROM (
SELECT *,
  arrayMap(bin -> bins.2[indexOf(bins.1, bin)], range(2 + 1)) AS all_bins
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
  own_has_plan AS has_plan,
  countIf(own_counts) AS agent_count,
  countIf(NOT own_counts) AS agents_below,
  countIf(own_counts AND isNotNull(dictGet('broadgauge.agents', 'unit_id', own_agent))) AS unit_count,
  sumIf(own_results, own_counts) AS sample_count,
  arraySort(groupArrayIf(own_value, own_counts)) AS agent_values,
  sum(own_results) AS all_results,
  sumMapIf([toUInt8(transform(roundDown(own_value, {p2:Array(Float64)}), {p2:Array(Float64)}, {p3:Array(UInt8)}, 0) - (own_value < {p2:Array(Float64)}[1]) - (own_value = {p2:Array(Float64)}[-1]))], [toUInt64(1)], own_counts) AS bins
FROM (
SELECT *,
  sample_count AS own_results,
  toFloat64(found) / 1e12 AS own_value,
  sample_count >= {p4:UInt32} AS own_counts
FROM (
SELECT
  own_bucket,
  own_has_plan,
  own_agent,
  own_sample_count AS sample_count,
  own_found AS found
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p5:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  if(toDate(dtime) >= dictGet('broadgauge.package_speeds', ('current_from', 'current_download'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1])).1, dictGet('broadgauge.package_speeds', ('current_from', 'current_download'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1])).2, arrayMap(history -> history.2[arrayLastIndex(d -> d <= toDate(dtime), history.1)], [dictGet('broadgauge.package_speeds', ('days', 'download'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1]))])[1]) AS plan_speed,
  toInt128(assumeNotNull(intDiv(toInt128(bytes_sec) * 800000000000000 + if(bytes_sec < 0, -1, 1) * intDiv(toInt128(greatest(plan_speed, 1)), 2), toInt128(greatest(plan_speed, 1))))) AS number
SELECT
  toUInt8(0) AS own_bucket,
  plan_speed > 0 AS own_has_plan,
  agent AS own_agent,
  count() AS own_sample_count,
  quantileExactInclusive(0.5)(toFloat64(number)) AS own_found
FROM broadgauge.httpget
WHERE panel IN {p6:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p7:Date} AND {p8:Date}
  AND local_second BETWEEN {p9:Int64} AND {p10:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
  AND toUInt8(intDiv(local_second % 86400, 3600)) IN {p11:Array(UInt8)}
  AND toDayOfWeek(toDate(toUInt16(intDiv(local_second, 86400)))) IN {p12:Array(UInt8)}
GROUP BY own_bucket, own_has_plan, own_agent
)
)
)
GROUP BY own_bucket, own_has_plan
)
)
)
)
)
)
)
WHERE has_plan
ORDER BY bucket
LIMIT {p13:UInt32}
