INSERT INTO bg.metric_rollup (metric, prefilter, grain, whole, panel, day, build, expires, block, isp_id, package_id, country, base, results, total, squares, least, greatest, sketch, agents, units)
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(rtt)) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23]:Array(UInt8)}[local_hour + 1] AS block,
  {[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]:Array(UInt8)}[local_hour + 1] AS block_hours,
  toDate(toUInt16(intDiv(local_second, 86400))) AS rolled_day,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'isp_id', k, dictGet('bg.spans_recent', 'isp_id', k)), [span])[1] AS rolled_isp_id,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'package_id', k, dictGet('bg.spans_recent', 'package_id', k)), [span])[1] AS rolled_package_id,
  dictGet('bg.agents', 'country', agent) AS rolled_country,
  dictGet('bg.agents', 'base', agent) AS rolled_base
SELECT
  'dnsResponse',
  0,
  {2:UInt16},
  1,
  {3:UInt32},
  rolled_day,
  {77:UInt64},
  rolled_day + {400:UInt16},
  {255:UInt16},
  rolled_isp_id,
  rolled_package_id,
  rolled_country,
  rolled_base,
  count(),
  sum(toInt128(number)),
  sum(toInt256(toInt128(number) * number)),
  min(number),
  max(number),
  sumMap([toInt32(if(number < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt64(toFloat64(abs(number))), 46)))], [toUInt64(1)]),
  groupBitmapState(agent),
  groupBitmapStateIf(agent, isNotNull(dictGet('bg.agents', 'unit_id', agent)))
FROM bg.dns
WHERE panel IN {[3]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-02":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1767398399:Int64}
  AND successes >= 1
  AND isNotNull(rtt)
GROUP BY rolled_day, rolled_isp_id, rolled_package_id, rolled_country, rolled_base
