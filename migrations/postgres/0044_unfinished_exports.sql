-- To count an organisation's exports that are not written yet, before one more is taken in.
CREATE INDEX exports_unfinished ON exports (organisation_id) WHERE status IN ('queued', 'running');
-- To count those that are being written, for each that waits when the next one is chosen.
CREATE INDEX exports_running ON exports (organisation_id) WHERE status = 'running';
