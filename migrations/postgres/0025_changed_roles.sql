-- The operator may give a person another role.
ALTER TABLE people_events DROP CONSTRAINT people_events_kind_check;
ALTER TABLE people_events ADD CONSTRAINT people_events_kind_check
  CHECK (kind IN ('created', 'password-issued', 'disabled', 'signed-in', 'refused', 'signed-out', 'password-changed',
                  'token-created', 'token-revoked', 'made-administrator', 'made-analyst'));
