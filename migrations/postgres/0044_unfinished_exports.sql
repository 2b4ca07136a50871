-- To count an organisation's exports that are not written yet: before one more is taken in, and for each that waits when the
-- next one is chosen.
CREATE INDEX exports_unfinished ON exports (organisation_id) WHERE status IN ('queued', 'running');
