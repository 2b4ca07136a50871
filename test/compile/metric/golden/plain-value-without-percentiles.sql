SELECT
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
  arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {30:UInt8} * (1 - 1e-12), 'few_agents', ''), if(agent_count > 1 AND largest_share > 0.25 * (1 + 1e-12), 'dominated', '')]) AS caution
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
  countIf(isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  groupArray((own_sample_count, own_total)) AS pairs,
  sum(toInt256(own_sample_count) * own_sample_count) AS weight_squares,
  max(own_sample_count) AS largest_weight
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toUInt8(0) AS bucket,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
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
ORDER BY bucket
LIMIT {101:UInt32}
