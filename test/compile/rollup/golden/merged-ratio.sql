SELECT
  toString(bucket) AS dtime,
  100 * toFloat64(numerators) / toFloat64(denominators) AS metricValue,
  sqrt(variance) AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  {1.6448536269514722:Float64} * 100 * sqrt(toFloat64(residuals)) / toFloat64(denominators) / toFloat64(denominators) + if(sample_count < 2, NULL, 0) AS ci90,
  {1.959963984540054:Float64} * 100 * sqrt(toFloat64(residuals)) / toFloat64(denominators) / toFloat64(denominators) + if(sample_count < 2, NULL, 0) AS ci95,
  {2.5758293035489004:Float64} * 100 * sqrt(toFloat64(residuals)) / toFloat64(denominators) / toFloat64(denominators) + if(sample_count < 2, NULL, 0) AS ci99,
  toFloat64(least) AS min,
  toFloat64(greatest) AS max,
  levels[6] AS median,
  arrayMap(level -> level, levels) AS percentiles
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
  toFloat64(sample_count) AS weight,
  toFloat64(sample_count) AS effective
FROM (
SELECT *,
  toInt256(denominators) * denominators * numerator_squares - 2 * toInt256(numerators) * denominators * products + toInt256(numerators) * numerators * denominator_squares AS residuals
FROM (
SELECT
  bucket,
  sum(cell_results) AS sample_count,
  groupBitmapMerge(cell_agents) AS agent_count,
  groupBitmapMerge(cell_units) AS unit_count,
  sum(cell_numerators) AS numerators,
  sum(cell_denominators) AS denominators,
  sum(cell_numerator_squares) AS numerator_squares,
  sum(cell_products) AS products,
  sum(cell_denominator_squares) AS denominator_squares,
  avgMerge(cell_mean) AS mean,
  varPopStableMerge(cell_variance) AS variance,
  min(cell_least_percentage) AS least,
  max(cell_greatest_percentage) AS greatest,
  sumMap(cell_sketch) AS sketch
FROM (
SELECT * FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(failures)) AS numerator,
  toInt64(assumeNotNull(successes + failures)) AS denominator,
  100 * numerator / denominator AS percentage
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  count() AS cell_results,
  groupBitmapState(agent) AS cell_agents,
  groupBitmapStateIf(agent, isNotNull(dictGet('bg.agents', 'unit_id', agent))) AS cell_units,
  sum(toInt128(numerator)) AS cell_numerators,
  sum(toInt128(denominator)) AS cell_denominators,
  sum(toInt256(toInt128(numerator) * numerator)) AS cell_numerator_squares,
  sum(toInt256(toInt128(numerator) * denominator)) AS cell_products,
  sum(toInt256(toInt128(denominator) * denominator)) AS cell_denominator_squares,
  avgState(percentage) AS cell_mean,
  varPopStableState(percentage) AS cell_variance,
  min(percentage) AS cell_least_percentage,
  max(percentage) AS cell_greatest_percentage,
  sumMap([toInt32(if(percentage < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt64(toFloat64(abs(percentage))), 46)))], [toUInt64(1)]) AS cell_sketch
FROM bg.latency
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-03":Date} AND {"2026-01-03":Date}
  AND local_second BETWEEN {1767398400:Int64} AND {1767484799:Int64}
  AND successes + failures > 0
  AND isNotNull(failures)
GROUP BY bucket
)
UNION ALL
SELECT
  day AS bucket,
  sum(results) AS cell_results,
  groupBitmapMergeState(agents) AS cell_agents,
  groupBitmapMergeState(units) AS cell_units,
  sum(numerators) AS cell_numerators,
  sum(denominators) AS cell_denominators,
  sum(numerator_squares) AS cell_numerator_squares,
  sum(products) AS cell_products,
  sum(denominator_squares) AS cell_denominator_squares,
  avgMergeState(mean) AS cell_mean,
  varPopStableMergeState(variance) AS cell_variance,
  min(least_percentage) AS cell_least_percentage,
  max(greatest_percentage) AS cell_greatest_percentage,
  sumMap(sketch) AS cell_sketch
FROM bg.metric_rollup
WHERE panel IN {[3,7]:Array(UInt32)}
  AND metric = 'packetLoss' AND prefilter = 0 AND grain = {3:UInt8}
  AND whole = 1
  AND day BETWEEN {"2026-01-01":Date} AND {"2026-01-02":Date}
  AND build * 65536 + toUInt16(day) IN {[348134,348135]:Array(UInt64)}
GROUP BY bucket
)
GROUP BY bucket
)
)
)
)
)
)
ORDER BY bucket
