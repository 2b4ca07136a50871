SELECT
  toString(bucket) AS dtime,
  mean + if(agent_count = 0, NULL, 0) AS metricValue,
  sqrt(squares / agent_count) + if(agent_count = 0, NULL, 0) AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[1.6448536269514722,1.5237691475737816,1.4202029826359421,0.9830015120343027,0.4338764545048993]:Array(Float64)}, range(5)), {[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[toUInt16(floor(freedom))] + ({[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count)) + if(agent_count < 2, NULL, 0) AS ci90,
  if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[1.959963984540054,2.372271230298562,2.8224986157396112,2.555849679507722,1.5895340533938225]:Array(Float64)}, range(5)), {[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[toUInt16(floor(freedom))] + ({[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count)) + if(agent_count < 2, NULL, 0) AS ci95,
  if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[2.5758293035489004,4.9165475986190845,8.834762072162333,12.144295783090252,12.05482431431215]:Array(Float64)}, range(5)), {[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[toUInt16(floor(freedom))] + ({[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt((squares / (agent_count - 1) / agent_count)) + if(agent_count < 2, NULL, 0) AS ci99,
  least + if(agent_count = 0, NULL, 0) AS min,
  greatest + if(agent_count = 0, NULL, 0) AS max,
  levels[2] + if(agent_count = 0, NULL, 0) AS median,
  if(agent_count = 0, arrayWithConstant(2, NULL), [levels[1], levels[3]]) AS percentiles,
  bin_edges AS histogram_edges,
  bin_counts AS histogram_counts,
  below_bins AS histogram_below,
  above_bins AS histogram_above,
  agents_below AS agentsBelowMinimum,
  results_without_plan AS resultsWithoutPlan,
  if(agent_count = 0, emptyArrayString(), arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {30:UInt8} * (1 - 1e-12), 'few_agents', '')])) AS caution
FROM (
SELECT *,
  (sumIf(all_results, NOT has_plan) OVER (PARTITION BY bucket)) AS results_without_plan
FROM (
SELECT *,
  {[80,95]:Array(Float64)} AS bin_edges,
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
  greatest(1, toFloat64(agent_count) - 1) AS freedom,
  arrayReduce('quantilesExactInclusive(0.025, 0.5, 0.975)', agent_values) AS levels
FROM (
SELECT
  own_bucket AS bucket,
  own_has_plan AS has_plan,
  countIf(own_counts) AS agent_count,
  countIf(NOT own_counts) AS agents_below,
  countIf(own_counts AND isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  sumIf(own_results, own_counts) AS sample_count,
  arraySort(groupArrayIf(own_value, own_counts)) AS agent_values,
  sum(own_results) AS all_results,
  sumMapIf([toUInt8(transform(roundDown(own_value, {[80,95]:Array(Float64)}), {[80,95]:Array(Float64)}, {[1,2]:Array(UInt8)}, 0) - (own_value < {[80,95]:Array(Float64)}[1]) - (own_value = {[80,95]:Array(Float64)}[-1]))], [toUInt64(1)], own_counts) AS bins
FROM (
SELECT *,
  sample_count AS own_results,
  toFloat64(total) / sample_count / 1e12 AS own_value,
  sample_count >= {1:UInt32} AS own_counts
FROM (
SELECT
  own_bucket,
  own_has_plan,
  own_agent,
  own_sample_count AS sample_count,
  own_least AS least,
  own_greatest AS greatest,
  own_total AS total,
  own_squares AS squares
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  if(toDate(dtime) >= dictGet('bg.package_speeds', ('current_from', 'current_download'), toUInt64(arrayMap(k -> dictGetOrDefault('bg.spans', 'package_id', k, dictGet('bg.spans_recent', 'package_id', k)), [span])[1])).1, dictGet('bg.package_speeds', ('current_from', 'current_download'), toUInt64(arrayMap(k -> dictGetOrDefault('bg.spans', 'package_id', k, dictGet('bg.spans_recent', 'package_id', k)), [span])[1])).2, arrayMap(history -> history.2[arrayLastIndex(d -> d <= toDate(dtime), history.1)], [dictGet('bg.package_speeds', ('days', 'download'), toUInt64(arrayMap(k -> dictGetOrDefault('bg.spans', 'package_id', k, dictGet('bg.spans_recent', 'package_id', k)), [span])[1]))])[1]) AS plan_speed,
  toInt128(assumeNotNull(intDiv(toInt128(bytes_sec) * 800000000000000 + if(bytes_sec < 0, -1, 1) * intDiv(toInt128(greatest(plan_speed, 1)), 2), toInt128(greatest(plan_speed, 1))))) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS own_bucket,
  plan_speed > 0 AS own_has_plan,
  agent AS own_agent,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(number) * number) AS own_squares
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
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
LIMIT {101:UInt32}
