SELECT
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count * 8 / 1e6 + if(NOT is_kept, NULL, 0) AS metricValue,
  sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 + if(NOT is_kept, NULL, 0) AS stdDev,
  if(is_kept, sample_count, 0) AS sampleCount,
  if(is_kept, agent_count, 0) AS agentCount,
  if(is_kept, unit_count, 0) AS unitCount,
  if(freedom > {p1:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p2:Array(Float64)}, range(5)), {p3:Array(Float64)}[toUInt16(floor(freedom))] + ({p3:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p4:UInt16})] - {p3:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) + if(NOT is_kept, NULL, 0) AS ci90,
  if(freedom > {p5:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p6:Array(Float64)}, range(5)), {p7:Array(Float64)}[toUInt16(floor(freedom))] + ({p7:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p8:UInt16})] - {p7:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) + if(NOT is_kept, NULL, 0) AS ci95,
  if(freedom > {p9:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p10:Array(Float64)}, range(5)), {p11:Array(Float64)}[toUInt16(floor(freedom))] + ({p11:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p12:UInt16})] - {p11:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) + if(NOT is_kept, NULL, 0) AS ci99,
  toFloat64(least) * 8 / 1e6 + if(NOT is_kept, NULL, 0) AS min,
  toFloat64(greatest) * 8 / 1e6 + if(NOT is_kept, NULL, 0) AS max,
  if(is_kept, arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {p13:UInt8} * (1 - 1e-12), 'few_agents', ''), if(agent_count > 1 AND largest_share > 0.25 * (1 + 1e-12), 'dominated', '')]), []) AS caution,
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
  (agent_count - 1) / agent_count * arraySum(arraySort(arrayMap(p -> pow(toFloat64(toInt256(p.1) * total - toInt256(p.2) * sample_count) / sample_count / (sample_count - p.1), 2), pairs))) AS agent_variance,
  toFloat64(toInt256(sample_count) * sample_count) / toFloat64(weight_squares) AS effective_agents,
  greatest(1, toFloat64(toInt256(sample_count) * sample_count) / toFloat64(weight_squares) - 1) AS freedom,
  toFloat64(largest_weight) / toFloat64(sample_count) AS largest_share
FROM (
SELECT
  bucket,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  count() AS agent_count,
  countIf(isNotNull(dictGet('broadgauge.agents', 'unit_id', own_agent))) AS unit_count,
  groupArray((own_sample_count, own_total)) AS pairs,
  sum(toInt256(own_sample_count) * own_sample_count) AS weight_squares,
  max(own_sample_count) AS largest_weight,
  own_rules = 0 AS is_kept,
  [sumIf(own_sample_count, bitAnd(own_rules, 1) > 0), sumIf(own_sample_count, bitAnd(own_rules, 2) > 0), sumIf(own_sample_count, bitAnd(own_rules, 4) > 0)] AS matched,
  [sumIf(own_sample_count, own_rules = 1), sumIf(own_sample_count, own_rules = 2), sumIf(own_sample_count, own_rules = 4)] AS alone,
  groupBitmapState(own_agent) AS point_agents
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p14:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
  agent AS own_agent,
  toUInt16(0 + 1 * (ifNull(bytes_sec <= 0, false)) + 2 * (ifNull(bytes_sec > 1250000000, false)) + 4 * (ifNull(isNull(warmup_time) OR warmup_time <= 0, false))) AS own_rules
FROM broadgauge.httpget
WHERE panel IN {p15:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p16:Date} AND {p17:Date}
  AND local_second BETWEEN {p18:Int64} AND {p19:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, own_agent, own_rules
)
GROUP BY bucket, is_kept
)
)
)
)
WHERE is_kept OR NOT has_kept
ORDER BY bucket
LIMIT {p20:UInt32}
