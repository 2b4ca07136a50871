/** A file format of an export. */
export type ExportFormat = {
  /** The name in a request; also the extension of the file. */
  readonly key: 'csv' | 'csv.gz' | 'parquet'
  readonly engineFormat: 'CSVWithNames' | 'Parquet'
  readonly compression: 'none' | 'gzip'
  readonly contentType: string
  /**
   * True if spreadsheets can open the format. Spreadsheets evaluate some texts as formulas, so the export escapes these texts.
   */
  readonly isForSpreadsheets: boolean
}

export const exportFormats: readonly ExportFormat[] = [
  {
    key: 'csv',
    engineFormat: 'CSVWithNames',
    compression: 'none',
    contentType: 'text/csv; charset=utf-8',
    isForSpreadsheets: true,
  },
  {
    key: 'csv.gz',
    engineFormat: 'CSVWithNames',
    compression: 'gzip',
    contentType: 'application/gzip',
    isForSpreadsheets: true,
  },
  {
    key: 'parquet',
    engineFormat: 'Parquet',
    compression: 'none',
    contentType: 'application/vnd.apache.parquet',
    isForSpreadsheets: false,
  },
]
