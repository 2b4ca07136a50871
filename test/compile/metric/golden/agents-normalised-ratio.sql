SELECT
  toString(bucket) AS dtime,
  mean + if(agent_count = 0, NULL, 0) AS metricValue,
  sqrt(squares / agent_count) + if(agent_count = 0, NULL, 0) AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(squares = 0 AND (failing_agents = 0 OR passing_agents = 0), 100 * (1 - pow({0.04999999999999999:Float64}, 1 / effective_agents)), if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[1.6448536269514722,1.5237691475737816,1.4202029826359421,0.9830015120343027,0.4338764545048993]:Array(Float64)}, range(5)), {[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[toUInt16(floor(freedom))] + ({[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count))) + if(agent_count < 2, NULL, 0) AS ci90,
  if(squares = 0 AND (failing_agents = 0 OR passing_agents = 0), 100 * (1 - pow({0.025000000000000022:Float64}, 1 / effective_agents)), if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[1.959963984540054,2.372271230298562,2.8224986157396112,2.555849679507722,1.5895340533938225]:Array(Float64)}, range(5)), {[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[toUInt16(floor(freedom))] + ({[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count))) + if(agent_count < 2, NULL, 0) AS ci95,
  if(squares = 0 AND (failing_agents = 0 OR passing_agents = 0), 100 * (1 - pow({0.0050000000000000044:Float64}, 1 / effective_agents)), if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[2.5758293035489004,4.9165475986190845,8.834762072162333,12.144295783090252,12.05482431431215]:Array(Float64)}, range(5)), {[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[toUInt16(floor(freedom))] + ({[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count))) + if(agent_count < 2, NULL, 0) AS ci99,
  least + if(agent_count = 0, NULL, 0) AS min,
  greatest + if(agent_count = 0, NULL, 0) AS max,
  agents_below AS agentsBelowMinimum,
  if(agent_count = 0, emptyArrayString(), arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {30:UInt8} * (1 - 1e-12), 'few_agents', ''), if(failing_agents < {50:UInt8} OR passing_agents < {50:UInt8}, 'few_failures', '')])) AS caution
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
  greatest(1, toFloat64(agent_count) - 1) AS freedom
FROM (
SELECT
  own_bucket AS bucket,
  countIf(own_counts) AS agent_count,
  countIf(NOT own_counts) AS agents_below,
  countIf(own_counts AND isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  sumIf(own_results, own_counts) AS sample_count,
  arraySort(groupArrayIf(own_value, own_counts)) AS agent_values,
  countIf(own_counts AND own_fails) AS failing_agents,
  countIf(own_counts AND own_passes) AS passing_agents
FROM (
SELECT *,
  sample_count AS own_results,
  100 * share AS own_value,
  sample_count >= {1:UInt32} AS own_counts
FROM (
SELECT *,
  arraySum((h, v, m) -> h * (v + (m - mean) * (m - mean)), each_hours, each_variance, each_mean) / weight AS variance,
  arraySum((h, n, a, d, aa, ad, dd) -> h * h / n / n * greatest(toFloat64(toInt256(d) * d * aa - 2 * toInt256(a) * d * ad + toInt256(a) * a * dd) / toFloat64(d) / toFloat64(d) + 2 * (toFloat64(a) / toFloat64(d) - share) * toFloat64(toInt256(d) * ad - toInt256(a) * dd) / toFloat64(d) + (toFloat64(a) / toFloat64(d) - share) * (toFloat64(a) / toFloat64(d) - share) * toFloat64(dd), 0), each_hours, each_results, each_numerators, each_denominators, each_numerator_squares, each_products, each_denominator_squares) AS residuals
FROM (
SELECT *,
  weight * weight / arraySum((h, n) -> h * h / n, each_hours, each_results) AS effective,
  weighted_numerators / weighted_denominators AS share,
  arraySum((h, m) -> h * m, each_hours, each_mean) / weight AS mean
FROM (
SELECT *,
  arraySum(each_hours) AS weight,
  arraySum((h, n, x) -> h / n * toFloat64(x), each_hours, each_results, each_numerators) AS weighted_numerators,
  arraySum((h, n, x) -> h / n * toFloat64(x), each_hours, each_results, each_denominators) AS weighted_denominators
FROM (
SELECT
  own_bucket,
  own_agent,
  own_sample_count AS sample_count,
  own_least AS least,
  own_greatest AS greatest,
  own_each_hours AS each_hours,
  arrayMap(n -> greatest(n, 1), own_each_results) AS each_results,
  own_each_numerators AS each_numerators,
  arrayMap(n -> greatest(n, 1), own_each_denominators) AS each_denominators,
  own_each_numerator_squares AS each_numerator_squares,
  own_each_products AS each_products,
  own_each_denominator_squares AS each_denominator_squares,
  own_each_percentages AS each_percentages,
  own_each_percentage_squares AS each_percentage_squares,
  arrayMap((p, n) -> toFloat64(p) / n / 1e12, each_percentages, each_results) AS each_mean,
  arrayMap((p, q, n) -> toFloat64(toInt256(n) * q - toInt256(p) * p) / n / n / 1e24, each_percentages, each_percentage_squares, each_results) AS each_variance,
  arraySum(own_each_numerators) > 0 AS own_fails,
  arraySum(own_each_denominators) > arraySum(own_each_numerators) AS own_passes
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(failures)) AS numerator,
  toInt64(assumeNotNull(successes + failures)) AS denominator,
  100 * numerator / denominator AS percentage,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23]:Array(UInt8)}[local_hour + 1] AS block,
  {[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS own_bucket,
  agent AS own_agent,
  count() AS own_sample_count,
  min(percentage) AS own_least,
  max(percentage) AS own_greatest,
  maxResample(0, 24, 1)(block_hours, block) AS own_each_hours,
  countResample(0, 24, 1)(block) AS own_each_results,
  sumResample(0, 24, 1)(toInt128(numerator), block) AS own_each_numerators,
  sumResample(0, 24, 1)(toInt128(denominator), block) AS own_each_denominators,
  sumResample(0, 24, 1)(toInt256(toInt128(numerator) * numerator), block) AS own_each_numerator_squares,
  sumResample(0, 24, 1)(toInt256(toInt128(numerator) * denominator), block) AS own_each_products,
  sumResample(0, 24, 1)(toInt256(toInt128(denominator) * denominator), block) AS own_each_denominator_squares,
  sumResample(0, 24, 1)(toInt128(round(percentage * 1e12)), block) AS own_each_percentages,
  sumResample(0, 24, 1)(toInt256(toInt128(round(percentage * 1e12))) * toInt128(round(percentage * 1e12)), block) AS own_each_percentage_squares
FROM bg.latency
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes + failures > 0
  AND isNotNull(failures)
GROUP BY own_bucket, own_agent
)
)
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
LIMIT {101:UInt32}
