SELECT
  if(split1 = 1, 'peak', 'off_peak') AS shown_split1,
  split2 AS shown_split2,
  split3 AS shown_split3,
  toFloat64(total) / sample_count * 8 / 1e6 AS metricValue,
  sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(freedom > {p1:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p2:Array(Float64)}, range(5)), {p3:Array(Float64)}[toUInt16(floor(freedom))] + ({p3:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p4:UInt16})] - {p3:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci90,
  if(freedom > {p5:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p6:Array(Float64)}, range(5)), {p7:Array(Float64)}[toUInt16(floor(freedom))] + ({p7:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p8:UInt16})] - {p7:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci95,
  if(freedom > {p9:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p10:Array(Float64)}, range(5)), {p11:Array(Float64)}[toUInt16(floor(freedom))] + ({p11:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p12:UInt16})] - {p11:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci99,
  toFloat64(least) * 8 / 1e6 AS min,
  toFloat64(greatest) * 8 / 1e6 AS max,
  levels[6] * 8 / 1e6 AS median,
  arrayMap(level -> level * 8 / 1e6, levels) AS percentiles,
  arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {p13:UInt8} * (1 - 1e-12), 'few_agents', ''), if(agent_count > 1 AND largest_share > 0.25 * (1 + 1e-12), 'dominated', '')]) AS caution
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
  split3,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  quantilesExactInclusiveArray(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(own_levels) AS levels,
  count() AS agent_count,
  countIf(isNotNull(dictGet('broadgauge.agents', 'unit_id', own_agent))) AS unit_count,
  groupArray((own_sample_count, own_total)) AS pairs,
  sum(toInt256(own_sample_count) * own_sample_count) AS weight_squares,
  max(own_sample_count) AS largest_weight
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p14:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toUInt8(0) AS bucket,
  toUInt8(toUInt8(intDiv(local_second % 86400, 3600)) IN {p15:Array(UInt8)}) AS split1,
  toUInt8(intDiv(local_second % 86400, 3600)) AS split2,
  toDayOfWeek(toDate(toUInt16(intDiv(local_second, 86400)))) AS split3,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
  groupArray(number) AS own_levels,
  agent AS own_agent
FROM broadgauge.httpget
WHERE panel IN {p16:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p17:Date} AND {p18:Date}
  AND local_second BETWEEN {p19:Int64} AND {p20:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1, split2, split3, own_agent
)
GROUP BY bucket, split1, split2, split3
)
)
ORDER BY shown_split1 ASC NULLS LAST, shown_split2 ASC NULLS LAST, shown_split3 ASC NULLS LAST, bucket
LIMIT {p21:UInt32}
