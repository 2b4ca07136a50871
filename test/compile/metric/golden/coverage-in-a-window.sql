SELECT
  nullIf(dictGet('bg.isps', 'name', toUInt64(split1)), '') AS shown_split1,
  if(split2 = 1, 'peak', 'off_peak') AS shown_split2,
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count * 8 / 1e6 AS metricValue,
  series_agents AS coverage_agentsOfRange,
  agent_count AS coverage_agentsSeen,
  toUInt64(gone) AS coverage_agentsGone,
  blocks_seen AS coverage_blocksSeen,
  blocks_expected AS coverage_blocksExpected,
  blocks_seen / nullIf(blocks_expected, 0) AS coverage_share,
  late / sample_count AS coverage_lateShare,
  concat(replaceOne(toString(newest), ' ', 'T'), 'Z') AS coverage_newestStored
FROM (
SELECT *,
  toUInt64(arraySum((n, before, until, first, last) -> n * ((started_before - gone) * (until - before) + peers_starting * until - first - peers_ending * until + last), {[[0,0,0,0,0,6,6],[0,0,0,0,0,0,0]]:Array(Array(UInt8))}[0 + 1 + split2 * 1], weekdays_before, weekdays_until, weekdays_of_starting, weekdays_of_ending)) AS blocks_expected
FROM (
SELECT *,
  (sum(starting) OVER (PARTITION BY split1, split2)) AS series_agents,
  toInt64((sum(starting) OVER (PARTITION BY split1, split2 ORDER BY bucket_first)) - (sum(starting) OVER (PARTITION BY split1, split2, bucket_first))) AS started_before,
  toInt64((sum(ending) OVER (PARTITION BY split1, split2 ORDER BY bucket_first)) - (sum(ending) OVER (PARTITION BY split1, split2, bucket_first))) AS gone,
  arrayMap(w -> intDiv(toInt64(bucket_first - 1) + 11 - w, 7), range(1, 8)) AS weekdays_before,
  arrayMap(w -> intDiv(toInt64(bucket_last) + 11 - w, 7), range(1, 8)) AS weekdays_until,
  (sum(starting) OVER (PARTITION BY split1, split2, bucket_first)) AS peers_starting,
  (sum(ending) OVER (PARTITION BY split1, split2, bucket_first)) AS peers_ending,
  arrayResize((sumForEach(starting_weekdays) OVER (PARTITION BY split1, split2, bucket_first)), 7) AS weekdays_of_starting,
  arrayResize((sumForEach(ending_weekdays) OVER (PARTITION BY split1, split2, bucket_first)), 7) AS weekdays_of_ending
FROM (
SELECT *,
  toInt64(toUInt16(bucket)) AS bucket_first,
  toInt64(toUInt16(bucket) + 6) AS bucket_last
FROM (
SELECT
  bucket,
  split1,
  split2,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  quantilesExactInclusiveArray(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(own_levels) AS levels,
  count() AS agent_count,
  countIf(isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  countIf(is_first) AS starting,
  sumIf(toInt64(first_day), is_first) AS starting_days,
  countIf(is_last) AS ending,
  sumIf(toInt64(last_day), is_last) AS ending_days,
  sumForEach(arrayMap(n -> (is_first) * n, arrayMap(w -> intDiv(toInt64(first_day - 1) + 11 - w, 7), range(1, 8)))) AS starting_weekdays,
  sumForEach(arrayMap(n -> (is_last) * n, arrayMap(w -> intDiv(toInt64(last_day) + 11 - w, 7), range(1, 8)))) AS ending_weekdays,
  sum(own_blocks) AS blocks_seen,
  sum(own_late) AS late,
  max(own_newest) AS newest
FROM (
SELECT *,
  (min(own_first) OVER (PARTITION BY split1, split2, own_agent)) AS first_day,
  (max(own_last) OVER (PARTITION BY split1, split2, own_agent)) AS last_day,
  bucket = (min(bucket) OVER (PARTITION BY split1, split2, own_agent)) AS is_first,
  bucket = (max(bucket) OVER (PARTITION BY split1, split2, own_agent)) AS is_last
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {[0,0,0,0,0,0,1,1,1,1,1,1,2,2,2,2,2,2,3,3,4,4,5,5]:Array(UInt8)}[local_hour + 1] AS block,
  {[6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,2,2,2,2,2,2]:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  toMonday(toDate(toUInt16(intDiv(local_second, 86400)))) AS bucket,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'isp_id', k, dictGet('bg.spans_recent', 'isp_id', k)), [span])[1] AS split1,
  toUInt8(toUInt8(intDiv(local_second % 86400, 3600)) IN {[19,20,21,22]:Array(UInt8)} AND toDayOfWeek(toDate(toUInt16(intDiv(local_second, 86400)))) IN {[1,2,3,4,5]:Array(UInt8)}) AS split2,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
  groupArray(number) AS own_levels,
  min(intDiv(local_second, 86400)) AS own_first,
  max(intDiv(local_second, 86400)) AS own_last,
  uniqExact(intDiv(local_second, 86400) * 32 + block) AS own_blocks,
  countIf(ingested_at > dtime + INTERVAL 24 HOUR) AS own_late,
  max(ingested_at) AS own_newest,
  agent AS own_agent
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
  AND toDayOfWeek(toDate(toUInt16(intDiv(local_second, 86400)))) IN {[6,7]:Array(UInt8)}
GROUP BY bucket, split1, split2, own_agent
)
)
GROUP BY bucket, split1, split2
)
)
)
)
ORDER BY shown_split1 ASC NULLS LAST, shown_split2 ASC NULLS LAST, bucket
LIMIT {101:UInt32}
