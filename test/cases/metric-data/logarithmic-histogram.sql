SELECT
  toString(bucket) AS dtime,
  sample_count AS sampleCount,
  bin_edges AS histogram_edges,
  bin_counts AS histogram_counts,
  below_bins AS histogram_below,
  above_bins AS histogram_above
FROM (
SELECT *,
  arrayMap(i -> reinterpretAsFloat64(bitOr(bitShiftLeft(toUInt64(1023 + intDiv((log_bins[1] + i) - bitAnd((log_bins[1] + i), 7), 8)), 52), [toUInt64(0), 407610591105403, 852113092622101, 1336846507715111, 1865452045155277, 2441900471263451, 3070521937417133, 3756038507177095][bitAnd((log_bins[1] + i), 7) + 1])), range(bin_total + (bin_total > 0))) AS bin_edges,
  arrayMap(i -> bins.2[indexOf(bins.1, log_bins[1] + i)], range(bin_total)) AS bin_counts,
  bins.2[indexOf(bins.1, -32768)] AS below_bins,
  toUInt64(0) AS above_bins
FROM (
SELECT *,
  if(empty(log_bins), 0, log_bins[-1] - log_bins[1] + 1) AS bin_total
FROM (
SELECT *,
  arrayFilter(bin -> bin > -32768, bins.1) AS log_bins
FROM (
SELECT
  bucket,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  sumMap(own_bins, arrayWithConstant(length(own_bins), toUInt64(1))) AS bins
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p1:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(rtt_avg)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
  groupArray(toInt16(if(toFloat64(number) / 1000 > 0, 8 * (toInt32(bitShiftRight(reinterpretAsUInt64(toFloat64(number) / 1000), 52)) - 1023) + (bitAnd(reinterpretAsUInt64(toFloat64(number) / 1000), 4503599627370495) >= 407610591105403) + (bitAnd(reinterpretAsUInt64(toFloat64(number) / 1000), 4503599627370495) >= 852113092622101) + (bitAnd(reinterpretAsUInt64(toFloat64(number) / 1000), 4503599627370495) >= 1336846507715111) + (bitAnd(reinterpretAsUInt64(toFloat64(number) / 1000), 4503599627370495) >= 1865452045155277) + (bitAnd(reinterpretAsUInt64(toFloat64(number) / 1000), 4503599627370495) >= 2441900471263451) + (bitAnd(reinterpretAsUInt64(toFloat64(number) / 1000), 4503599627370495) >= 3070521937417133) + (bitAnd(reinterpretAsUInt64(toFloat64(number) / 1000), 4503599627370495) >= 3756038507177095), -32768))) AS own_bins
FROM broadgauge.latency
WHERE panel IN {p2:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p3:Date} AND {p4:Date}
  AND local_second BETWEEN {p5:Int64} AND {p6:Int64}
  AND successes >= 1
  AND isNotNull(rtt_avg)
GROUP BY bucket
)
GROUP BY bucket
)
)
)
)
ORDER BY bucket
LIMIT {p7:UInt32}
