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
  arrayMap(z -> utc_second + {p6:Array(Int32)}[z + 1] + arraySum((f, b) -> if(utc_second >= f, b, 0), {p7:Array(Array(UInt32))}[{p8:Array(UInt16)}[z + 1]], {p9:Array(Array(Int32))}[{p8:Array(UInt16)}[z + 1]]), [zone])[1] AS local_second,
  if(toDate(dtime) >= dictGet('broadgauge.package_speeds', ('current_from', 'current_upload'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1])).1, dictGet('broadgauge.package_speeds', ('current_from', 'current_upload'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1])).2, arrayMap(history -> history.2[arrayLastIndex(d -> d <= toDate(dtime), history.1)], [dictGet('broadgauge.package_speeds', ('days', 'upload'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1]))])[1]) AS plan_speed,
  toInt128(assumeNotNull(intDiv(toInt128(bytes_sec) * 800000000000000 + if(bytes_sec < 0, -1, 1) * intDiv(toInt128(greatest(plan_speed, 1)), 2), toInt128(greatest(plan_speed, 1))))) AS number
SELECT
  toFloat64(number) / 1e12 AS column1,
  formatDateTime(toDateTime(local_second, 'UTC'), '%Y-%m-%dT%H:%i:%S') AS column2,
  dictGet('broadgauge.agents', 'agent_id', agent) AS column3,
  toString(dictGet('broadgauge.agents', 'unit_id', agent)) AS column4,
  if(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1] = 0, NULL, concat(dictGet('broadgauge.isps', 'name', toUInt64(dictGet('broadgauge.packages', ('isp_id', 'name'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1])).1)), ':', dictGet('broadgauge.packages', ('isp_id', 'name'), toUInt64(arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'package_id', k, dictGet('broadgauge.spans_recent', 'package_id', k)), [span])[1])).2)) AS column5
FROM broadgauge.httppost
WHERE panel IN {p10:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p11:Date} AND {p12:Date}
  AND local_second BETWEEN {p13:Int64} AND {p14:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
  AND plan_speed > 0
ORDER BY panel, toDate(dtime), agent, dtime, target, sequence, threads, ip_version
)
