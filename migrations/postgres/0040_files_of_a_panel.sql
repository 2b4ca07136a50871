-- A published file is imported for one panel, and rows of other panels' agents are left out: for another panel it is another
-- file. Null: for no panel in particular, or begun before this was noted.
ALTER TABLE import_files ADD COLUMN panel_id integer REFERENCES panels;
ALTER TABLE import_files DROP CONSTRAINT import_files_pkey;
ALTER TABLE import_files ADD UNIQUE NULLS NOT DISTINCT (organisation_id, test, path, panel_id);
