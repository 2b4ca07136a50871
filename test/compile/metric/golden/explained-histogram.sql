SELECT
  toString(bucket) AS dtime,
  if(is_kept, sample_count, 0) AS sampleCount,
  if(is_kept, bin_edges, bin_edges) AS histogram_edges,
  if(is_kept, bin_counts, arrayWithConstant(length(bin_counts), toUInt64(0))) AS histogram_counts,
  if(is_kept, below_bins, toUInt64(0)) AS histogram_below,
  if(is_kept, above_bins, toUInt64(0)) AS histogram_above,
  prefilter_before AS prefilter_before,
  prefilter_removed AS prefilter_removed,
  prefilter_unfilteredValue AS prefilter_unfilteredValue,
  prefilter_agentsLost AS prefilter_agentsLost,
  prefilter_rules AS prefilter_rules
FROM (
SELECT *,
  toFloat64(all_above) / toFloat64(all_below) * 8 / 1e6 AS prefilter_unfilteredValue,
  CAST([('no-throughput', 1, all_matched[1], all_alone[1]), ('above-10-gigabit', 1, all_matched[2], all_alone[2]), ('no-warm-up', 1, all_matched[3], all_alone[3])], 'Array(Tuple(name String, version UInt16, matched UInt64, alone UInt64))') AS prefilter_rules
FROM (
SELECT *,
  (max(is_kept) OVER (PARTITION BY bucket)) AS has_kept,
  (sum(sample_count) OVER (PARTITION BY bucket)) AS prefilter_before,
  (sumIf(sample_count, NOT is_kept) OVER (PARTITION BY bucket)) AS prefilter_removed,
  toUInt64((groupBitmapMerge(point_agents) OVER (PARTITION BY bucket)) - (sumIf(agent_count, is_kept) OVER (PARTITION BY bucket))) AS prefilter_agentsLost,
  (sumForEach(matched) OVER (PARTITION BY bucket)) AS all_matched,
  (sumForEach(alone) OVER (PARTITION BY bucket)) AS all_alone,
  (sum(total) OVER (PARTITION BY bucket)) AS all_above,
  (sum(sample_count) OVER (PARTITION BY bucket)) AS all_below
FROM (
SELECT *,
  {[80]:Array(Float64)} AS bin_edges,
  arraySlice(all_bins, 2, 1 - 1) AS bin_counts,
  all_bins[1] AS below_bins,
  all_bins[-1] AS above_bins
FROM (
SELECT *,
  arrayMap(bin -> bins.2[indexOf(bins.1, bin)], range(1 + 1)) AS all_bins
FROM (
SELECT
  bucket,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  quantilesExactInclusiveArray(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(own_levels) AS levels,
  sumMap(own_bins, arrayWithConstant(length(own_bins), toUInt64(1))) AS bins,
  count() AS agent_count,
  countIf(isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
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
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
  groupArray(number) AS own_levels,
  groupArray(toUInt8(transform(roundDown(toFloat64(number) * 8 / 1e6, {[80]:Array(Float64)}), {[80]:Array(Float64)}, {[1]:Array(UInt8)}, 0) - (toFloat64(number) * 8 / 1e6 < {[80]:Array(Float64)}[1]))) AS own_bins,
  agent AS own_agent,
  toUInt16(0 + 1 * (ifNull(bytes_sec <= 0, false)) + 2 * (ifNull(bytes_sec > 1250000000, false)) + 4 * (ifNull(isNull(warmup_time) OR warmup_time <= 0, false))) AS own_rules
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, own_agent, own_rules
)
GROUP BY bucket, is_kept
)
)
)
)
)
WHERE is_kept OR NOT has_kept
ORDER BY bucket
LIMIT {101:UInt32}
