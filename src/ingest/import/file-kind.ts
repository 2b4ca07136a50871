import { UserFacingError } from '../../base/fault.ts'
import type { IngestEncoding } from '../../check/rows/ingest-request.ts'

export type FileKind = { readonly format: 'csv' | 'ndjson' | 'parquet'; readonly encoding: IngestEncoding }

const formats: Record<string, FileKind['format']> = {
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  parquet: 'parquet',
}

const encodings: Record<string, IngestEncoding> = { gz: 'gzip', zst: 'zstd' }

/**
 * Determines the kind of a file by its name: `.csv`, `.ndjson` or `.jsonl`, followed by `.gz` or `.zst` if compressed; or
 * `.parquet`.
 */
export function fileKind(path: string): FileKind {
  const [last = '', before = ''] = path.toLowerCase().split('.').toReversed()
  const encoding = encodings[last] ?? 'identity'
  const format = formats[encoding === 'identity' ? last : before]
  if (format === undefined || (format === 'parquet' && encoding !== 'identity')) {
    throw new UserFacingError(
      `${path}: the name must end in .csv, .ndjson, .jsonl (followed by .gz or .zst if compressed) or .parquet`,
    )
  }
  return { format, encoding }
}
