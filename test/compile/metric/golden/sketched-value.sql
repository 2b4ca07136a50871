SELECT
  split1 AS shown_split1,
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
SELECT *,
  arrayMap(a -> least(greatest(arraySum((x, e, s) -> x * (least(greatest((e - a) * effective, 0), 1) - least(greatest((s - a) * effective, 0), 1)), bin_middles, bin_ends, bin_starts), toFloat64(least)), toFloat64(greatest)), windows) AS levels
FROM (
SELECT *,
  arrayPushFront(arrayPopBack(bin_ends), 0.) AS bin_starts
FROM (
SELECT *,
  arrayMap(bin -> if(bin = 0, 0., if(bin < 0, -1, 1) * reinterpretAsFloat64(bitShiftLeft(toUInt64(abs(bin)), 46) + bitShiftLeft(toUInt64(1), 45))), sketch.1) AS bin_middles,
  arrayMap(c -> c / weight, arrayCumSum(sketch.2)) AS bin_ends,
  arrayMap(p -> (effective - 1) * p / effective, [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99]) AS windows
FROM (
SELECT *,
  toFloat64(sample_count) AS weight,
  toFloat64(sample_count) AS effective
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
  max(cell_greatest) AS greatest,
  sumMap(cell_sketch) AS sketch
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  dictGetOrDefault('bg.spans', 'zone_id', span, dictGet('bg.spans_recent', 'zone_id', span)) AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  utc_second + {[0]:Array(Int32)}[zone + 1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  dictGet('bg.agents', 'base', agent) AS split1,
  count() AS cell_results,
  groupBitmapState(agent) AS cell_agents,
  groupBitmapStateIf(agent, isNotNull(dictGet('bg.agents', 'unit_id', agent))) AS cell_units,
  sum(toInt128(number)) AS cell_total,
  sum(toInt256(toInt128(number) * number)) AS cell_squares,
  min(number) AS cell_least,
  max(number) AS cell_greatest,
  sumMap([toInt32(if(number < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt64(toFloat64(abs(number))), 46)))], [toUInt64(1)]) AS cell_sketch
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1
)
GROUP BY bucket, split1
)
)
)
)
)
ORDER BY shown_split1 ASC NULLS LAST, bucket
LIMIT {101:UInt32}
