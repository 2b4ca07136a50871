/** The files an export can be. */
export type ExportFormat = {
  /** As a request names it, and how the file's name ends. */
  readonly key: 'csv' | 'csv.gz' | 'parquet'
  readonly engineFormat: 'CSVWithNames' | 'Parquet'
  readonly compression: 'none' | 'gzip'
  readonly contentType: string
  /** Whether spreadsheets open it, which take some texts for formulas. */
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
