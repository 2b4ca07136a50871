-- An organisation's custom fields are read at every request of whoever can read its panels, and named with every metric: a
-- thousand by its own changes, and no more. Who has more keeps them, and operators may name more. What an agent has of them
-- is in the memory of every node of the engine, for each of its spans: 16 KiB. Refusals are errors with a code of their own
-- (BG001, BG002), which also a service that does not know them cannot take for a change that was made.
--
-- A trial, whose request is null, names nothing, and says that it is one to whoever gives away numbers: what it takes of a
-- sequence would not come back.
CREATE OR REPLACE FUNCTION change_metadata(
  targets integer[], token integer, request text, request_body jsonb, day date,
  set_package boolean, new_isp integer, new_package integer,
  set_zone boolean, new_zone smallint,
  new_custom jsonb, dropped_keys text[], replace_all boolean
) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  tenant integer := current_organisation();
  is_trial boolean := jsonb_typeof(request_body) = 'null';
  unknown_fields text[];
  change_event bigint;
BEGIN
  IF cardinality(targets) = 0 THEN
    RETURN 0;
  END IF;
  IF tenant IS NULL OR EXISTS (
    SELECT FROM unnest(targets) AS target (agent_id)
      LEFT JOIN current_metadata USING (agent_id)
      LEFT JOIN panels ON panels.id = current_metadata.panel_id AND panels.owner_id = tenant
    WHERE panels.id IS NULL
  ) THEN
    RAISE EXCEPTION 'an agent of another organisation was to be changed';
  END IF;
  unknown_fields := ARRAY(
    SELECT field FROM jsonb_object_keys(new_custom) AS field
    WHERE NOT EXISTS (SELECT FROM custom_fields WHERE organisation_id = tenant AND key = field)
  );
  IF cardinality(unknown_fields) > 0 THEN
    -- Those of an organisation one after the other, or several would each be the last that fits. The agents are locked
    -- already, so nobody who holds this waits for one who waits for it.
    IF NOT is_trial THEN
      PERFORM pg_advisory_xact_lock(7041932, tenant);
    END IF;
    IF (
      SELECT count(*) FROM (
        SELECT key FROM custom_fields WHERE organisation_id = tenant UNION SELECT unnest(unknown_fields)
      ) AS afterwards
    ) > 1000 THEN
      RAISE EXCEPTION 'the organisation would have more than 1000 custom fields' USING ERRCODE = 'BG001';
    END IF;
    IF NOT is_trial THEN
      INSERT INTO custom_fields (organisation_id, key)
      SELECT tenant, field FROM unnest(unknown_fields) AS field
      WHERE NOT EXISTS (SELECT FROM custom_fields WHERE organisation_id = tenant AND key = field)
      ORDER BY field
      ON CONFLICT DO NOTHING;
    END IF;
  END IF;
  PERFORM set_config('broadgauge.trial', CASE WHEN is_trial THEN 'on' ELSE 'off' END, true);
  INSERT INTO metadata_events (organisation_id, kind, token_id, request_id, from_day, request, agents)
  VALUES (tenant, 'change', token, request, day, request_body, targets)
  RETURNING id INTO change_event;
  PERFORM apply_change(targets, change_event, day, set_package, new_isp, new_package, set_zone, new_zone, new_custom,
                       dropped_keys, replace_all);
  -- Not where it had more before: it may become less of it, step by step.
  IF new_custom <> '{}' AND EXISTS (
    SELECT FROM unnest(targets) AS target (agent_id) JOIN spans AS written USING (agent_id)
    WHERE written.event_id = change_event AND octet_length(written.custom::text) > 16384
      AND octet_length(written.custom::text) > greatest(
        (SELECT max(octet_length(gone.custom::text)) FROM retired_spans AS gone
         WHERE gone.agent_id = written.agent_id AND gone.retired_by = change_event),
        (SELECT octet_length(eve.custom::text) FROM spans AS eve
         WHERE eve.agent_id = written.agent_id AND eve.from_day < day ORDER BY eve.from_day DESC LIMIT 1),
        0)
  ) THEN
    RAISE EXCEPTION 'an agent would have more than 16 KiB of custom metadata' USING ERRCODE = 'BG002';
  END IF;
  RETURN cardinality(targets);
END
$$;
