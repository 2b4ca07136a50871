SELECT
  formatDateTime(bucket, '%Y-%m-%dT%H:%i:%S') AS dtime,
  100 * toFloat64(numerators) / toFloat64(denominators) AS metricValue,
  sqrt(variance) AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(sample_count < 2, NULL, 1.6448536269514722 * 100 * sqrt(toFloat64(residuals)) / toFloat64(denominators) / toFloat64(denominators)) AS ci90,
  if(sample_count < 2, NULL, 1.959963984540054 * 100 * sqrt(toFloat64(residuals)) / toFloat64(denominators) / toFloat64(denominators)) AS ci95,
  if(sample_count < 2, NULL, 2.5758293035489004 * 100 * sqrt(toFloat64(residuals)) / toFloat64(denominators) / toFloat64(denominators)) AS ci99,
  toFloat64(least) AS min,
  toFloat64(greatest) AS max,
  levels[6] AS median,
  arrayMap(level -> level, levels) AS percentiles
FROM (
SELECT *,
  toInt256(denominators) * denominators * numerator_squares - 2 * toInt256(numerators) * denominators * products + toInt256(numerators) * numerators * denominator_squares AS residuals
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  dictGetOrDefault('bg.spans', 'zone_id', span, dictGet('bg.spans_recent', 'zone_id', span)) AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  utc_second + {[0]:Array(Int32)}[zone + 1] AS local_second,
  toInt64(assumeNotNull(failures)) AS numerator,
  toInt64(assumeNotNull(successes + failures)) AS denominator,
  100 * numerator / denominator AS percentage
SELECT
  toDateTime(intDiv(local_second, 3600) * 3600, 'UTC') AS bucket,
  count() AS sample_count,
  uniqExact(agent) AS agent_count,
  uniqExactIf(agent, isNotNull(dictGet('bg.agents', 'unit_id', agent))) AS unit_count,
  sum(toInt128(numerator)) AS numerators,
  sum(toInt128(denominator)) AS denominators,
  sum(toInt256(toInt128(numerator) * numerator)) AS numerator_squares,
  sum(toInt256(toInt128(numerator) * denominator)) AS products,
  sum(toInt256(toInt128(denominator) * denominator)) AS denominator_squares,
  avg(percentage) AS mean,
  varPopStable(percentage) AS variance,
  min(percentage) AS least,
  max(percentage) AS greatest,
  quantilesExactInclusive(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(percentage) AS levels
FROM bg.latency
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes + failures > 0
  AND isNotNull(failures)
GROUP BY bucket
)
)
ORDER BY bucket
LIMIT {101:UInt32}
