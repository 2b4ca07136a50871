SELECT
  column1 AS {p1:Identifier},
  column2 AS {p2:Identifier},
  column3 AS {p3:Identifier},
  column4 AS {p4:Identifier},
  column5 AS {p5:Identifier},
  column6 AS {p6:Identifier},
  column7 AS {p7:Identifier}
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p8:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toFloat64(number) * 8 / 1e6 AS column1,
  formatDateTime(toDateTime(local_second, 'UTC'), '%Y-%m-%dT%H:%i:%S') AS column2,
  dictGet('broadgauge.agents', 'agent_id', agent) AS column3,
  toString(dictGet('broadgauge.agents', 'unit_id', agent)) AS column4,
  nullIf(dictGet('broadgauge.isps', 'name', toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'isp_id', k, dictGet('broadgauge.spans_recent', 'isp_id', k)), [span])[1])), '') AS column5,
  threads AS column6,
  arrayMap(k -> dictGetOrDefault('broadgauge.custom_values', 'value', k, dictGet('broadgauge.custom_values_recent', 'value', k)), [bitOr(bitShiftLeft(toUInt64(transform(panel, {p9:Array(UInt32)}, {p10:Array(UInt32)}, 0)), 32), toUInt64(span))])[1] AS column7
FROM broadgauge.httpget
WHERE panel IN {p11:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p12:Date} AND {p13:Date}
  AND local_second BETWEEN {p14:Int64} AND {p15:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
ORDER BY panel, toDate(dtime), agent, dtime, target, sequence, threads, ip_version
)
