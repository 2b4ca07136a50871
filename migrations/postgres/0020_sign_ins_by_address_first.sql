-- The address first: whoever has used theirs up makes no more buckets of names that nobody has. Always in this order: two
-- that wait for one another would wait for ever.
CREATE OR REPLACE FUNCTION take_sign_in(account text, client_address text, account_max double precision,
  address_max double precision, refill interval) RETURNS double precision
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  seconds double precision := extract(epoch FROM refill);
  of_address double precision := fill_bucket('sign-in-address', client_address, address_max, address_max / seconds);
  of_account double precision;
BEGIN
  IF of_address < 1 THEN
    RETURN 1000 * seconds * (1 - of_address) / address_max;
  END IF;
  of_account := fill_bucket('sign-in-name', account, account_max, account_max / seconds);
  IF of_account < 1 THEN
    RETURN 1000 * seconds * (1 - of_account) / account_max;
  END IF;
  UPDATE limit_buckets SET balance = balance - 1
  WHERE (kind = 'sign-in-name' AND subject = account) OR (kind = 'sign-in-address' AND subject = client_address);
  RETURN 0;
END
$$;

CREATE OR REPLACE FUNCTION give_back_sign_in(account text, client_address text) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
  UPDATE limit_buckets SET balance = balance + 1 WHERE kind = 'sign-in-address' AND subject = client_address;
  UPDATE limit_buckets SET balance = balance + 1 WHERE kind = 'sign-in-name' AND subject = account;
END;
