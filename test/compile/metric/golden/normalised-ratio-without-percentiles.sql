SELECT
  toString(bucket) AS dtime,
  100 * share AS metricValue,
  sqrt(variance) AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(sample_count < 2, NULL, 1.6448536269514722 * 100 * sqrt(residuals) / weighted_denominators) AS ci90,
  if(sample_count < 2, NULL, 1.959963984540054 * 100 * sqrt(residuals) / weighted_denominators) AS ci95,
  if(sample_count < 2, NULL, 2.5758293035489004 * 100 * sqrt(residuals) / weighted_denominators) AS ci99,
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
  sum(results) AS sample_count,
  uniqExactMerge(agents) AS agent_count,
  uniqExactMerge(units) AS unit_count,
  min(block_least) AS least,
  max(block_greatest) AS greatest,
  arraySort((_, b) -> b, groupArray(block), groupArray(block)) AS each_block,
  arraySort((_, b) -> b, groupArray(hours), groupArray(block)) AS each_hours,
  arraySort((_, b) -> b, groupArray(results), groupArray(block)) AS each_results,
  arraySort((_, b) -> b, groupArray(numerators), groupArray(block)) AS each_numerators,
  arraySort((_, b) -> b, groupArray(denominators), groupArray(block)) AS each_denominators,
  arraySort((_, b) -> b, groupArray(numerator_squares), groupArray(block)) AS each_numerator_squares,
  arraySort((_, b) -> b, groupArray(products), groupArray(block)) AS each_products,
  arraySort((_, b) -> b, groupArray(denominator_squares), groupArray(block)) AS each_denominator_squares,
  arraySort((_, b) -> b, groupArray(mean), groupArray(block)) AS each_mean,
  arraySort((_, b) -> b, groupArray(variance), groupArray(block)) AS each_variance
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  dictGetOrDefault('bg.spans', 'zone_id', span, dictGet('bg.spans_recent', 'zone_id', span)) AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  utc_second + {[0]:Array(Int32)}[zone + 1] AS local_second,
  toInt64(assumeNotNull(failures)) AS numerator,
  toInt64(assumeNotNull(successes + failures)) AS denominator,
  100 * numerator / denominator AS percentage,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23]:Array(UInt8)}[local_hour + 1] AS block,
  {[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  block,
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  any(block_hours) AS hours,
  count() AS results,
  uniqExactState(agent) AS agents,
  uniqExactStateIf(agent, isNotNull(dictGet('bg.agents', 'unit_id', agent))) AS units,
  sum(toInt128(numerator)) AS numerators,
  sum(toInt128(denominator)) AS denominators,
  sum(toInt256(toInt128(numerator) * numerator)) AS numerator_squares,
  sum(toInt256(toInt128(numerator) * denominator)) AS products,
  sum(toInt256(toInt128(denominator) * denominator)) AS denominator_squares,
  avg(percentage) AS mean,
  varPopStable(percentage) AS variance,
  min(percentage) AS block_least,
  max(percentage) AS block_greatest
FROM bg.dns
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes + failures > 0
  AND isNotNull(failures)
GROUP BY bucket, block
)
GROUP BY bucket
)
)
)
)
ORDER BY bucket
LIMIT {101:UInt32}
