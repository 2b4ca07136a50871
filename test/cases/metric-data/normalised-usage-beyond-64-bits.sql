SELECT
  toString(bucket) AS dtime,
  (toFloat64(midst) + mean) / 1e6 AS metricValue,
  sqrt(variance) / 1e6 AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(freedom > {p1:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p2:Array(Float64)}, range(5)), {p3:Array(Float64)}[toUInt16(floor(freedom))] + ({p3:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p4:UInt16})] - {p3:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(if(agent_variance < pow(1e-12 * (toFloat64(greatest) - toFloat64(least)), 2), 0, agent_variance)) / 1e6 + if(agent_count < 2, NULL, 0) AS ci90,
  if(freedom > {p5:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p6:Array(Float64)}, range(5)), {p7:Array(Float64)}[toUInt16(floor(freedom))] + ({p7:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p8:UInt16})] - {p7:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(if(agent_variance < pow(1e-12 * (toFloat64(greatest) - toFloat64(least)), 2), 0, agent_variance)) / 1e6 + if(agent_count < 2, NULL, 0) AS ci95,
  if(freedom > {p9:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p10:Array(Float64)}, range(5)), {p11:Array(Float64)}[toUInt16(floor(freedom))] + ({p11:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p12:UInt16})] - {p11:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(if(agent_variance < pow(1e-12 * (toFloat64(greatest) - toFloat64(least)), 2), 0, agent_variance)) / 1e6 + if(agent_count < 2, NULL, 0) AS ci99,
  toFloat64(least) / 1e6 AS min,
  toFloat64(greatest) / 1e6 AS max,
  levels[6] / 1e6 AS median,
  arrayMap(level -> level / 1e6, levels) AS percentiles,
  arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {p13:UInt8} * (1 - 1e-12), 'few_agents', ''), if(agent_count > 1 AND largest_share > 0.25 * (1 + 1e-12), 'dominated', '')]) AS caution
FROM (
SELECT *,
  [arrayMap(a -> least(greatest(arraySum((x, e, s) -> x * (least(greatest((e - a) * effective, 0), 1) - least(greatest((s - a) * effective, 0), 1)), near_values, near_ends, near_starts), toFloat64(least)), toFloat64(greatest)), windows), arrayReduce('quantilesExactInclusive(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)', equal_values)][equal_weights + 1] AS levels
FROM (
SELECT *,
  arrayMap(x -> reinterpretAsFloat64(bitAnd(reinterpretAsUInt64(x), 18446744073709551584)), arrayFlatten(slices)) AS near_values,
  arrayFlatten(ends) AS near_ends,
  arrayFlatten(starts) AS near_starts
FROM (
SELECT *,
  arrayMap((e, start) -> arraySlice(arrayPushFront(e, start), 1, length(e)), ends, slice_starts) AS starts
FROM (
SELECT *,
  arrayMap((s, start) -> arrayMap(c -> c + start, arrayCumSum(arrayMap(x -> block_weights[toUInt8(bitAnd(reinterpretAsUInt64(x), 31)) + 1], s))), slices, slice_starts) AS ends
FROM (
SELECT *,
  [arraySlice(sorted, (first_chunks[1] - 1) * 256 + 1, greatest(last_chunks[1] - first_chunks[1] + 1, 0) * 256), arraySlice(sorted, (first_chunks[2] - 1) * 256 + 1, greatest(last_chunks[2] - first_chunks[2] + 1, 0) * 256), arraySlice(sorted, (first_chunks[3] - 1) * 256 + 1, greatest(last_chunks[3] - first_chunks[3] + 1, 0) * 256), arraySlice(sorted, (first_chunks[4] - 1) * 256 + 1, greatest(last_chunks[4] - first_chunks[4] + 1, 0) * 256), arraySlice(sorted, (first_chunks[5] - 1) * 256 + 1, greatest(last_chunks[5] - first_chunks[5] + 1, 0) * 256), arraySlice(sorted, (first_chunks[6] - 1) * 256 + 1, greatest(last_chunks[6] - first_chunks[6] + 1, 0) * 256), arraySlice(sorted, (first_chunks[7] - 1) * 256 + 1, greatest(last_chunks[7] - first_chunks[7] + 1, 0) * 256), arraySlice(sorted, (first_chunks[8] - 1) * 256 + 1, greatest(last_chunks[8] - first_chunks[8] + 1, 0) * 256), arraySlice(sorted, (first_chunks[9] - 1) * 256 + 1, greatest(last_chunks[9] - first_chunks[9] + 1, 0) * 256), arraySlice(sorted, (first_chunks[10] - 1) * 256 + 1, greatest(last_chunks[10] - first_chunks[10] + 1, 0) * 256), arraySlice(sorted, (first_chunks[11] - 1) * 256 + 1, greatest(last_chunks[11] - first_chunks[11] + 1, 0) * 256)] AS slices,
  arrayMap(first -> if(first = 1, 0, chunk_ends[first - 1]), first_chunks) AS slice_starts
FROM (
SELECT *,
  arrayMap((begin, seen) -> greatest(begin, seen + 1), begin_chunks, arrayPopBack(arrayPushFront(last_chunks, 0))) AS first_chunks
FROM (
SELECT *,
  arrayMap(a -> if(arrayExists(e -> e >= a + 1 / effective, chunk_ends), arrayFirstIndex(e -> e >= a + 1 / effective, chunk_ends), length(chunk_ends)), windows) AS last_chunks,
  arrayMap(a -> if(arrayExists(e -> e > a, chunk_ends), arrayFirstIndex(e -> e > a, chunk_ends), length(chunk_ends)), windows) AS begin_chunks
FROM (
SELECT *,
  arrayCumSum(arrayMap(counts -> arraySum((c, w) -> c * w, arrayResize(counts, length(block_weights)), block_weights), chunk_blocks)) AS chunk_ends
FROM (
SELECT *,
  arrayReduceInRanges('countResample(0, 24, 1)', arrayMap(i -> (i * 256 + 1, 256), range(intDiv(length(sorted) + 255, 256))), arrayMap(s -> toUInt8(bitAnd(reinterpretAsUInt64(s), 31)), sorted)) AS chunk_blocks
FROM (
SELECT *,
  arrayMap((h, n) -> h / n / weight, each_hours, each_results) AS block_weights,
  arraySort(tagged) AS sorted,
  arrayMap(p -> (effective - 1) * p / effective, [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99]) AS windows
FROM (
SELECT *,
  arrayMap((x, bits) -> reinterpretAsFloat64(bitOr(bitAnd(reinterpretAsUInt64(x), 18446744073709551584), bits)), arraySlice(tagged, 1, if(equal_weights, length(tagged), 0)), arraySlice(lost_bits, 1, if(equal_weights, length(lost_bits), 0))) AS equal_values
FROM (
SELECT *,
  arrayAll((h, n) -> h = 0 OR h * sample_count = n * weight, each_hours, each_results) AS equal_weights
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
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  maxForEach(own_each_hours) AS each_hours,
  arrayMap(n -> greatest(n, 1), sumForEach(own_each_results)) AS each_results,
  sumForEach(own_each_total) AS each_total,
  sumForEach(own_each_squares) AS each_squares,
  groupArrayArray(own_tagged) AS tagged,
  groupArrayArray(own_lost_bits) AS lost_bits,
  count() AS agent_count,
  countIf(isNotNull(dictGet('broadgauge.agents', 'unit_id', own_agent))) AS unit_count,
  groupArray((own_each_results, own_each_total)) AS pairs
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p14:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt128(assumeNotNull(toInt128(wan_tx_bytes) - sk_tx_bytes)) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {p15:Array(UInt8)}[local_hour + 1] AS block,
  {p16:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  maxResample(0, 24, 1)(block_hours, block) AS own_each_hours,
  countResample(0, 24, 1)(block) AS own_each_results,
  sumResample(0, 24, 1)(toInt128(number), block) AS own_each_total,
  sumResample(0, 24, 1)(toInt256(number) * number, block) AS own_each_squares,
  groupArray(reinterpretAsFloat64(bitOr(bitAnd(reinterpretAsUInt64(toFloat64(toFloat64(number))), 18446744073709551584), block))) AS own_tagged,
  groupArray(toUInt8(bitAnd(reinterpretAsUInt64(toFloat64(toFloat64(number))), 31))) AS own_lost_bits,
  agent AS own_agent
FROM broadgauge.network_usage
WHERE panel IN {p17:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p18:Date} AND {p19:Date}
  AND local_second BETWEEN {p20:Int64} AND {p21:Int64}
  AND isNotNull(toInt128(wan_tx_bytes) - sk_tx_bytes)
GROUP BY bucket, own_agent
)
GROUP BY bucket
)
)
)
)
)
)
)
)
)
)
)
)
)
)
)
)
)
ORDER BY bucket
LIMIT {p22:UInt32}
