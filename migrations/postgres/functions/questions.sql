-- Share links of questions. These functions run as the owner of the schema, because the tenant of a link is not known yet.

-- Returns the link with this hash, with the identity of its maker, and takes one request from the link's bucket. The result is
-- empty if there is no such link, if it has expired, or if its maker may no longer read data: the right of a person ends when
-- the account is disabled, the right of any other token with the token itself. What the maker may read is checked when the
-- question runs, with the grants that the organisation has then.
--
-- wait_ms is 0, or the time until the link's bucket has a request again.
CREATE OR REPLACE FUNCTION open_question_link(link_sha256 bytea, burst double precision, per_second double precision)
RETURNS TABLE (id integer, sha256 bytea, question_key text, password_hash text, organisation_id integer, organisation_key text,
  frame_origins text[], token_id integer, wait_ms double precision)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  held double precision;
BEGIN
  SELECT link.id, link.sha256, questions.key, link.password_hash, organisations.id, organisations.key,
    organisations.frame_origins, tokens.id
  INTO id, sha256, question_key, password_hash, organisation_id, organisation_key, frame_origins, token_id
  FROM question_links link
    JOIN questions ON questions.id = link.question_id
    JOIN organisations ON organisations.id = link.organisation_id
    JOIN tokens ON tokens.id = link.token_id AND tokens.organisation_id = link.organisation_id
    LEFT JOIN users ON users.id = tokens.created_by AND users.organisation_id = link.organisation_id
  WHERE link.sha256 = link_sha256 AND (link.expires_at IS NULL OR link.expires_at > now())
    AND 'data:read' = ANY (tokens.scopes)
    AND CASE WHEN tokens.of_session THEN users.id IS NOT NULL AND users.disabled_at IS NULL
             ELSE tokens.revoked_at IS NULL AND (tokens.expires_at IS NULL OR tokens.expires_at > now()) END;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  held := fill_bucket('link-requests', 'l' || id, burst, per_second);
  IF held < 1 THEN
    wait_ms := 1000 * (1 - held) / per_second;
  ELSE
    UPDATE limit_buckets SET balance = balance - 1 WHERE kind = 'link-requests' AND subject = 'l' || open_question_link.id;
    wait_ms := 0;
  END IF;
  RETURN NEXT;
END
$$;
REVOKE ALL ON FUNCTION open_question_link FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_question_link TO broadgauge_service;

CREATE OR REPLACE FUNCTION count_question_link_use(link integer) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  UPDATE question_links SET uses = uses + 1, last_used_at = now() WHERE id = link;
END;
REVOKE ALL ON FUNCTION count_question_link_use FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_question_link_use TO broadgauge_service;
