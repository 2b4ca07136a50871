SELECT
  toString(bucket) AS dtime,
  mean + if(agent_count = 0, NULL, 0) AS metricValue,
  agents_below AS agentsBelowMinimum
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
  greatest(1, toFloat64(agent_count) - 1) AS freedom,
  arrayReduce('quantilesExactInclusive(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)', agent_values) AS levels
FROM (
SELECT
  own_bucket AS bucket,
  countIf(own_counts) AS agent_count,
  countIf(NOT own_counts) AS agents_below,
  countIf(own_counts AND isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  sumIf(own_results, own_counts) AS sample_count,
  arraySort(groupArrayIf(own_value, own_counts)) AS agent_values
FROM (
SELECT *,
  sample_count AS own_results,
  (toFloat64(least) + arraySum((s, w) -> w * (reinterpretAsFloat64(bitAnd(reinterpretAsUInt64(s), 18446744073709551584)) - toFloat64(least)), trimmed, trimmed_weights) / arraySum(trimmed_weights)) * 8 / 1e6 AS own_value,
  sample_count >= {1:UInt32} AND notEmpty(trimmed) AS own_counts
FROM (
SELECT *,
  arrayMap(s -> block_weights[toUInt8(bitAnd(reinterpretAsUInt64(s), 31)) + 1], trimmed) AS trimmed_weights
FROM (
SELECT *,
  arrayFilter(s -> reinterpretAsFloat64(bitAnd(reinterpretAsUInt64(s), 18446744073709551584)) >= lowest AND reinterpretAsFloat64(bitAnd(reinterpretAsUInt64(s), 18446744073709551584)) <= highest, sorted) AS trimmed
FROM (
SELECT *,
  levels[1] - 1e-12 * greatest(abs(toFloat64(least)), abs(toFloat64(greatest))) AS lowest,
  levels[2] + 1e-12 * greatest(abs(toFloat64(least)), abs(toFloat64(greatest))) AS highest
FROM (
SELECT *,
  [arrayMap(a -> least(greatest(arraySum((x, e, s) -> x * (least(greatest((e - a) * effective, 0), 1) - least(greatest((s - a) * effective, 0), 1)), near_values, near_ends, near_starts), toFloat64(least)), toFloat64(greatest)), windows), arrayReduce('quantilesExactInclusive(0.01, 0.99)', equal_values)][equal_weights + 1] AS levels
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
  [arraySlice(sorted, (first_chunks[1] - 1) * 256 + 1, greatest(last_chunks[1] - first_chunks[1] + 1, 0) * 256), arraySlice(sorted, (first_chunks[2] - 1) * 256 + 1, greatest(last_chunks[2] - first_chunks[2] + 1, 0) * 256)] AS slices,
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
  arrayMap(p -> (effective - 1) * p / effective, [0.01, 0.99]) AS windows
FROM (
SELECT *,
  arrayMap(x -> reinterpretAsFloat64(bitAnd(reinterpretAsUInt64(x), 18446744073709551584)), arraySlice(tagged, 1, if(equal_weights, length(tagged), 0))) AS equal_values
FROM (
SELECT *,
  arrayAll((h, n) -> h = 0 OR h * sample_count = n * weight, each_hours, each_results) AS equal_weights
FROM (
SELECT *,
  weight * weight / arraySum((h, n) -> h * h / n, each_hours, each_results) AS effective
FROM (
SELECT *,
  arraySum(each_hours) AS weight
FROM (
SELECT
  own_bucket,
  own_agent,
  own_sample_count AS sample_count,
  own_least AS least,
  own_greatest AS greatest,
  own_each_hours AS each_hours,
  arrayMap(n -> greatest(n, 1), own_each_results) AS each_results,
  own_each_total AS each_total,
  own_each_squares AS each_squares,
  own_tagged AS tagged
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {[0,0,0,0,0,0,1,1,1,1,1,1,2,2,2,2,2,2,3,3,4,4,5,5]:Array(UInt8)}[local_hour + 1] AS block,
  {[6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,2,2,2,2,2,2]:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS own_bucket,
  agent AS own_agent,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  maxResample(0, 6, 1)(block_hours, block) AS own_each_hours,
  countResample(0, 6, 1)(block) AS own_each_results,
  sumResample(0, 6, 1)(toInt128(number), block) AS own_each_total,
  sumResample(0, 6, 1)(toInt256(toInt128(number) * number), block) AS own_each_squares,
  groupArray(reinterpretAsFloat64(bitOr(bitAnd(reinterpretAsUInt64(toFloat64(number)), 18446744073709551584), block))) AS own_tagged
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY own_bucket, own_agent
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
