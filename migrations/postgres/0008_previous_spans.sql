-- The span before the current one stands beside it in the engine's timelines. Results of the recent past, nearly all that
-- the current span does not answer for, are then looked up like those of today, without going through arrays.
ALTER VIEW dictionary_timeline RENAME TO settled_timelines;
CREATE VIEW dictionary_timeline AS
  SELECT *, coalesce(days[cardinality(days) - 1], current_from) AS previous_from,
    coalesce(span_ids[cardinality(days) - 1], current_span) AS previous_span
  FROM settled_timelines;

ALTER VIEW dictionary_timeline_recent RENAME TO announced_timelines;
CREATE VIEW dictionary_timeline_recent AS
  SELECT *, coalesce(days[cardinality(days) - 1], current_from) AS previous_from,
    coalesce(span_ids[cardinality(days) - 1], current_span) AS previous_span
  FROM announced_timelines;

REVOKE ALL ON settled_timelines, announced_timelines FROM broadgauge_dictionary;
GRANT SELECT ON dictionary_timeline, dictionary_timeline_recent TO broadgauge_dictionary;
