-- Whoever may read a panel may split and filter by the custom fields its owner has named: their values are in the answers
-- already. So the names are readable along with the panel; `panels` is itself limited to what the tenant can read.
DROP POLICY tenant ON custom_fields;
CREATE POLICY tenant ON custom_fields FOR SELECT TO broadgauge_service USING (
  organisation_id = current_organisation() OR organisation_id IN (SELECT owner_id FROM panels)
);
