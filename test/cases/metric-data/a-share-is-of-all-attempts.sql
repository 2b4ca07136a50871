SELECT
  toString(bucket) AS dtime,
  100 * toFloat64(numerators) / toFloat64(denominators) AS metricValue,
  sqrt(variance) AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(agent_variance = 0 AND (failing_agents = 0 OR passing_agents = 0), 100 * (1 - pow({p1:Float64}, 1 / effective_agents)), if(freedom > {p2:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p3:Array(Float64)}, range(5)), {p4:Array(Float64)}[toUInt16(floor(freedom))] + ({p4:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p5:UInt16})] - {p4:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance)) + if(agent_count < 2, NULL, 0) AS ci90,
  if(agent_variance = 0 AND (failing_agents = 0 OR passing_agents = 0), 100 * (1 - pow({p6:Float64}, 1 / effective_agents)), if(freedom > {p7:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p8:Array(Float64)}, range(5)), {p9:Array(Float64)}[toUInt16(floor(freedom))] + ({p9:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p10:UInt16})] - {p9:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance)) + if(agent_count < 2, NULL, 0) AS ci95,
  if(agent_variance = 0 AND (failing_agents = 0 OR passing_agents = 0), 100 * (1 - pow({p11:Float64}, 1 / effective_agents)), if(freedom > {p12:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p13:Array(Float64)}, range(5)), {p14:Array(Float64)}[toUInt16(floor(freedom))] + ({p14:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p15:UInt16})] - {p14:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance)) + if(agent_count < 2, NULL, 0) AS ci99,
  toFloat64(least) AS min,
  toFloat64(greatest) AS max,
  levels[6] AS median,
  arrayMap(level -> level, levels) AS percentiles,
  arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {p16:UInt8} * (1 - 1e-12), 'few_agents', ''), if(agent_count > 1 AND largest_share > 0.25 * (1 + 1e-12), 'dominated', ''), if(failing_agents < {p17:UInt8} OR passing_agents < {p17:UInt8}, 'few_failures', '')]) AS caution
FROM (
SELECT *,
  toInt256(denominators) * denominators * numerator_squares - 2 * toInt256(numerators) * denominators * products + toInt256(numerators) * numerators * denominator_squares AS residuals,
  (agent_count - 1) / agent_count * arraySum(arraySort(arrayMap(p -> pow(100 * toFloat64(toInt256(p.1) * numerators - toInt256(p.2) * denominators) / toFloat64(denominators) / toFloat64(denominators - p.1), 2), pairs))) AS agent_variance,
  toFloat64(toInt256(denominators) * denominators) / toFloat64(weight_squares) AS effective_agents,
  greatest(1, toFloat64(toInt256(denominators) * denominators) / toFloat64(weight_squares) - 1) AS freedom,
  toFloat64(largest_weight) / toFloat64(denominators) AS largest_share
FROM (
SELECT
  bucket,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_numerators) AS numerators,
  sum(own_denominators) AS denominators,
  sum(own_numerator_squares) AS numerator_squares,
  sum(own_products) AS products,
  sum(own_denominator_squares) AS denominator_squares,
  sum(own_percentages) AS percentages,
  sum(own_percentage_squares) AS percentage_squares,
  quantilesExactInclusiveArray(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(own_levels) AS levels,
  toFloat64(toInt256(sample_count) * percentage_squares - toInt256(percentages) * percentages) / sample_count / sample_count / 1e24 AS variance,
  count() AS agent_count,
  countIf(isNotNull(dictGet('broadgauge.agents', 'unit_id', own_agent))) AS unit_count,
  groupArray((own_denominators, own_numerators)) AS pairs,
  sum(toInt256(own_denominators) * own_denominators) AS weight_squares,
  max(own_denominators) AS largest_weight,
  countIf(own_numerators > 0) AS failing_agents,
  countIf(own_denominators > own_numerators) AS passing_agents
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p18:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(failures)) AS numerator,
  toInt64(assumeNotNull(successes + failures)) AS denominator,
  100 * numerator / denominator AS percentage
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  count() AS own_sample_count,
  min(percentage) AS own_least,
  max(percentage) AS own_greatest,
  sum(toInt128(numerator)) AS own_numerators,
  sum(toInt128(denominator)) AS own_denominators,
  sum(toInt256(toInt128(numerator) * numerator)) AS own_numerator_squares,
  sum(toInt256(toInt128(numerator) * denominator)) AS own_products,
  sum(toInt256(toInt128(denominator) * denominator)) AS own_denominator_squares,
  sum(toInt128(round(percentage * 1e12))) AS own_percentages,
  sum(toInt256(toInt128(round(percentage * 1e12))) * toInt128(round(percentage * 1e12))) AS own_percentage_squares,
  groupArray(percentage) AS own_levels,
  agent AS own_agent
FROM broadgauge.latency
WHERE panel IN {p19:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p20:Date} AND {p21:Date}
  AND local_second BETWEEN {p22:Int64} AND {p23:Int64}
  AND successes + failures > 0
  AND isNotNull(failures)
GROUP BY bucket, own_agent
)
GROUP BY bucket
)
)
ORDER BY bucket
LIMIT {p24:UInt32}
