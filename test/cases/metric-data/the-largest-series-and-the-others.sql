WITH (
SELECT groupArray(series_key) FROM (
SELECT toJSONString(tuple(split1)) AS series_key
FROM (
SELECT
  bucket,
  split1,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p1:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toUInt8(0) AS bucket,
  target AS split1,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares
FROM broadgauge.httpget
WHERE panel IN {p2:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p3:Date} AND {p4:Date}
  AND local_second BETWEEN {p5:Int64} AND {p6:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1
)
GROUP BY bucket, split1
)
ORDER BY toFloat64(total) / sample_count * 8 / 1e6 DESC NULLS LAST, split1 ASC NULLS LAST
LIMIT 2
)
) AS top_series
SELECT
  if(series_rank > 0, split1, NULL) AS shown_split1,
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count * 8 / 1e6 AS metricValue,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  toBool(series_rank = 0) AS other
FROM (
SELECT
  bucket,
  split1,
  series_rank,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  count() AS agent_count,
  countIf(isNotNull(dictGet('broadgauge.agents', 'unit_id', own_agent))) AS unit_count
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p7:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  transform(toJSONString(tuple(target)), top_series, range(1, length(top_series) + 1), 0) AS row_rank,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  if(row_rank > 0, target, defaultValueOfArgumentType(target)) AS split1,
  row_rank AS series_rank,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
  agent AS own_agent
FROM broadgauge.httpget
WHERE panel IN {p8:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p9:Date} AND {p10:Date}
  AND local_second BETWEEN {p11:Int64} AND {p12:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1, series_rank, own_agent
)
GROUP BY bucket, split1, series_rank
)
ORDER BY if(series_rank = 0, 1001, series_rank), bucket
LIMIT {p13:UInt32}
