SELECT
  toString(bucket) AS dtime,
  100 * share + if(NOT is_kept, NULL, 0) AS metricValue,
  prefilter_before AS prefilter_before,
  prefilter_removed AS prefilter_removed,
  prefilter_unfilteredValue AS prefilter_unfilteredValue,
  prefilter_agentsLost AS prefilter_agentsLost,
  prefilter_rules AS prefilter_rules
FROM (
SELECT *,
  100 * arraySum((h, n, v) -> h / greatest(n, 1) * toFloat64(v), all_hours, all_results, all_above) / arraySum((h, n, v) -> h / greatest(n, 1) * toFloat64(v), all_hours, all_results, all_below) AS prefilter_unfilteredValue,
  CAST([], 'Array(Tuple(name String, version UInt16, matched UInt64, alone UInt64))') AS prefilter_rules
FROM (
SELECT *,
  (max(is_kept) OVER (PARTITION BY bucket)) AS has_kept,
  (sum(sample_count) OVER (PARTITION BY bucket)) AS prefilter_before,
  (sumIf(sample_count, NOT is_kept) OVER (PARTITION BY bucket)) AS prefilter_removed,
  toUInt64((groupBitmapMerge(point_agents) OVER (PARTITION BY bucket)) - (sumIf(agent_count, is_kept) OVER (PARTITION BY bucket))) AS prefilter_agentsLost,
  (sumForEach(matched) OVER (PARTITION BY bucket)) AS all_matched,
  (sumForEach(alone) OVER (PARTITION BY bucket)) AS all_alone,
  (maxForEach(each_hours) OVER (PARTITION BY bucket)) AS all_hours,
  (sumForEach(arrayMap((n, h) -> if(h > 0, n, 0), each_results, each_hours)) OVER (PARTITION BY bucket)) AS all_results,
  (sumForEach(each_numerators) OVER (PARTITION BY bucket)) AS all_above,
  (sumForEach(arrayMap((n, h) -> if(h > 0, n, 0), each_denominators, each_hours)) OVER (PARTITION BY bucket)) AS all_below
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
  bucket,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  maxForEach(own_each_hours) AS each_hours,
  arrayMap(n -> greatest(n, 1), sumForEach(own_each_results)) AS each_results,
  sumForEach(own_each_numerators) AS each_numerators,
  arrayMap(n -> greatest(n, 1), sumForEach(own_each_denominators)) AS each_denominators,
  sumForEach(own_each_numerator_squares) AS each_numerator_squares,
  sumForEach(own_each_products) AS each_products,
  sumForEach(own_each_denominator_squares) AS each_denominator_squares,
  sumForEach(own_each_percentages) AS each_percentages,
  sumForEach(own_each_percentage_squares) AS each_percentage_squares,
  groupArrayArray(own_tagged) AS tagged,
  groupArrayArray(own_lost_bits) AS lost_bits,
  arrayMap((p, n) -> toFloat64(p) / n / 1e12, each_percentages, each_results) AS each_mean,
  arrayMap((p, q, n) -> toFloat64(toInt256(n) * q - toInt256(p) * p) / n / n / 1e24, each_percentages, each_percentage_squares, each_results) AS each_variance,
  count() AS agent_count,
  countIf(isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  own_rules = 0 AS is_kept,
  emptyArrayUInt64() AS matched,
  emptyArrayUInt64() AS alone,
  groupBitmapState(own_agent) AS point_agents
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
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
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
  sumResample(0, 24, 1)(toInt256(toInt128(round(percentage * 1e12))) * toInt128(round(percentage * 1e12)), block) AS own_each_percentage_squares,
  groupArray(reinterpretAsFloat64(bitOr(bitAnd(reinterpretAsUInt64(toFloat64(percentage)), 18446744073709551584), block))) AS own_tagged,
  groupArray(toUInt8(bitAnd(reinterpretAsUInt64(toFloat64(percentage)), 31))) AS own_lost_bits,
  agent AS own_agent,
  toUInt16(0) AS own_rules
FROM bg.dns
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes + failures > 0
  AND isNotNull(failures)
GROUP BY bucket, own_agent, own_rules
)
GROUP BY bucket, is_kept
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
WHERE is_kept OR NOT has_kept
ORDER BY bucket
LIMIT {101:UInt32}
