SELECT
  bucket AS aggregatedNumber,
  toFloat64(total) / sample_count * 8 / 1e6 AS metricValue,
  series_agents AS coverage_agentsOfRange,
  agent_count AS coverage_agentsSeen,
  NULL AS coverage_agentsGone,
  blocks_seen AS coverage_blocksSeen,
  blocks_expected AS coverage_blocksExpected,
  blocks_seen / nullIf(blocks_expected, 0) AS coverage_share,
  late / sample_count AS coverage_lateShare,
  concat(replaceOne(toString(newest), ' ', 'T'), 'Z') AS coverage_newestStored
FROM (
SELECT *,
  (sum(starting) OVER ()) AS series_agents,
  toUInt64(((sumForEach(expected_elements) OVER ())[bucket]) * 6) AS blocks_expected
FROM (
SELECT
  bucket,
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
  sumForEachIf(element_days, is_first) AS expected_elements,
  sum(own_blocks) AS blocks_seen,
  sum(own_late) AS late,
  max(own_newest) AS newest
FROM (
SELECT *,
  (min(own_first) OVER (PARTITION BY own_agent)) AS first_day,
  (max(own_last) OVER (PARTITION BY own_agent)) AS last_day,
  bucket = (min(bucket) OVER (PARTITION BY own_agent)) AS is_first,
  bucket = (max(bucket) OVER (PARTITION BY own_agent)) AS is_last,
  arrayMap(e -> arrayCount(d -> toDayOfWeek(toDate(toUInt16(d))) = e, range(toUInt32((min(own_first) OVER (PARTITION BY own_agent))), toUInt32((max(own_last) OVER (PARTITION BY own_agent))) + 1)), range(1, 7 + 1)) AS element_days
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
  toDayOfWeek(toDate(toUInt16(intDiv(local_second, 86400)))) AS bucket,
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
GROUP BY bucket, own_agent
)
)
GROUP BY bucket
)
)
ORDER BY bucket
LIMIT {101:UInt32}
