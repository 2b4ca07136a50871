SELECT
  toString(bucket) AS dtime,
  (toFloat64(midst) + mean) * 8 / 1e6 AS metricValue,
  sqrt(variance) * 8 / 1e6 AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  {1.6448536269514722:Float64} * sqrt(variance) * 8 / 1e6 / sqrt(effective) + if(sample_count < 2, NULL, 0) AS ci90,
  {1.959963984540054:Float64} * sqrt(variance) * 8 / 1e6 / sqrt(effective) + if(sample_count < 2, NULL, 0) AS ci95,
  {2.5758293035489004:Float64} * sqrt(variance) * 8 / 1e6 / sqrt(effective) + if(sample_count < 2, NULL, 0) AS ci99,
  toFloat64(least) * 8 / 1e6 AS min,
  toFloat64(greatest) * 8 / 1e6 AS max,
  levels[6] * 8 / 1e6 AS median,
  arrayMap(level -> level * 8 / 1e6, levels) AS percentiles
FROM (
SELECT *,
  arrayMap(a -> least(greatest(arraySum((x, e, s) -> x * (least(greatest((e - a) * effective, 0), 1) - least(greatest((s - a) * effective, 0), 1)), bin_middles, bin_ends, bin_starts), toFloat64(least)), toFloat64(greatest)), windows) AS levels
FROM (
SELECT *,
  arrayPushFront(arrayPopBack(bin_ends), 0.) AS bin_starts
FROM (
SELECT *,
  arrayMap(bin -> if(bin = 0, 0., if(bin < 0, -1, 1) * reinterpretAsFloat64(bitShiftLeft(toUInt64(abs(bin)), 46) + bitShiftLeft(toUInt64(1), 45))), sketch.1) AS bin_middles,
  arrayMap(c -> c / weight, arrayCumSum(sketch.2)) AS bin_ends,
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
  sumIf(block_sample_count, block != {255:UInt8}) AS sample_count,
  groupBitmapMerge(block_agent_count) AS agent_count,
  groupBitmapMerge(block_unit_count) AS unit_count,
  min(block_least) AS least,
  max(block_greatest) AS greatest,
  arraySort((_, b) -> b, groupArrayIf(block_hours, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_hours,
  arraySort((_, b) -> b, groupArrayIf(block_sample_count, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_results,
  arraySort((_, b) -> b, groupArrayIf(block_total, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_total,
  arraySort((_, b) -> b, groupArrayIf(block_squares, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_squares,
  sumMapIf(block_sketch.1, arrayMap(c -> c * block_hours / block_sample_count, block_sketch.2), block != {255:UInt8}) AS sketch
FROM (
SELECT
  bucket,
  block,
  max(cell_hours) AS block_hours,
  sum(cell_results) AS block_sample_count,
  groupBitmapMergeState(cell_agents) AS block_agent_count,
  groupBitmapMergeState(cell_units) AS block_unit_count,
  sum(cell_total) AS block_total,
  sum(cell_squares) AS block_squares,
  min(cell_least) AS block_least,
  max(cell_greatest) AS block_greatest,
  sumMap(cell_sketch) AS block_sketch
FROM (
SELECT * FROM (
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
  block,
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  count() AS cell_results,
  groupBitmapState(agent) AS cell_agents,
  groupBitmapStateIf(agent, isNotNull(dictGet('bg.agents', 'unit_id', agent))) AS cell_units,
  sum(toInt128(number)) AS cell_total,
  sum(toInt256(toInt128(number) * number)) AS cell_squares,
  min(number) AS cell_least,
  max(number) AS cell_greatest,
  sumMap([toInt32(if(number < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt64(toFloat64(abs(number))), 46)))], [toUInt64(1)]) AS cell_sketch,
  any(block_hours) AS cell_hours
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-03":Date} AND {"2026-01-03":Date}
  AND local_second BETWEEN {1767398400:Int64} AND {1767484799:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, block
)
UNION ALL
SELECT
  block,
  day AS bucket,
  sum(results) AS cell_results,
  groupBitmapMergeState(agents) AS cell_agents,
  groupBitmapMergeState(units) AS cell_units,
  sum(total) AS cell_total,
  sum(squares) AS cell_squares,
  min(least) AS cell_least,
  max(greatest) AS cell_greatest,
  sumMap(sketch) AS cell_sketch,
  any(if(block = {255:UInt8}, 0, {[6,6,6,2,2,2]:Array(UInt8)}[block + 1])) AS cell_hours
FROM bg.metric_rollup
WHERE panel IN {[3,7]:Array(UInt32)}
  AND metric = 'httpget' AND prefilter = 0 AND grain = {3:UInt8}
  AND whole IN (0, 1)
  AND day BETWEEN {"2026-01-01":Date} AND {"2026-01-02":Date}
  AND build * 65536 + toUInt16(day) IN {[348134,348135]:Array(UInt64)}
GROUP BY bucket, block
)
GROUP BY bucket, block
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
ORDER BY bucket
