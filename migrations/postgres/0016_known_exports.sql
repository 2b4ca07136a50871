-- What an export that is written later has to do with the request for it: the key of its row in the audit trail, as JSON,
-- and the trace it belongs to. Null where there is none.
ALTER TABLE exports ADD COLUMN audit_key text, ADD COLUMN traceparent text;
