SELECT
  nullIf(dictGet('bg.isps', 'name', toUInt64(split1)), '') AS shown_split1,
  toString(bucket) AS dtime,
  toFloat64(total) / sample_count / 1e12 + if(NOT is_kept, NULL, 0) AS metricValue,
  prefilter_before AS prefilter_before,
  prefilter_removed AS prefilter_removed,
  prefilter_unfilteredValue AS prefilter_unfilteredValue,
  prefilter_agentsLost AS prefilter_agentsLost,
  prefilter_rules AS prefilter_rules,
  series_agents AS coverage_agentsOfRange,
  if(NOT is_kept, 0, agent_count) AS coverage_agentsSeen,
  toUInt64(gone) AS coverage_agentsGone,
  if(NOT is_kept, 0, blocks_seen) AS coverage_blocksSeen,
  blocks_expected AS coverage_blocksExpected,
  if(NOT is_kept, 0, blocks_seen) / nullIf(blocks_expected, 0) AS coverage_share,
  if(NOT is_kept, NULL, late / sample_count) AS coverage_lateShare,
  if(NOT is_kept, NULL, concat(replaceOne(toString(newest), ' ', 'T'), 'Z')) AS coverage_newestStored,
  results_without_plan AS resultsWithoutPlan
FROM (
SELECT *,
  (sumIf(sample_count, NOT has_plan AND is_kept) OVER (PARTITION BY bucket, split1)) AS results_without_plan
FROM (
SELECT *,
  toUInt64(((started_before - gone) * (bucket_last - bucket_first + 1) + days_of_starting - days_after_ending) * 6) AS blocks_expected
FROM (
SELECT *,
  (sum(starting) OVER (PARTITION BY split1, has_plan)) AS series_agents,
  toInt64((sum(starting) OVER (PARTITION BY split1, has_plan ORDER BY bucket_first)) - (sum(starting) OVER (PARTITION BY split1, has_plan, bucket_first))) AS started_before,
  toInt64((sum(ending) OVER (PARTITION BY split1, has_plan ORDER BY bucket_first)) - (sum(ending) OVER (PARTITION BY split1, has_plan, bucket_first))) AS gone,
  (sum(starting) OVER (PARTITION BY split1, has_plan, bucket_first)) * (bucket_last + 1) - (sum(starting_days) OVER (PARTITION BY split1, has_plan, bucket_first)) AS days_of_starting,
  (sum(ending) OVER (PARTITION BY split1, has_plan, bucket_first)) * bucket_last - (sum(ending_days) OVER (PARTITION BY split1, has_plan, bucket_first)) AS days_after_ending
FROM (
SELECT *,
  toInt64(toUInt16(bucket)) AS bucket_first,
  toInt64(toUInt16(bucket)) AS bucket_last
FROM (
SELECT *,
  toFloat64(all_above) / toFloat64(all_below) / 1e12 AS prefilter_unfilteredValue,
  CAST([('no-throughput', 1, all_matched[1], all_alone[1]), ('above-10-gigabit', 1, all_matched[2], all_alone[2]), ('no-warm-up', 1, all_matched[3], all_alone[3])], 'Array(Tuple(name String, version UInt16, matched UInt64, alone UInt64))') AS prefilter_rules
FROM (
SELECT *,
  (max(is_kept) OVER (PARTITION BY bucket, split1, has_plan)) AS has_kept,
  (sum(sample_count) OVER (PARTITION BY bucket, split1, has_plan)) AS prefilter_before,
  (sumIf(sample_count, NOT is_kept) OVER (PARTITION BY bucket, split1, has_plan)) AS prefilter_removed,
  toUInt64((groupBitmapMerge(point_agents) OVER (PARTITION BY bucket, split1, has_plan)) - (sumIf(agent_count, is_kept) OVER (PARTITION BY bucket, split1, has_plan))) AS prefilter_agentsLost,
  (sumForEach(matched) OVER (PARTITION BY bucket, split1, has_plan)) AS all_matched,
  (sumForEach(alone) OVER (PARTITION BY bucket, split1, has_plan)) AS all_alone,
  (sum(total) OVER (PARTITION BY bucket, split1, has_plan)) AS all_above,
  (sum(sample_count) OVER (PARTITION BY bucket, split1, has_plan)) AS all_below
FROM (
SELECT
  bucket,
  split1,
  has_plan,
  sum(own_sample_count) AS sample_count,
  min(own_least) AS least,
  max(own_greatest) AS greatest,
  sum(own_total) AS total,
  sum(own_squares) AS squares,
  quantilesExactInclusiveArray(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(own_levels) AS levels,
  count() AS agent_count,
  countIf(isNotNull(dictGet('bg.agents', 'unit_id', own_agent))) AS unit_count,
  own_rules = 0 AS is_kept,
  [sumIf(own_sample_count, bitAnd(own_rules, 1) > 0), sumIf(own_sample_count, bitAnd(own_rules, 2) > 0), sumIf(own_sample_count, bitAnd(own_rules, 4) > 0)] AS matched,
  [sumIf(own_sample_count, own_rules = 1), sumIf(own_sample_count, own_rules = 2), sumIf(own_sample_count, own_rules = 4)] AS alone,
  groupBitmapState(own_agent) AS point_agents,
  countIf(is_first) AS starting,
  sumIf(toInt64(first_day), is_first) AS starting_days,
  countIf(is_last) AS ending,
  sumIf(toInt64(last_day), is_last) AS ending_days,
  sum(own_blocks) AS blocks_seen,
  sum(own_late) AS late,
  max(own_newest) AS newest
FROM (
SELECT *,
  (min(own_first) OVER (PARTITION BY split1, has_plan, own_agent, own_rules = 0)) AS first_day,
  (max(own_last) OVER (PARTITION BY split1, has_plan, own_agent, own_rules = 0)) AS last_day,
  bucket = (min(bucket) OVER (PARTITION BY split1, has_plan, own_agent, own_rules = 0)) AND own_rules = 0 AS is_first,
  bucket = (max(bucket) OVER (PARTITION BY split1, has_plan, own_agent, own_rules = 0)) AND own_rules = 0 AS is_last
FROM (
WITH
  if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).1, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).2, if(toDate(dtime) >= dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).3, dictGetOrDefault('bg.timeline_recent', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent, dictGet('bg.timeline', ('current_from', 'current_span', 'previous_from', 'previous_span'), agent)).4, arrayMap(spans -> spans.2[arrayLastIndex(d -> d <= toDate(dtime), spans.1)], [dictGetOrDefault('bg.timeline_recent', ('days', 'span_ids'), agent, dictGet('bg.timeline', ('days', 'span_ids'), agent))])[1])) AS span,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'zone_id', k, dictGet('bg.spans_recent', 'zone_id', k)), [span])[1] AS zone,
  toUnixTimestamp(dtime) AS utc_second,
  arrayMap(z -> utc_second + {[0]:Array(Int32)}[z + 1], [zone])[1] AS local_second,
  if(toDate(dtime) >= dictGet('bg.package_speeds', ('current_from', 'current_download'), toUInt64(arrayMap(k -> dictGetOrDefault('bg.spans', 'package_id', k, dictGet('bg.spans_recent', 'package_id', k)), [span])[1])).1, dictGet('bg.package_speeds', ('current_from', 'current_download'), toUInt64(arrayMap(k -> dictGetOrDefault('bg.spans', 'package_id', k, dictGet('bg.spans_recent', 'package_id', k)), [span])[1])).2, arrayMap(history -> history.2[arrayLastIndex(d -> d <= toDate(dtime), history.1)], [dictGet('bg.package_speeds', ('days', 'download'), toUInt64(arrayMap(k -> dictGetOrDefault('bg.spans', 'package_id', k, dictGet('bg.spans_recent', 'package_id', k)), [span])[1]))])[1]) AS plan_speed,
  toInt128(assumeNotNull(intDiv(toInt128(bytes_sec) * 800000000000000 + if(bytes_sec < 0, -1, 1) * intDiv(toInt128(greatest(plan_speed, 1)), 2), toInt128(greatest(plan_speed, 1))))) AS number,
  intDiv(local_second % 86400, 3600) AS local_hour,
  {[0,0,0,0,0,0,1,1,1,1,1,1,2,2,2,2,2,2,3,3,4,4,5,5]:Array(UInt8)}[local_hour + 1] AS block,
  {[6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,2,2,2,2,2,2]:Array(UInt8)}[local_hour + 1] AS block_hours
SELECT
  toDate(toUInt16(intDiv(local_second, 86400))) AS bucket,
  arrayMap(k -> dictGetOrDefault('bg.spans', 'isp_id', k, dictGet('bg.spans_recent', 'isp_id', k)), [span])[1] AS split1,
  plan_speed > 0 AS has_plan,
  count() AS own_sample_count,
  min(number) AS own_least,
  max(number) AS own_greatest,
  sum(toInt128(number)) AS own_total,
  sum(toInt256(number) * number) AS own_squares,
  groupArray(toFloat64(number)) AS own_levels,
  min(intDiv(local_second, 86400)) AS own_first,
  max(intDiv(local_second, 86400)) AS own_last,
  bitCount(groupBitOr(bitShiftLeft(toUInt32(1), block))) AS own_blocks,
  countIf(ingested_at > dtime + INTERVAL 24 HOUR) AS own_late,
  max(ingested_at) AS own_newest,
  agent AS own_agent,
  toUInt16(0 + 1 * (ifNull(bytes_sec <= 0, false)) + 2 * (ifNull(bytes_sec > 1250000000, false)) + 4 * (ifNull(isNull(warmup_time) OR warmup_time <= 0, false))) AS own_rules
FROM bg.httpget
WHERE panel IN {[3,7]:Array(UInt32)}
  AND toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}
  AND local_second BETWEEN {1767225600:Int64} AND {1769903999:Int64}
  AND successes >= 1
  AND isNotNull(bytes_sec)
GROUP BY bucket, split1, has_plan, own_agent, own_rules
)
)
GROUP BY bucket, split1, has_plan, is_kept
)
)
)
)
)
)
)
WHERE has_plan AND (is_kept OR NOT has_kept)
ORDER BY shown_split1 ASC NULLS LAST, bucket
LIMIT {101:UInt32}
