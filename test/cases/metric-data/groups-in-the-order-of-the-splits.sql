SELECT
  split1 AS shown_split1,
  split2 AS shown_split2,
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count * 8 / 1e6 AS metricValue,
  sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(sample_count < 2, NULL, 1.6448536269514722 * sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 / sqrt(sample_count)) AS ci90,
  if(sample_count < 2, NULL, 1.959963984540054 * sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 / sqrt(sample_count)) AS ci95,
  if(sample_count < 2, NULL, 2.5758293035489004 * sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 / sqrt(sample_count)) AS ci99,
  toFloat64(least) * 8 / 1e6 AS min,
  toFloat64(greatest) * 8 / 1e6 AS max,
  levels[6] * 8 / 1e6 AS median,
  arrayMap(level -> level * 8 / 1e6, levels) AS percentiles
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  dictGetOrDefault('broadgauge.spans', 'zone_id', span, dictGet('broadgauge.spans_recent', 'zone_id', span)) AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  utc_second + {p1:Array(Int32)}[zone + 1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  threads AS split1,
  dictGetOrDefault('broadgauge.custom_values', 'value', bitOr(bitShiftLeft(toUInt64(transform(panel, {p2:Array(UInt32)}, {p3:Array(UInt32)}, 0)), 32), toUInt64(span)), dictGet('broadgauge.custom_values_recent', 'value', bitOr(bitShiftLeft(toUInt64(transform(panel, {p2:Array(UInt32)}, {p3:Array(UInt32)}, 0)), 32), toUInt64(span)))) AS split2,
  count() AS sample_count,
  uniqExact(agent) AS agent_count,
  uniqExactIf(agent, isNotNull(dictGet('broadgauge.agents', 'unit_id', agent))) AS unit_count,
  sum(toInt128(number)) AS total,
  sum(toInt256(toInt128(number) * number)) AS squares,
  min(number) AS least,
  max(number) AS greatest,
  quantilesExactInclusive(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(number) AS levels
FROM broadgauge.httpget
WHERE panel IN {p4:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p5:Date} AND {p6:Date}
  AND local_second BETWEEN {p7:Int64} AND {p8:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1, split2
)
ORDER BY shown_split1 ASC NULLS LAST, shown_split2 ASC NULLS LAST, bucket
LIMIT {p9:UInt32}
