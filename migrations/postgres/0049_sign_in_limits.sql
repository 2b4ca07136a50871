-- Failed sign-ins are counted by network, by name and network together, and by name over all networks; those of a known
-- device by the device alone. Successful ones are counted by user. The kinds 'sign-in-name' and 'sign-in-address' are shared
-- with instances of the version before, which call the functions of 0020.
ALTER TABLE limit_buckets DROP CONSTRAINT limit_buckets_kind_check;
ALTER TABLE limit_buckets ADD CONSTRAINT limit_buckets_kind_check
  CHECK (kind IN ('requests', 'engine-ms', 'sign-in-name', 'sign-in-address', 'sign-in-name-address', 'sign-in-device',
                  'sign-in-user'));

-- Takes one out of each bucket and returns 0, or returns the milliseconds until the first empty one has one. A refused
-- attempt costs the first bucket, the network's. Callers name the buckets in one order, so that two never deadlock.
CREATE FUNCTION take_sign_in_attempt(kinds text[], subjects text[], maxima double precision[], refill interval)
RETURNS double precision
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  seconds double precision := extract(epoch FROM refill);
  held double precision;
BEGIN
  FOR i IN 1 .. cardinality(kinds) LOOP
    held := fill_bucket('sign-in-' || kinds[i], subjects[i], maxima[i], maxima[i] / seconds);
    IF held < 1 THEN
      UPDATE limit_buckets SET balance = balance - 1
      WHERE i > 1 AND kind = 'sign-in-' || kinds[1] AND subject = subjects[1];
      RETURN 1000 * seconds * (1 - held) / maxima[i];
    END IF;
  END LOOP;
  UPDATE limit_buckets SET balance = balance - 1
  FROM unnest(kinds, subjects) AS taken (kind, subject)
  WHERE limit_buckets.kind = 'sign-in-' || taken.kind AND limit_buckets.subject = taken.subject;
  RETURN 0;
END
$$;

-- One row at a time, in the order in which they were taken from: two that give back at once never deadlock.
CREATE FUNCTION give_back_sign_in_attempt(kinds text[], subjects text[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  FOR i IN 1 .. cardinality(kinds) LOOP
    UPDATE limit_buckets SET balance = balance + 1 WHERE kind = 'sign-in-' || kinds[i] AND subject = subjects[i];
  END LOOP;
END
$$;

-- A bucket that has not been taken from for so long is full, and as good as none.
CREATE OR REPLACE FUNCTION purge_sign_ins(older_than interval) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  DELETE FROM limit_buckets WHERE kind LIKE 'sign-in-%' AND filled_at < now() - older_than;
END;

ALTER TABLE people_events DROP CONSTRAINT people_events_kind_check;
ALTER TABLE people_events ADD CONSTRAINT people_events_kind_check
  CHECK (kind IN ('created', 'password-issued', 'disabled', 'signed-in', 'refused', 'signed-out', 'password-changed',
                  'token-created', 'token-revoked', 'made-administrator', 'made-analyst', 'session-evicted'));

-- A person has at most 20 live sessions: a new one ends the least recently used. FOR NO KEY UPDATE serialises the sign-ins of
-- a person, so that two at once cannot both find room, and waits for a change of password or role as FOR SHARE did.
CREATE OR REPLACE FUNCTION begin_session(
  user_number integer, proven_hash text, secret_sha256 bytea, token_sha256 bytea, token_visible_part text,
  lifetime interval, token_lifetime interval, request text, client_address text
) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  person users%ROWTYPE;
  session integer;
  evicted integer;
BEGIN
  SELECT * INTO person FROM users
  WHERE id = user_number AND disabled_at IS NULL AND (proven_hash IS NULL OR password_hash = proven_hash) FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  INSERT INTO sessions (organisation_id, user_id, sha256, expires_at)
  VALUES (person.organisation_id, person.id, secret_sha256, now() + lifetime) RETURNING id INTO session;
  INSERT INTO tokens (organisation_id, label, visible_part, sha256, scopes, expires_at, session_id, of_session, created_by)
  VALUES (person.organisation_id, 'console, ' || person.name, token_visible_part, token_sha256, scopes_of_role(person.role),
          now() + least(token_lifetime, lifetime), session, true, person.id);
  PERFORM note_people_event(person.id, 'signed-in', NULL, request, client_address);
  FOR evicted IN
    SELECT id FROM sessions
    WHERE user_id = person.id AND ended_at IS NULL AND expires_at > now() AND id <> session
    ORDER BY seen_at DESC, id DESC OFFSET 19
  LOOP
    PERFORM end_sessions(person.id, evicted, NULL);
    PERFORM note_people_event(person.id, 'session-evicted', (SELECT id FROM tokens WHERE session_id = evicted), request,
                              client_address);
  END LOOP;
  RETURN session;
END
$$;

REVOKE ALL ON FUNCTION take_sign_in_attempt(text[], text[], double precision[], interval),
  give_back_sign_in_attempt(text[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_sign_in_attempt(text[], text[], double precision[], interval),
  give_back_sign_in_attempt(text[], text[]) TO broadgauge_service;
