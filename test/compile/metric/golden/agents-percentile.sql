SELECT
  nullIf(dictGet('bg.isps', 'name', toUInt64(split1)), '') AS shown_split1,
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
  levels[6] + if(agent_count = 0, NULL, 0) AS median,
  if(agent_count = 0, arrayWithConstant(11, NULL), levels) AS percentiles,
  sqrt((squares / (agent_count - 1) / agent_count)) + if(agent_count < 2, NULL, 0) AS standardError,
  effective_agents AS effectiveAgents,
  freedom + if(agent_count < 2, NULL, 0) AS degreesOfFreedom,
  [arrayPushFront(arraySlice(agent_values, near_ranks[1], 3), toFloat64(near_ranks[1])), arrayPushFront(arraySlice(agent_values, near_ranks[2], 3), toFloat64(near_ranks[2])), arrayPushFront(arraySlice(agent_values, near_ranks[3], 3), toFloat64(near_ranks[3])), arrayPushFront(arraySlice(agent_values, near_ranks[4], 3), toFloat64(near_ranks[4])), arrayPushFront(arraySlice(agent_values, near_ranks[5], 3), toFloat64(near_ranks[5])), arrayPushFront(arraySlice(agent_values, near_ranks[6], 3), toFloat64(near_ranks[6])), arrayPushFront(arraySlice(agent_values, near_ranks[7], 3), toFloat64(near_ranks[7])), arrayPushFront(arraySlice(agent_values, near_ranks[8], 3), toFloat64(near_ranks[8])), arrayPushFront(arraySlice(agent_values, near_ranks[9], 3), toFloat64(near_ranks[9])), arrayPushFront(arraySlice(agent_values, near_ranks[10], 3), toFloat64(near_ranks[10])), arrayPushFront(arraySlice(agent_values, near_ranks[11], 3), toFloat64(near_ranks[11])), arrayPushFront(arraySlice(agent_values, near_ranks[12], 3), toFloat64(near_ranks[12])), arrayPushFront(arraySlice(agent_values, near_ranks[13], 3), toFloat64(near_ranks[13])), arrayPushFront(arraySlice(agent_values, near_ranks[14], 3), toFloat64(near_ranks[14])), arrayPushFront(arraySlice(agent_values, near_ranks[15], 3), toFloat64(near_ranks[15])), arrayPushFront(arraySlice(agent_values, near_ranks[16], 3), toFloat64(near_ranks[16])), arrayPushFront(arraySlice(agent_values, near_ranks[17], 3), toFloat64(near_ranks[17])), arrayPushFront(arraySlice(agent_values, near_ranks[18], 3), toFloat64(near_ranks[18])), arrayPushFront(arraySlice(agent_values, near_ranks[19], 3), toFloat64(near_ranks[19])), arrayPushFront(arraySlice(agent_values, near_ranks[20], 3), toFloat64(near_ranks[20])), arrayPushFront(arraySlice(agent_values, near_ranks[21], 3), toFloat64(near_ranks[21])), arrayPushFront(arraySlice(agent_values, near_ranks[22], 3), toFloat64(near_ranks[22]))] AS exactValues,
  agents_reaching AS reachingAgents,
  agent_count AS exactAgents,
  agents_below AS agentsBelowMinimum,
  if(agent_count = 0, emptyArrayString(), arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {30:UInt8} * (1 - 1e-12), 'few_agents', '')])) AS caution
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
  arrayConcat(arrayMap(p -> greatest(toInt64(ceil(agent_count * p + {-1.959963984540054:Float64} * sqrt(agent_count * p * (1 - p)) + {0.47357647011568754:Float64} * (1 - 2 * p) - 0.5)) + -1, 1), [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99]), arrayMap(p -> greatest(toInt64(ceil(agent_count * p + {1.959963984540054:Float64} * sqrt(agent_count * p * (1 - p)) + {0.47357647011568754:Float64} * (1 - 2 * p) - 0.5)) + 0, 1), [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99])) AS near_ranks
FROM (
SELECT
  own_bucket AS bucket,
  own_split1 AS split1,
  countIf(own_counts) AS agent_count,
  countIf(NOT own_counts) AS agents_below,
  countIf(own_counts AND isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  sumIf(own_results, own_counts) AS sample_count,
  arraySort(groupArrayIf(own_value, own_counts)) AS agent_values,
  countIf(own_counts AND own_value >= {80:Float64}) AS agents_reaching
FROM (
SELECT *,
  sample_count AS own_results,
  toFloat64(found) * 8 / 1e6 AS own_value,
  sample_count >= {5:UInt32} AS own_counts
FROM (
SELECT
  own_bucket,
  own_split1,
  own_agent,
  own_sample_count AS sample_count,
  own_found AS found
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS own_bucket,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'isp_id', k, dictGet('bg.spans_recent', 'isp_id', k)), [span])[1] AS own_split1,
  agent AS own_agent,
  count() AS own_sample_count,
  quantileExactInclusive(0.2)(number) AS own_found
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY own_bucket, own_split1, own_agent
)
)
)
GROUP BY own_bucket, own_split1
)
)
)
)
ORDER BY shown_split1 ASC NULLS LAST, bucket
LIMIT {101:UInt32}
