SELECT
  nullIf(dictGet('broadgauge.isps', 'name', toUInt64(split1)), '') AS shown_split1,
  (toFloat64(midst) + mean) / 1e12 + if(NOT is_kept, NULL, 0) AS metricValue,
  if(is_kept, sample_count, 0) AS sampleCount,
  levels[6] / 1e12 + if(NOT is_kept, NULL, 0) AS median,
  prefilter_before AS prefilter_before,
  prefilter_removed AS prefilter_removed,
  prefilter_unfilteredValue AS prefilter_unfilteredValue,
  prefilter_agentsLost AS prefilter_agentsLost,
  prefilter_rules AS prefilter_rules,
  results_without_plan AS resultsWithoutPlan
FROM (
SELECT *,
  (sumIf(sample_count, NOT has_plan AND is_kept) OVER (PARTITION BY bucket, split1)) AS results_without_plan
FROM (
SELECT *,
  (arraySum((h, n, v) -> h / greatest(n, 1) * toFloat64(v), all_hours, all_results, all_above) / arraySum(all_hours)) / 1e12 AS prefilter_unfilteredValue,
  CAST([('no-throughput', 1, all_matched[1], all_alone[1]), ('above-10-gigabit', 1, all_matched[2], all_alone[2]), ('no-warm-up', 1, all_matched[3], all_alone[3])], 'Array(Tuple(name String, version UInt16, matched UInt64, alone UInt64))') AS prefilter_rules
FROM (
SELECT *,
  (max(is_kept) OVER (PARTITION BY bucket, split1, has_plan)) AS has_kept,
  (sum(sample_count) OVER (PARTITION BY bucket, split1, has_plan)) AS prefilter_before,
  (sumIf(sample_count, NOT is_kept) OVER (PARTITION BY bucket, split1, has_plan)) AS prefilter_removed,
  toUInt64((groupBitmapMerge(point_agents) OVER (PARTITION BY bucket, split1, has_plan)) - (sumIf(agent_count, is_kept) OVER (PARTITION BY bucket, split1, has_plan))) AS prefilter_agentsLost,
  (sumForEach(matched) OVER (PARTITION BY bucket, split1, has_plan)) AS all_matched,
  (sumForEach(alone) OVER (PARTITION BY bucket, split1, has_plan)) AS all_alone,
  (maxForEach(each_hours) OVER (PARTITION BY bucket, split1, has_plan)) AS all_hours,
  (sumForEach(arrayMap((n, h) -> if(h > 0, n, 0), each_results, each_hours)) OVER (PARTITION BY bucket, split1, has_plan)) AS all_results,
  (sumForEach(each_total) OVER (PARTITION BY bucket, split1, has_plan)) AS all_above
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
  has_plan,
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
  own_rules = 0 AS is_kept,
  [sumIf(own_sample_count, bitAnd(own_rules, 1) > 0), sumIf(own_sample_count, bitAnd(own_rules, 2) > 0), sumIf(own_sample_count, bitAnd(own_rules, 4) > 0)] AS matched,
  [sumIf(own_sample_count, own_rules = 1), sumIf(own_sample_count, own_rules = 2), sumIf(own_sample_count, own_rules = 4)] AS alone,
  groupBitmapState(own_agent) AS point_agents
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p1:Array(Int32)}[z + 1] + arraySum((f, b) -> if(utc_second >= f, b, 0), {p2:Array(Array(UInt32))}[{p3:Array(UInt16)}[z + 1]], {p4:Array(Array(Int32))}[{p3:Array(UInt16)}[z + 1]]), [zone])[1] AS local_second,
  if(toDate(dtime) >= dictGet('broadgauge.package_speeds', ('current_from', 'current_download'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1])).1, dictGet('broadgauge.package_speeds', ('current_from', 'current_download'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1])).2, arrayMap(history -> history.2[arrayLastIndex(d -> d <= toDate(dtime), history.1)], [dictGet('broadgauge.package_speeds', ('days', 'download'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1]))])[1]) AS plan_speed,
  toInt128(assumeNotNull(intDiv(toInt128(bytes_sec) * 800000000000000 + if(bytes_sec < 0, -1, 1) * intDiv(toInt128(greatest(plan_speed, 1)), 2), toInt128(greatest(plan_speed, 1))))) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {p5:Array(UInt8)}[local_hour + 1] AS block,
  {p6:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  toUInt8(0) AS bucket,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'isp_id', k, dictGet('broadgauge.spans_recent', 'isp_id', k)), [span])[1] AS split1,
  plan_speed > 0 AS has_plan,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  maxResample(0, 6, 1)(block_hours, block) AS own_each_hours,
  countResample(0, 6, 1)(block) AS own_each_results,
  sumResample(0, 6, 1)(toInt128(number), block) AS own_each_total,
  sumResample(0, 6, 1)(toInt256(number) * number, block) AS own_each_squares,
  groupArray(reinterpretAsFloat64(bitOr(bitAnd(reinterpretAsUInt64(toFloat64(toFloat64(number))), 18446744073709551584), block))) AS own_tagged,
  groupArray(toUInt8(bitAnd(reinterpretAsUInt64(toFloat64(toFloat64(number))), 31))) AS own_lost_bits,
  agent AS own_agent,
  toUInt16(0 + 1 * (ifNull(bytes_sec <= 0, false)) + 2 * (ifNull(bytes_sec > 1250000000, false)) + 4 * (ifNull(isNull(warmup_time) OR warmup_time <= 0, false))) AS own_rules
FROM broadgauge.httpget
WHERE panel IN {p7:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p8:Date} AND {p9:Date}
  AND local_second BETWEEN {p10:Int64} AND {p11:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1, has_plan, own_agent, own_rules
)
GROUP BY bucket, split1, has_plan, is_kept
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
WHERE has_plan AND (is_kept OR NOT has_kept)
ORDER BY shown_split1 ASC NULLS LAST, bucket
LIMIT {p12:UInt32}
