-- The same look-up for several agents one token asks for at once: the token is found once for all of them. For one token
-- only, because what is asked for together must belong to one caller. An answer for each, in the order asked; null where
-- there is no agent the caller can see.
DROP FUNCTION authenticate_for_agent(bytea, text, text);
CREATE FUNCTION authenticate_for_agents(token_sha256 bytea, fields text[], identifiers text[]) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  token record;
  organisation_key text;
  agent integer;
  state record;
  owner integer;
  isp text;
  package text;
  zone text;
  metadata json[] := array_fill(NULL::json, ARRAY[cardinality(fields)]);
BEGIN
  SELECT id, scopes, organisation_id INTO token FROM tokens
  WHERE sha256 = token_sha256 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now());
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  SELECT key INTO organisation_key FROM organisations WHERE id = token.organisation_id;
  FOR asked IN 1 .. cardinality(fields) LOOP
    CASE fields[asked]
      WHEN 'agent' THEN SELECT id INTO agent FROM agents WHERE agent_key = identifier_key(identifiers[asked]);
      WHEN 'unit' THEN SELECT id INTO agent FROM agents WHERE unit_id = identifiers[asked]::bigint;
      WHEN 'mac' THEN SELECT id INTO agent FROM agents WHERE mac_key = identifier_key(identifiers[asked]);
    END CASE;
    -- What finds no row sets its variables to null, so nothing is left over from the agent before.
    SELECT panel_id, isp_id, package_id, zone_id, custom INTO state FROM current_metadata WHERE agent_id = agent;
    SELECT owner_id INTO owner FROM panels WHERE id = state.panel_id;
    -- The wall: a panel the token's organisation owns or is subscribed to. No agent is no panel, and neither of the two.
    IF owner = token.organisation_id OR EXISTS (
      SELECT FROM panel_subscriptions WHERE organisation_id = token.organisation_id AND panel_id = state.panel_id
    ) THEN
      SELECT name INTO isp FROM isps WHERE id = state.isp_id;
      SELECT name INTO package FROM packages WHERE id = state.package_id;
      SELECT name INTO zone FROM zones WHERE id = state.zone_id;
      metadata[asked] := json_build_object('package', isp || ':' || package, 'isp', isp, 'timezone', zone,
                                           'custom', state.custom);
    END IF;
  END LOOP;
  RETURN json_build_object('token_id', token.id, 'scopes', token.scopes, 'organisation_id', token.organisation_id,
                           'organisation_key', organisation_key, 'metadata', metadata);
END
$$;
REVOKE ALL ON FUNCTION authenticate_for_agents(bytea, text[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION authenticate_for_agents(bytea, text[], text[]) TO broadgauge_service;
