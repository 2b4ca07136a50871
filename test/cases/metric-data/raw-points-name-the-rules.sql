SELECT
  column1 AS {p1:Identifier},
  column2 AS {p2:Identifier},
  column3 AS {p3:Identifier},
  column4 AS {p4:Identifier},
  column5 AS {p5:Identifier}
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p6:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toFloat64(number) * 8 / 1e6 AS column1,
  formatDateTime(toDateTime(local_second, 'UTC'), '%Y-%m-%dT%H:%i:%S') AS column2,
  dictGet('broadgauge.agents', 'agent_id', agent) AS column3,
  toString(dictGet('broadgauge.agents', 'unit_id', agent)) AS column4,
  arrayFilter((name, is_matched) -> is_matched, {p7:Array(String)}, [ifNull(bytes_sec <= 0, false), ifNull(bytes_sec > 1250000000, false), ifNull(isNull(warmup_time) OR warmup_time <= 0, false)]) AS column5
FROM broadgauge.httpget
WHERE panel IN {p8:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p9:Date} AND {p10:Date}
  AND local_second BETWEEN {p11:Int64} AND {p12:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
ORDER BY panel, toDate(dtime), agent, dtime, target, sequence, threads, ip_version
)
