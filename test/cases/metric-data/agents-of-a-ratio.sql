SELECT
  toString(bucket) AS dtime,
  mean + if(agent_count = 0, NULL, 0) AS metricValue,
  sqrt(squares / agent_count) + if(agent_count = 0, NULL, 0) AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(squares = 0 AND (failing_agents = 0 OR passing_agents = 0), 100 * (1 - pow({p1:Float64}, 1 / effective_agents)), if(freedom > {p2:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p3:Array(Float64)}, range(5)), {p4:Array(Float64)}[toUInt16(floor(freedom))] + ({p4:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p5:UInt16})] - {p4:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count))) + if(agent_count < 2, NULL, 0) AS ci90,
  if(squares = 0 AND (failing_agents = 0 OR passing_agents = 0), 100 * (1 - pow({p6:Float64}, 1 / effective_agents)), if(freedom > {p7:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p8:Array(Float64)}, range(5)), {p9:Array(Float64)}[toUInt16(floor(freedom))] + ({p9:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p10:UInt16})] - {p9:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count))) + if(agent_count < 2, NULL, 0) AS ci95,
  if(squares = 0 AND (failing_agents = 0 OR passing_agents = 0), 100 * (1 - pow({p11:Float64}, 1 / effective_agents)), if(freedom > {p12:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p13:Array(Float64)}, range(5)), {p14:Array(Float64)}[toUInt16(floor(freedom))] + ({p14:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p15:UInt16})] - {p14:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count))) + if(agent_count < 2, NULL, 0) AS ci99,
  least + if(agent_count = 0, NULL, 0) AS min,
  greatest + if(agent_count = 0, NULL, 0) AS max,
  levels[6] + if(agent_count = 0, NULL, 0) AS median,
  if(agent_count = 0, arrayWithConstant(11, NULL), levels) AS percentiles,
  agents_below AS agentsBelowMinimum,
  if(agent_count = 0, emptyArrayString(), arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {p16:UInt8} * (1 - 1e-12), 'few_agents', ''), if(failing_agents < {p17:UInt8} OR passing_agents < {p17:UInt8}, 'few_failures', '')])) AS caution
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
  arrayReduce('quantilesExactInclusive(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)', agent_values) AS levels
FROM (
SELECT
  own_bucket AS bucket,
  countIf(own_counts) AS agent_count,
  countIf(NOT own_counts) AS agents_below,
  countIf(own_counts AND isNotNull(dictGet('broadgauge.agents', 'unit_id', own_agent))) AS unit_count,
  sumIf(own_results, own_counts) AS sample_count,
  arraySort(groupArrayIf(own_value, own_counts)) AS agent_values,
  countIf(own_counts AND own_fails) AS failing_agents,
  countIf(own_counts AND own_passes) AS passing_agents
FROM (
SELECT *,
  sample_count AS own_results,
  100 * toFloat64(numerators) / toFloat64(denominators) AS own_value,
  sample_count >= {p18:UInt32} AS own_counts
FROM (
SELECT *,
  toInt256(denominators) * denominators * numerator_squares - 2 * toInt256(numerators) * denominators * products + toInt256(numerators) * numerators * denominator_squares AS residuals
FROM (
SELECT
  own_bucket,
  own_agent,
  own_sample_count AS sample_count,
  own_least AS least,
  own_greatest AS greatest,
  own_numerators AS numerators,
  own_denominators AS denominators,
  own_numerator_squares AS numerator_squares,
  own_products AS products,
  own_denominator_squares AS denominator_squares,
  own_percentages AS percentages,
  own_percentage_squares AS percentage_squares,
  toFloat64(toInt256(sample_count) * percentage_squares - toInt256(percentages) * percentages) / sample_count / sample_count / 1e24 AS variance,
  own_numerators > 0 AS own_fails,
  own_denominators > own_numerators AS own_passes
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p19:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(failures)) AS numerator,
  toInt64(assumeNotNull(successes + failures)) AS denominator,
  100 * numerator / denominator AS percentage
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS own_bucket,
  agent AS own_agent,
  count() AS own_sample_count,
  min(percentage) AS own_least,
  max(percentage) AS own_greatest,
  sum(toInt128(numerator)) AS own_numerators,
  sum(toInt128(denominator)) AS own_denominators,
  sum(toInt256(toInt128(numerator) * numerator)) AS own_numerator_squares,
  sum(toInt256(toInt128(numerator) * denominator)) AS own_products,
  sum(toInt256(toInt128(denominator) * denominator)) AS own_denominator_squares,
  sum(toInt128(round(percentage * 1e12))) AS own_percentages,
  sum(toInt256(toInt128(round(percentage * 1e12))) * toInt128(round(percentage * 1e12))) AS own_percentage_squares
FROM broadgauge.latency
WHERE panel IN {p20:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p21:Date} AND {p22:Date}
  AND local_second BETWEEN {p23:Int64} AND {p24:Int64}
  AND successes + failures > 0
  AND isNotNull(failures)
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
LIMIT {p25:UInt32}
