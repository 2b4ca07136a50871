-- What the caller should know of an export's request, such as a filter value that nothing has; shown whenever the export is.
ALTER TABLE exports ADD COLUMN warnings jsonb NOT NULL DEFAULT '[]';
