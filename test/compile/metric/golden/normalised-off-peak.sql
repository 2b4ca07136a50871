SELECT
  nullIf(dictGet('bg.isps', 'name', toUInt64(split1)), '') AS shown_split1,
  if(split2 = 1, 'peak', 'off_peak') AS shown_split2,
  toString(bucket) AS dtime,
  (toFloat64(midst) + mean) * 8 / 1e6 AS metricValue,
  sqrt(variance) * 8 / 1e6 AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[1.6448536269514722,1.5237691475737816,1.4202029826359421,0.9830015120343027,0.4338764545048993]:Array(Float64)}, range(5)), {[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[toUInt16(floor(freedom))] + ({[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[6.313751514675041,2.919985580353726,2.353363434801822,…,1.652508100910875]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(if(agent_variance < pow(1e-12 * (toFloat64(greatest) - toFloat64(least)), 2), 0, agent_variance)) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci90,
  if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[1.959963984540054,2.372271230298562,2.8224986157396112,2.555849679507722,1.5895340533938225]:Array(Float64)}, range(5)), {[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[toUInt16(floor(freedom))] + ({[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[12.706204736174696,4.302652729749458,3.182446305283707,…,1.9718962236339137]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(if(agent_variance < pow(1e-12 * (toFloat64(greatest) - toFloat64(least)), 2), 0, agent_variance)) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci95,
  if(freedom > {200:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {[2.5758293035489004,4.9165475986190845,8.834762072162333,12.144295783090252,12.05482431431215]:Array(Float64)}, range(5)), {[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[toUInt16(floor(freedom))] + ({[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {200:UInt16})] - {[63.65674116286989,9.924843200918268,5.8409093097333225,…,2.6006344361915503]:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(if(agent_variance < pow(1e-12 * (toFloat64(greatest) - toFloat64(least)), 2), 0, agent_variance)) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci99,
  toFloat64(least) * 8 / 1e6 AS min,
  toFloat64(greatest) * 8 / 1e6 AS max,
  arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {30:UInt8} * (1 - 1e-12), 'few_agents', ''), if(agent_count > 1 AND largest_share > 0.25 * (1 + 1e-12), 'dominated', '')]) AS caution
FROM (
SELECT *,
  arraySum((h, v, m) -> h * (v + (m - mean) * (m - mean)), each_hours, each_variance, each_mean) / weight AS variance,
  (agent_count - 1) / agent_count * arraySum(arraySort(arrayMap(p -> pow(arraySum((h, big, n, t, y) -> (big > n) * h * (toFloat64(t - y - (big - n) * midst) - (big - n) * mean) / greatest(big - n, 1), each_hours, each_results, p.1, each_total, p.2) / arraySum((h, big, n) -> (big > n) * h, each_hours, each_results, p.1), 2), pairs))) AS agent_variance
FROM (
SELECT *,
  arraySum((h, m) -> h * m, each_hours, each_mean) / weight AS mean,
  pow(arraySum(agent_weights), 2) / arraySum(w -> w * w, agent_weights) AS effective_agents,
  greatest(1, pow(arraySum(agent_weights), 2) / arraySum(w -> w * w, agent_weights) - 1) AS freedom,
  arrayMax(agent_weights) / arraySum(agent_weights) AS largest_share
FROM (
SELECT *,
  weight * weight / arraySum((h, n) -> h * h / n, each_hours, each_results) AS effective,
  arrayMap((t, n) -> toFloat64(t - n * midst) / n, each_total, each_results) AS each_mean,
  arrayMap((t, q, n) -> toFloat64(toInt256(n) * q - toInt256(t) * t) / n / n, each_total, each_squares, each_results) AS each_variance,
  arraySort(arrayMap(p -> arraySum((h, big, n) -> h * n / big, each_hours, each_results, p.1), pairs)) AS agent_weights
FROM (
SELECT *,
  arraySum(each_hours) AS weight,
  intDiv(arraySum(each_total), toInt128(sample_count)) AS midst
FROM (
SELECT
  bucket,
  split1,
  split2,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  maxForEach(own_each_hours) AS each_hours,
  arrayMap(n -> greatest(n, 1), sumForEach(own_each_results)) AS each_results,
  sumForEach(own_each_total) AS each_total,
  sumForEach(own_each_squares) AS each_squares,
  count() AS agent_count,
  countIf(isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  groupArray((own_each_results, own_each_total)) AS pairs
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {[0,0,0,0,0,0,1,1,1,1,1,1,2,2,2,2,2,2,3,3,4,4,5,5]:Array(UInt8)}[local_hour + 1] AS block,
  {[42,42,42,…,9]:Array(UInt8)}[(toDayOfWeek(toDate(toUInt16(intDiv(local_second, 86400)))) - 1) * 24 + local_hour + 1] AS block_hours
SELECT
  toMonday(toDate(toUInt16(intDiv(local_second, 86400)))) AS bucket,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'isp_id', k, dictGet('bg.spans_recent', 'isp_id', k)), [span])[1] AS split1,
  toUInt8(toUInt8(intDiv(local_second % 86400, 3600)) IN {[19,20,21,22]:Array(UInt8)} AND toDayOfWeek(toDate(toUInt16(intDiv(local_second, 86400)))) IN {[1,2,3,4,5]:Array(UInt8)}) AS split2,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  maxResample(0, 6, 1)(block_hours, block) AS own_each_hours,
  countResample(0, 6, 1)(block) AS own_each_results,
  sumResample(0, 6, 1)(toInt128(number), block) AS own_each_total,
  sumResample(0, 6, 1)(toInt256(toInt128(number) * number), block) AS own_each_squares,
  agent AS own_agent
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1, split2, own_agent
)
GROUP BY bucket, split1, split2
)
)
)
)
)
ORDER BY shown_split1 ASC NULLS LAST, shown_split2 ASC NULLS LAST, bucket
LIMIT {101:UInt32}
