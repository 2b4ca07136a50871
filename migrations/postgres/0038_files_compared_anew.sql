-- A file that has changed since it was imported, or was touched: some of its rows are stored, and what is remembered of its
-- batches is forgotten after a month. They are compared with what is stored, also when the import is interrupted and goes on.
ALTER TABLE import_files ADD COLUMN anew boolean NOT NULL DEFAULT false;
-- Published files are read a little differently from now on: how far one has come in bytes says nothing any more.
UPDATE import_files SET anew = true, bytes_done = 0, accepted = 0, duplicates = 0, rejected = 0 WHERE finished_at IS NULL;
