SELECT
  nullIf(dictGet('bg.isps', 'name', toUInt64(split1)), '') AS shown_split1,
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
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  dictGetOrDefault('bg.spans', 'zone_id', span, dictGet('bg.spans_recent', 'zone_id', span)) AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  utc_second + {[0]:Array(Int32)}[zone + 1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  dictGetOrDefault('bg.spans', 'isp_id', span, dictGet('bg.spans_recent', 'isp_id', span)) AS split1,
  threads AS split2,
  count() AS sample_count,
  uniqExact(agent) AS agent_count,
  uniqExactIf(agent, isNotNull(dictGet('bg.agents', 'unit_id', agent))) AS unit_count,
  sum(toInt128(number)) AS total,
  sum(toInt256(toInt128(number) * number)) AS squares,
  min(number) AS least,
  max(number) AS greatest,
  quantilesExactInclusive(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(number) AS levels
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
  AND NOT ifNull(bytes_sec <= 0, false)
  AND NOT ifNull(bytes_sec > 1250000000, false)
  AND NOT ifNull(isNull(warmup_time) OR warmup_time <= 0, false)
GROUP BY bucket, split1, split2
)
ORDER BY shown_split1 ASC NULLS LAST, shown_split2 ASC NULLS LAST, bucket
LIMIT {101:UInt32}
