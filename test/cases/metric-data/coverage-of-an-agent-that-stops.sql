SELECT
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count * 8 / 1e6 AS metricValue,
  sqrt(toFloat64(toInt256(sample_count) * squares - toInt256(total) * total)) / sample_count * 8 / 1e6 AS stdDev,
  sample_count AS sampleCount,
  agent_count AS agentCount,
  unit_count AS unitCount,
  if(freedom > {p1:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p2:Array(Float64)}, range(5)), {p3:Array(Float64)}[toUInt16(floor(freedom))] + ({p3:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p4:UInt16})] - {p3:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci90,
  if(freedom > {p5:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p6:Array(Float64)}, range(5)), {p7:Array(Float64)}[toUInt16(floor(freedom))] + ({p7:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p8:UInt16})] - {p7:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci95,
  if(freedom > {p9:UInt16}, arraySum((g, k) -> g / pow(freedom, k), {p10:Array(Float64)}, range(5)), {p11:Array(Float64)}[toUInt16(floor(freedom))] + ({p11:Array(Float64)}[least(toUInt16(floor(freedom)) + 1, {p12:UInt16})] - {p11:Array(Float64)}[toUInt16(floor(freedom))]) * (freedom - toUInt16(floor(freedom))) * (toUInt16(floor(freedom)) + 1) / freedom) * sqrt(agent_variance) * 8 / 1e6 + if(agent_count < 2, NULL, 0) AS ci99,
  toFloat64(least) * 8 / 1e6 AS min,
  toFloat64(greatest) * 8 / 1e6 AS max,
  arrayFilter(reason -> reason != '', [if(agent_count = 1, 'one_agent', ''), if(agent_count > 1 AND effective_agents < {p13:UInt8} * (1 - 1e-12), 'few_agents', ''), if(agent_count > 1 AND largest_share > 0.25 * (1 + 1e-12), 'dominated', '')]) AS caution,
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
  toUInt64(((started_before - gone) * (bucket_last - bucket_first + 1) + days_of_starting - days_after_ending) * 6) AS blocks_expected
FROM (
SELECT *,
  (sum(starting) OVER ()) AS series_agents,
  toInt64((sum(starting) OVER (ORDER BY bucket_first)) - (sum(starting) OVER (PARTITION BY bucket_first))) AS started_before,
  toInt64((sum(ending) OVER (ORDER BY bucket_first)) - (sum(ending) OVER (PARTITION BY bucket_first))) AS gone,
  (sum(starting) OVER (PARTITION BY bucket_first)) * (bucket_last + 1) - (sum(starting_days) OVER (PARTITION BY bucket_first)) AS days_of_starting,
  (sum(ending) OVER (PARTITION BY bucket_first)) * bucket_last - (sum(ending_days) OVER (PARTITION BY bucket_first)) AS days_after_ending
FROM (
SELECT *,
  toInt64(toUInt16(bucket)) AS bucket_first,
  toInt64(toUInt16(bucket)) AS bucket_last
FROM (
SELECT *,
  (agent_count - 1) / agent_count * arraySum(arraySort(arrayMap(p -> pow(toFloat64(toInt256(p.1) * total - toInt256(p.2) * sample_count) / sample_count / (sample_count - p.1), 2), pairs))) AS agent_variance,
  toFloat64(toInt256(sample_count) * sample_count) / toFloat64(weight_squares) AS effective_agents,
  greatest(1, toFloat64(toInt256(sample_count) * sample_count) / toFloat64(weight_squares) - 1) AS freedom,
  toFloat64(largest_weight) / toFloat64(sample_count) AS largest_share
FROM (
SELECT
  bucket,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  count() AS agent_count,
  countIf(isNotNull(dictGet('broadgauge.agents', 'unit_id', own_agent))) AS unit_count,
  groupArray((own_sample_count, own_total)) AS pairs,
  sum(toInt256(own_sample_count) * own_sample_count) AS weight_squares,
  max(own_sample_count) AS largest_weight,
  countIf(is_first) AS starting,
  sumIf(toInt64(first_day), is_first) AS starting_days,
  countIf(is_last) AS ending,
  sumIf(toInt64(last_day), is_last) AS ending_days,
  sum(own_blocks) AS blocks_seen,
  sum(own_late) AS late,
  max(own_newest) AS newest
FROM (
SELECT *,
  (min(own_first) OVER (PARTITION BY own_agent)) AS first_day,
  (max(own_last) OVER (PARTITION BY own_agent)) AS last_day,
  bucket = (min(bucket) OVER (PARTITION BY own_agent)) AS is_first,
  bucket = (max(bucket) OVER (PARTITION BY own_agent)) AS is_last
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('broadgauge.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('broadgauge.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('broadgauge.timeline_recent', ('days', 'span_ids'), agent, dictGet('broadgauge.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('broadgauge.spans', 'zone_id', k, dictGet('broadgauge.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {p14:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  toInt64(assumeNotNull(bytes_sec)) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {p15:Array(UInt8)}[local_hour + 1] AS block,
  {p16:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(toInt128(number) * number)) AS own_squares,
  min(intDiv(local_second, 86400)) AS own_first,
  max(intDiv(local_second, 86400)) AS own_last,
  bitCount(groupBitOr(bitShiftLeft(toUInt32(1), block))) AS own_blocks,
  countIf(ingested_at > dtime + INTERVAL 24 HOUR) AS own_late,
  max(ingested_at) AS own_newest,
  agent AS own_agent
FROM broadgauge.httpget
WHERE panel IN {p17:Array(UInt32)}
  AND toDate(dtime) BETWEEN {p18:Date} AND {p19:Date}
  AND local_second BETWEEN {p20:Int64} AND {p21:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, own_agent
)
)
GROUP BY bucket
)
)
)
)
)
ORDER BY bucket
LIMIT {p22:UInt32}
