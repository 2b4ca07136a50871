SELECT
  toString(bucket) AS dtime,
  mean + if(agent_count = 0, NULL, 0) AS metricValue,
  sqrt(squares / agent_count) + if(agent_count = 0, NULL, 0) AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(freedom > {p1:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p2:Array(Float64)}, range(5)), {p3:Array(Float64)}[toUInt16(floor(freedom))] + ({p3:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p4:UInt16})] - {p3:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count)) + if(agent_count < 2, NULL, 0) AS ci90,
  if(freedom > {p5:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p6:Array(Float64)}, range(5)), {p7:Array(Float64)}[toUInt16(floor(freedom))] + ({p7:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p8:UInt16})] - {p7:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count)) + if(agent_count < 2, NULL, 0) AS ci95,
  if(freedom > {p9:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p10:Array(Float64)}, range(5)), {p11:Array(Float64)}[toUInt16(floor(freedom))] + ({p11:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p12:UInt16})] - {p11:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count)) + if(agent_count < 2, NULL, 0) AS ci99,
  least + if(agent_count = 0, NULL, 0) AS min,
  greatest + if(agent_count = 0, NULL, 0) AS max,
  levels[6] + if(agent_count = 0, NULL, 0) AS median,
  if(agent_count = 0, arrayWithConstant(11, NULL), levels) AS percentiles,
  sqrt((squares / (agent_count - 1) / agent_count)) + if(agent_count < 2, NULL, 0) AS standardError,
  effective_agents AS effectiveAgents,
  freedom + if(agent_count < 2, NULL, 0) AS degreesOfFreedom,
  [arrayPushFront(arraySlice(agent_values, near_ranks[1], 3), toFloat64(near_ranks[1])), arrayPushFront(arraySlice(agent_values, near_ranks[2], 3), toFloat64(near_ranks[2])), arrayPushFront(arraySlice(agent_values, near_ranks[3], 3), toFloat64(near_ranks[3])), arrayPushFront(arraySlice(agent_values, near_ranks[4], 3), toFloat64(near_ranks[4])), arrayPushFront(arraySlice(agent_values, near_ranks[5], 3), toFloat64(near_ranks[5])), arrayPushFront(arraySlice(agent_values, near_ranks[6], 3), toFloat64(near_ranks[6])), arrayPushFront(arraySlice(agent_values, near_ranks[7], 3), toFloat64(near_ranks[7])), arrayPushFront(arraySlice(agent_values, near_ranks[8], 3), toFloat64(near_ranks[8])), arrayPushFront(arraySlice(agent_values, near_ranks[9], 3), toFloat64(near_ranks[9])), arrayPushFront(arraySlice(agent_values, near_ranks[10], 3), toFloat64(near_ranks[10])), arrayPushFront(arraySlice(agent_values, near_ranks[11], 3), toFloat64(near_ranks[11])), arrayPushFront(arraySlice(agent_values, near_ranks[12], 3), toFloat64(near_ranks[12])), arrayPushFront(arraySlice(agent_values, near_ranks[13], 3), toFloat64(near_ranks[13])), arrayPushFront(arraySlice(agent_values, near_ranks[14], 3), toFloat64(near_ranks[14])), arrayPushFront(arraySlice(agent_values, near_ranks[15], 3), toFloat64(near_ranks[15])), arrayPushFront(arraySlice(agent_values, near_ranks[16], 3), toFloat64(near_ranks[16])), arrayPushFront(arraySlice(agent_values, near_ranks[17], 3), toFloat64(near_ranks[17])), arrayPushFront(arraySlice(agent_values, near_ranks[18], 3), toFloat64(near_ranks[18])), arrayPushFront(arraySlice(agent_values, near_ranks[19], 3), toFloat64(near_ranks[19])), arrayPushFront(arraySlice(agent_values, near_ranks[20], 3), toFloat64(near_ranks[20])), arrayPushFront(arraySlice(agent_values, near_ranks[21], 3), toFloat64(near_ranks[21])), arrayPushFront(arraySlice(agent_values, near_ranks[22], 3), toFloat64(near_ranks[22]))] AS exactValues,
  agents_reaching AS reachingAgents,
  agent_count AS exactAgents,
  agents_below AS agentsBelowMinimum,
  if(agent_count = 0, emptyArrayString(), arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {p13:UInt8} * (1 - 1e-12), 'few_agents', '')])) AS caution
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
  greatest(1, toFloat64(agent_count) - 1) AS freedom,
  arrayReduce('quantilesExactInclusive(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)', agent_values) AS levels,
  arrayConcat(arrayMap(p -> greatest(toInt64(ceil(agent_count * p + {p14:Float64} * sqrt(agent_count * p * (1 - p)) + {p15:Float64} * (1 - 2 * p) - 0.5)) + -1, 1), [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99]), arrayMap(p -> greatest(toInt64(ceil(agent_count * p + {p16:Float64} * sqrt(agent_count * p * (1 - p)) + {p17:Float64} * (1 - 2 * p) - 0.5)) + 0, 1), [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99])) AS near_ranks
FROM (
SELECT
  own_bucket AS bucket,
  countIf(own_counts) AS agent_count,
  countIf(NOT own_counts) AS agents_below,
  countIf(own_counts AND isNotNull(dictGet('broadgauge.agents', 'unit_id', own_agent))) AS unit_count,
  sumIf(own_results, own_counts) AS sample_count,
  arraySort(groupArrayIf(own_value, own_counts)) AS agent_values,
  countIf(own_counts AND own_value >= {p18:Float64}) AS agents_reaching
FROM (
SELECT *,
  sample_count AS own_results,
  toFloat64(total) / sample_count * 8 / 1e6 AS own_value,
  sample_count >= {p19:UInt32} AS own_counts
FROM (
SELECT
  own_bucket,
  own_agent,
  own_sample_count AS sample_count,
  own_least AS least,
  own_greatest AS greatest,
  own_total AS total,
  own_squares AS squares
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p20:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS own_bucket,
  agent AS own_agent,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares
FROM broadgauge.httpget
WHERE panel IN {p21:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p22:Date} AND {p23:Date}
  AND local_second BETWEEN {p24:Int64} AND {p25:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY own_bucket, own_agent
)
)
)
GROUP BY own_bucket
)
)
)
)
ORDER BY bucket
LIMIT {p26:UInt32}
