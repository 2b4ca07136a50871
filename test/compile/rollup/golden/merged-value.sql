SELECT
  nullIf(dictGet('bg.isps', 'name', toUInt64(split1)), '') AS shown_split1,
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count * 8 / 1e6 AS metricValue,
  sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  {1.6448536269514722:Float64} * sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 / sqrt(sample_count) + if(sample_count < 2, NULL, 0) AS ci90,
  {1.959963984540054:Float64} * sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 / sqrt(sample_count) + if(sample_count < 2, NULL, 0) AS ci95,
  {2.5758293035489004:Float64} * sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 / sqrt(sample_count) + if(sample_count < 2, NULL, 0) AS ci99,
  toFloat64(least) * 8 / 1e6 AS min,
  toFloat64(greatest) * 8 / 1e6 AS max
FROM (
SELECT
  bucket,
  split1,
  sum(cell_results) AS sample_count,
  groupBitmapMerge(cell_agents) AS agent_count,
  groupBitmapMerge(cell_units) AS unit_count,
  sum(cell_total) AS total,
  sum(cell_squares) AS squares,
  min(cell_least) AS least,
  max(cell_greatest) AS greatest
FROM (
SELECT * FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'isp_id', k, dictGet('bg.spans_recent', 'isp_id', k)), [span])[1] AS split1,
  count() AS cell_results,
  groupBitmapState(agent) AS cell_agents,
  groupBitmapStateIf(agent, isNotNull(dictGet('bg.agents', 'unit_id', agent))) AS cell_units,
  sum(toInt128(number)) AS cell_total,
  sum(toInt256(toInt128(number) * number)) AS cell_squares,
  min(number) AS cell_least,
  max(number) AS cell_greatest
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-03":Date} AND {"2026-01-03":Date}
  AND local_second BETWEEN {1767398400:Int64} AND {1767484799:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1
)
UNION ALL
SELECT
  day AS bucket,
  isp_id AS split1,
  sum(results) AS cell_results,
  groupBitmapMergeState(agents) AS cell_agents,
  groupBitmapMergeState(units) AS cell_units,
  sum(total) AS cell_total,
  sum(squares) AS cell_squares,
  min(least) AS cell_least,
  max(greatest) AS cell_greatest
FROM bg.metric_rollup
WHERE panel IN {[3,7]:Array(UInt32)}
  AND metric = 'httpget' AND prefilter = 0 AND grain = {3:UInt8}
  AND whole = 1
  AND day BETWEEN {"2026-01-01":Date} AND {"2026-01-02":Date}
  AND build * 65536 + toUInt16(day) IN {[348134,348135]:Array(UInt64)}
GROUP BY bucket, split1
)
GROUP BY bucket, split1
)
ORDER BY shown_split1 ASC NULLS LAST, bucket
