SELECT
  toString(bucket) AS dtime,
  sample_count AS sampleCount,
  levels[2] * 8 / 1e6 AS median,
  arrayMap(level -> level * 8 / 1e6, [levels[1], levels[3]]) AS percentiles,
  bin_edges AS histogram_edges,
  bin_counts AS histogram_counts,
  below_bins AS histogram_below,
  above_bins AS histogram_above
FROM (
SELECT *,
  {p1:Array(Float64)} AS bin_edges,
  arraySlice(all_bins, 2, 4 - 1) AS bin_counts,
  all_bins[1] AS below_bins,
  all_bins[-1] AS above_bins
FROM (
SELECT *,
  arrayMap(bin -> bins.2[indexOf(bins.1, bin)], range(4 + 1)) AS all_bins
FROM (
SELECT
  bucket,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  quantilesExactInclusiveArray(0.25, 0.5, 0.999)(own_levels) AS levels,
  sumMap(own_bins, arrayWithConstant(length(own_bins), toUInt64(1))) AS bins
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p2:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
  groupArray(number) AS own_levels,
  groupArray(toUInt8(transform(roundDown(toFloat64(number) * 8 / 1e6, {p3:Array(Float64)}), {p3:Array(Float64)}, {p4:Array(UInt8)}, 0) - (toFloat64(number) * 8 / 1e6 < {p3:Array(Float64)}[1]) - (toFloat64(number) * 8 / 1e6 = {p3:Array(Float64)}[-1]))) AS own_bins
FROM broadgauge.httpget
WHERE panel IN {p5:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p6:Date} AND {p7:Date}
  AND local_second BETWEEN {p8:Int64} AND {p9:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket
)
GROUP BY bucket
)
)
)
ORDER BY bucket
LIMIT {p10:UInt32}
