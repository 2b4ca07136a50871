SELECT
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count * 8 / 1e6 + if(NOT is_found, NULL, 0) AS metricValue
FROM (
SELECT * FROM (
SELECT * FROM (
SELECT *, uniqExact(is_series) OVER () AS series_count FROM (
SELECT *, materialize(toUInt8(1)) AS is_found, materialize(toUInt8(1)) AS is_series FROM (
SELECT
  bucket,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  quantilesExactInclusiveArray(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(own_levels) AS levels
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toStartOfMonth(toDate(toUInt16(intDiv(local_second, 86400)))) AS bucket,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
  groupArray(number) AS own_levels
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket
)
GROUP BY bucket
)
)
)
WHERE throwIf(series_count * 1 > {800:UInt64}, 'the request would fill too many buckets') = 0
ORDER BY is_series, bucket WITH FILL FROM toDate(20454) TO toDate(20455) STEP INTERVAL 1 MONTH
)
WHERE is_series AND (is_found OR 1)
)
ORDER BY bucket
LIMIT {101:UInt32}
