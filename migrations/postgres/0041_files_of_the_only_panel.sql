-- A published file that was imported before panels were noted stays imported where the organisation has one panel, which it
-- was for: gone through again, it would bring back agents that were erased since. One that was interrupted is gone through
-- again and compared. Rows without a panel stay for files that are for none in particular.
INSERT INTO import_files (organisation_id, test, path, bytes, modified_at, bytes_done, accepted, duplicates, rejected,
  started_at, finished_at, anew, panel_id)
SELECT organisation_id, test, path, bytes, modified_at, bytes_done, accepted, duplicates, rejected,
  started_at, finished_at, anew, only_panel
FROM import_files
JOIN (SELECT owner_id, min(id) AS only_panel FROM panels GROUP BY owner_id HAVING count(*) = 1) AS owners
  ON owner_id = organisation_id
WHERE panel_id IS NULL AND finished_at IS NOT NULL AND NOT starts_with(test, 'units of ')
ON CONFLICT DO NOTHING;
