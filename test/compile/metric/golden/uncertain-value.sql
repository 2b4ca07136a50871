SELECT
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count * 8 / 1e6 AS metricValue,
  sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[1.6448536269514722,1.5237691475737816,1.4202029826359421,0.9830015120343027,0.4338764545048993]:Array(Float64)}, range(5)), {[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[toUInt16(floor(freedom))] + ({[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci90,
  if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[1.959963984540054,2.372271230298562,2.8224986157396112,2.555849679507722,1.5895340533938225]:Array(Float64)}, range(5)), {[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[toUInt16(floor(freedom))] + ({[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci95,
  if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[2.5758293035489004,4.9165475986190845,8.834762072162333,12.144295783090252,12.05482431431215]:Array(Float64)}, range(5)), {[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[toUInt16(floor(freedom))] + ({[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci99,
  toFloat64(least) * 8 / 1e6 AS min,
  toFloat64(greatest) * 8 / 1e6 AS max,
  levels[6] * 8 / 1e6 AS median,
  arrayMap(level -> level * 8 / 1e6, levels) AS percentiles,
  sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS standardError,
  effective_agents AS effectiveAgents,
  freedom + if(agent_count < 2, NULL, 0) AS degreesOfFreedom,
  largest_share AS largestAgentShare,
  pow(sqrt(agent_variance) * 8 / 1e6 / nullIf(sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 / sqrt(sample_count), 0), 2) + if(agent_count < 2, NULL, 0) AS designEffect,
  sample_count / nullIf(pow(sqrt(agent_variance) * 8 / 1e6 / nullIf(sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 / sqrt(sample_count), 0), 2), 0) + if(agent_count < 2, NULL, 0) AS effectiveSampleSize,
  if(agent_count < 2, CAST([], 'Array(Array(Nullable(Float64)))'), [[if(bounds[1] <= 0 OR bounds[1] >= 1, NULL, (sorted_values[toUInt64(floor(heights[1])) + 1] + (heights[1] - toUInt64(floor(heights[1]))) * (sorted_values[least(toUInt64(floor(heights[1])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[1])) + 1])) * 8 / 1e6), if(bounds[12] <= 0 OR bounds[12] >= 1, NULL, (sorted_values[toUInt64(floor(heights[12])) + 1] + (heights[12] - toUInt64(floor(heights[12]))) * (sorted_values[least(toUInt64(floor(heights[12])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[12])) + 1])) * 8 / 1e6)], [if(bounds[2] <= 0 OR bounds[2] >= 1, NULL, (sorted_values[toUInt64(floor(heights[2])) + 1] + (heights[2] - toUInt64(floor(heights[2]))) * (sorted_values[least(toUInt64(floor(heights[2])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[2])) + 1])) * 8 / 1e6), if(bounds[13] <= 0 OR bounds[13] >= 1, NULL, (sorted_values[toUInt64(floor(heights[13])) + 1] + (heights[13] - toUInt64(floor(heights[13]))) * (sorted_values[least(toUInt64(floor(heights[13])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[13])) + 1])) * 8 / 1e6)], [if(bounds[3] <= 0 OR bounds[3] >= 1, NULL, (sorted_values[toUInt64(floor(heights[3])) + 1] + (heights[3] - toUInt64(floor(heights[3]))) * (sorted_values[least(toUInt64(floor(heights[3])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[3])) + 1])) * 8 / 1e6), if(bounds[14] <= 0 OR bounds[14] >= 1, NULL, (sorted_values[toUInt64(floor(heights[14])) + 1] + (heights[14] - toUInt64(floor(heights[14]))) * (sorted_values[least(toUInt64(floor(heights[14])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[14])) + 1])) * 8 / 1e6)], [if(bounds[4] <= 0 OR bounds[4] >= 1, NULL, (sorted_values[toUInt64(floor(heights[4])) + 1] + (heights[4] - toUInt64(floor(heights[4]))) * (sorted_values[least(toUInt64(floor(heights[4])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[4])) + 1])) * 8 / 1e6), if(bounds[15] <= 0 OR bounds[15] >= 1, NULL, (sorted_values[toUInt64(floor(heights[15])) + 1] + (heights[15] - toUInt64(floor(heights[15]))) * (sorted_values[least(toUInt64(floor(heights[15])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[15])) + 1])) * 8 / 1e6)], [if(bounds[5] <= 0 OR bounds[5] >= 1, NULL, (sorted_values[toUInt64(floor(heights[5])) + 1] + (heights[5] - toUInt64(floor(heights[5]))) * (sorted_values[least(toUInt64(floor(heights[5])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[5])) + 1])) * 8 / 1e6), if(bounds[16] <= 0 OR bounds[16] >= 1, NULL, (sorted_values[toUInt64(floor(heights[16])) + 1] + (heights[16] - toUInt64(floor(heights[16]))) * (sorted_values[least(toUInt64(floor(heights[16])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[16])) + 1])) * 8 / 1e6)], [if(bounds[6] <= 0 OR bounds[6] >= 1, NULL, (sorted_values[toUInt64(floor(heights[6])) + 1] + (heights[6] - toUInt64(floor(heights[6]))) * (sorted_values[least(toUInt64(floor(heights[6])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[6])) + 1])) * 8 / 1e6), if(bounds[17] <= 0 OR bounds[17] >= 1, NULL, (sorted_values[toUInt64(floor(heights[17])) + 1] + (heights[17] - toUInt64(floor(heights[17]))) * (sorted_values[least(toUInt64(floor(heights[17])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[17])) + 1])) * 8 / 1e6)], [if(bounds[7] <= 0 OR bounds[7] >= 1, NULL, (sorted_values[toUInt64(floor(heights[7])) + 1] + (heights[7] - toUInt64(floor(heights[7]))) * (sorted_values[least(toUInt64(floor(heights[7])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[7])) + 1])) * 8 / 1e6), if(bounds[18] <= 0 OR bounds[18] >= 1, NULL, (sorted_values[toUInt64(floor(heights[18])) + 1] + (heights[18] - toUInt64(floor(heights[18]))) * (sorted_values[least(toUInt64(floor(heights[18])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[18])) + 1])) * 8 / 1e6)], [if(bounds[8] <= 0 OR bounds[8] >= 1, NULL, (sorted_values[toUInt64(floor(heights[8])) + 1] + (heights[8] - toUInt64(floor(heights[8]))) * (sorted_values[least(toUInt64(floor(heights[8])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[8])) + 1])) * 8 / 1e6), if(bounds[19] <= 0 OR bounds[19] >= 1, NULL, (sorted_values[toUInt64(floor(heights[19])) + 1] + (heights[19] - toUInt64(floor(heights[19]))) * (sorted_values[least(toUInt64(floor(heights[19])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[19])) + 1])) * 8 / 1e6)], [if(bounds[9] <= 0 OR bounds[9] >= 1, NULL, (sorted_values[toUInt64(floor(heights[9])) + 1] + (heights[9] - toUInt64(floor(heights[9]))) * (sorted_values[least(toUInt64(floor(heights[9])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[9])) + 1])) * 8 / 1e6), if(bounds[20] <= 0 OR bounds[20] >= 1, NULL, (sorted_values[toUInt64(floor(heights[20])) + 1] + (heights[20] - toUInt64(floor(heights[20]))) * (sorted_values[least(toUInt64(floor(heights[20])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[20])) + 1])) * 8 / 1e6)], [if(bounds[10] <= 0 OR bounds[10] >= 1, NULL, (sorted_values[toUInt64(floor(heights[10])) + 1] + (heights[10] - toUInt64(floor(heights[10]))) * (sorted_values[least(toUInt64(floor(heights[10])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[10])) + 1])) * 8 / 1e6), if(bounds[21] <= 0 OR bounds[21] >= 1, NULL, (sorted_values[toUInt64(floor(heights[21])) + 1] + (heights[21] - toUInt64(floor(heights[21]))) * (sorted_values[least(toUInt64(floor(heights[21])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[21])) + 1])) * 8 / 1e6)], [if(bounds[11] <= 0 OR bounds[11] >= 1, NULL, (sorted_values[toUInt64(floor(heights[11])) + 1] + (heights[11] - toUInt64(floor(heights[11]))) * (sorted_values[least(toUInt64(floor(heights[11])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[11])) + 1])) * 8 / 1e6), if(bounds[22] <= 0 OR bounds[22] >= 1, NULL, (sorted_values[toUInt64(floor(heights[22])) + 1] + (heights[22] - toUInt64(floor(heights[22]))) * (sorted_values[least(toUInt64(floor(heights[22])) + 2, sample_count)] - sorted_values[toUInt64(floor(heights[22])) + 1])) * 8 / 1e6)]]) AS percentileIntervals,
  arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {30:UInt8} * (1 - 1e-12), 'few_agents', ''), if(agent_count > 1 AND largest_share > 0.25 * (1 + 1e-12), 'dominated', '')]) AS caution
FROM (
SELECT *,
  arrayMap(b -> b * (sample_count - 1), bounds) AS heights
FROM (
SELECT *,
  arrayConcat(arrayMap((p, w) -> p - t95 * w, [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99], half_widths), arrayMap((p, w) -> p + t95 * w, [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99], half_widths)) AS bounds
FROM (
SELECT *,
  arrayMap((b, c) -> sqrt((agent_count - 1) / agent_count * arraySum(arraySort(arrayMap(p -> pow((toFloat64(p.1) * sample_count - toFloat64(c) * p.2) / sample_count / (sample_count - p.2), 2), b)))), below, arrayMap(b -> arraySum(p -> p.1, b), below)) AS half_widths,
  if(results_freedom > {200:UInt16}, arraySum((g, k) -> g / pow(results_freedom, k), {[1.959963984540054,2.372271230298562,2.8224986157396112,2.555849679507722,1.5895340533938225]:Array(Float64)}, range(5)), {[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[toUInt16(floor(results_freedom))] + ({[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[least(toUInt16(floor(results_freedom)) + 1, {200:UInt16})] - {[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[toUInt16(floor(results_freedom))]) * (results_freedom - toUInt16(floor(results_freedom))) * (toUInt16(floor(results_freedom)) + 1) / results_freedom) AS t95
FROM (
SELECT *,
  [arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[1])), arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[2])), arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[3])), arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[4])), arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[5])), arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[6])), arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[7])), arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[8])), arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[9])), arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[10])), arrayMap((v, q) -> (arrayCount(x -> x <= q, v), length(v)), agent_values, arrayWithConstant(agent_count, levels[11]))] AS below,
  arraySort(arrayFlatten(agent_values)) AS sorted_values,
  greatest(1, toFloat64(toInt256(sample_count) * sample_count) / toFloat64(result_squares) - 1) AS results_freedom
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
  quantilesExactInclusiveArray(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(own_levels) AS levels,
  count() AS agent_count,
  countIf(isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  groupArray((own_sample_count, own_total)) AS pairs,
  sum(toInt256(own_sample_count) * own_sample_count) AS weight_squares,
  max(own_sample_count) AS largest_weight,
  groupArray(own_levels) AS agent_values,
  sum(toInt256(own_sample_count) * own_sample_count) AS result_squares
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
  agent AS own_agent
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, own_agent
)
GROUP BY bucket
)
)
)
)
)
)
ORDER BY bucket
LIMIT {101:UInt32}
