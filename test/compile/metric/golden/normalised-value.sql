SELECT
  if(split1 = 0, NULL, concat(dictGet('bg.isps', 'name', toUInt64(dictGet('bg.packages', ('isp_id', 'name'), toUInt64(split1)).1)), ':', dictGet('bg.packages', ('isp_id', 'name'), toUInt64(split1)).2)) AS shown_split1,
  formatDateTime(bucket, '%Y-%m-%dT%H:%i:%S') AS dtime,
  (toFloat64(midst) + mean) * 8 / 1e6 AS metricValue,
  sqrt(variance) * 8 / 1e6 AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(sample_count < 2, NULL, 1.6448536269514722 * sqrt(variance) * 8 / 1e6 / sqrt(effective)) AS ci90,
  if(sample_count < 2, NULL, 1.959963984540054 * sqrt(variance) * 8 / 1e6 / sqrt(effective)) AS ci95,
  if(sample_count < 2, NULL, 2.5758293035489004 * sqrt(variance) * 8 / 1e6 / sqrt(effective)) AS ci99,
  toFloat64(least) * 8 / 1e6 AS min,
  toFloat64(greatest) * 8 / 1e6 AS max,
  levels[6] * 8 / 1e6 AS median,
  arrayMap(level -> level * 8 / 1e6, levels) AS percentiles
FROM (
SELECT *,
  arrayMap(a -> least(greatest(arraySum((x, e, s) -> x * (least(greatest((e - a) * effective, 0), 1) - least(greatest((s - a) * effective, 0), 1)), near_values, near_ends, near_starts), toFloat64(least)), toFloat64(greatest)), windows) AS levels
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
  arrayMap(b -> if(has(each_block, b), each_hours[indexOf(each_block, b)] / each_results[indexOf(each_block, b)] / weight, 0), range(arrayMax(each_block) + 1)) AS block_weights,
  arraySort(tagged) AS sorted,
  arrayMap(p -> (effective - 1) * p / effective, [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99]) AS windows
FROM (
SELECT *,
  arraySum((h, v, m) -> h * (v + (m - mean) * (m - mean)), each_hours, each_variance, each_mean) / weight AS variance
FROM (
SELECT *,
  arraySum((h, m) -> h * m, each_hours, each_mean) / weight AS mean
FROM (
SELECT *,
  weight * weight / arraySum((h, n) -> h * h / n, each_hours, each_results) AS effective,
  arrayMap((t, n) -> toFloat64(t - n * midst) / n, each_total, each_results) AS each_mean,
  arrayMap((t, q, n) -> toFloat64(toInt256(n) * q - toInt256(t) * t) / n / n, each_total, each_squares, each_results) AS each_variance
FROM (
SELECT *,
  arraySum(each_hours) AS weight,
  intDiv(arraySum(each_total), toInt128(sample_count)) AS midst
FROM (
SELECT
  bucket,
  split1,
  sum(results) AS sample_count,
  uniqExactMerge(agents) AS agent_count,
  uniqExactMerge(units) AS unit_count,
  min(block_least) AS least,
  max(block_greatest) AS greatest,
  arraySort((_, b) -> b, groupArray(block), groupArray(block)) AS each_block,
  arraySort((_, b) -> b, groupArray(hours), groupArray(block)) AS each_hours,
  arraySort((_, b) -> b, groupArray(results), groupArray(block)) AS each_results,
  arraySort((_, b) -> b, groupArray(total), groupArray(block)) AS each_total,
  arraySort((_, b) -> b, groupArray(squares), groupArray(block)) AS each_squares,
  groupArrayArray(block_tagged) AS tagged
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  dictGetOrDefault('bg.spans', 'zone_id', span, dictGet('bg.spans_recent', 'zone_id', span)) AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  utc_second + {[0]:Array(Int32)}[zone + 1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {[0,0,0,0,0,0,1,1,1,1,1,1,2,2,2,2,2,2,3,3,4,4,5,5]:Array(UInt8)}[local_hour + 1] AS block,
  {[4,4,4,4,2,2,2,2,4,4,4,4,4,4,4,4,2,2,2,2,2,2,2,2]:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  block,
  toDateTime(intDiv(local_second, 14400) * 14400, 'UTC') AS bucket,
  dictGetOrDefault('bg.spans', 'package_id', span, dictGet('bg.spans_recent', 'package_id', span)) AS split1,
  any(block_hours) AS hours,
  count() AS results,
  uniqExactState(agent) AS agents,
  uniqExactStateIf(agent, isNotNull(dictGet('bg.agents', 'unit_id', agent))) AS units,
  sum(toInt128(number)) AS total,
  sum(toInt256(toInt128(number) * number)) AS squares,
  min(number) AS block_least,
  max(number) AS block_greatest,
  groupArray(reinterpretAsFloat64(bitOr(bitAnd(reinterpretAsUInt64(toFloat64(number)), 18446744073709551584), block))) AS block_tagged
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1, block
)
GROUP BY bucket, split1
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
ORDER BY shown_split1 ASC NULLS LAST, bucket
LIMIT {101:UInt32}
