SELECT
  toString(bucket) AS dtime,
  100 * share AS metricValue,
  sqrt(variance) AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  {1.6448536269514722:Float64} * 100 * sqrt(residuals) / weighted_denominators + if(sample_count < 2, NULL, 0) AS ci90,
  {1.959963984540054:Float64} * 100 * sqrt(residuals) / weighted_denominators + if(sample_count < 2, NULL, 0) AS ci95,
  {2.5758293035489004:Float64} * 100 * sqrt(residuals) / weighted_denominators + if(sample_count < 2, NULL, 0) AS ci99,
  toFloat64(least) AS min,
  toFloat64(greatest) AS max
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
  sumIf(block_sample_count, block != {255:UInt8}) AS sample_count,
  groupBitmapMerge(block_agent_count) AS agent_count,
  groupBitmapMerge(block_unit_count) AS unit_count,
  min(block_least) AS least,
  max(block_greatest) AS greatest,
  arraySort((_, b) -> b, groupArrayIf(block_hours, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_hours,
  arraySort((_, b) -> b, groupArrayIf(block_sample_count, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_results,
  arraySort((_, b) -> b, groupArrayIf(block_numerators, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_numerators,
  arraySort((_, b) -> b, groupArrayIf(block_denominators, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_denominators,
  arraySort((_, b) -> b, groupArrayIf(block_numerator_squares, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_numerator_squares,
  arraySort((_, b) -> b, groupArrayIf(block_products, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_products,
  arraySort((_, b) -> b, groupArrayIf(block_denominator_squares, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_denominator_squares,
  arraySort((_, b) -> b, groupArrayIf(block_mean, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_mean,
  arraySort((_, b) -> b, groupArrayIf(block_variance, block != {255:UInt8}), groupArrayIf(block, block != {255:UInt8})) AS each_variance
FROM (
SELECT
  bucket,
  block,
  max(cell_hours) AS block_hours,
  sum(cell_results) AS block_sample_count,
  groupBitmapMergeState(cell_agents) AS block_agent_count,
  groupBitmapMergeState(cell_units) AS block_unit_count,
  sum(cell_numerators) AS block_numerators,
  sum(cell_denominators) AS block_denominators,
  sum(cell_numerator_squares) AS block_numerator_squares,
  sum(cell_products) AS block_products,
  sum(cell_denominator_squares) AS block_denominator_squares,
  avgMerge(cell_mean) AS block_mean,
  varPopStableMerge(cell_variance) AS block_variance,
  min(cell_least_percentage) AS block_least,
  max(cell_greatest_percentage) AS block_greatest
FROM (
SELECT * FROM (
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
  block,
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
  any(block_hours) AS cell_hours
FROM bg.latency
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-03":Date} AND {"2026-01-03":Date}
  AND local_second BETWEEN {1767398400:Int64} AND {1767484799:Int64}
  AND successes + failures > 0
  AND isNotNull(failures)
GROUP BY bucket, block
)
UNION ALL
SELECT
  block,
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
  any(if(block = {255:UInt8}, 0, {[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]:Array(UInt8)}[block + 1])) AS cell_hours
FROM bg.metric_rollup
WHERE panel IN {[3,7]:Array(UInt32)}
  AND metric = 'packetLoss' AND prefilter = 0 AND grain = {3:UInt8}
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
ORDER BY bucket
