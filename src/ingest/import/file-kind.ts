import { SpokenError } from '../../base/fault.ts'
import type { DeliveryEncoding } from '../../check/rows/ingest-request.ts'

export type FileKind = { readonly format: 'csv' | 'ndjson' | 'parquet'; readonly encoding: DeliveryEncoding }

const formats: Record<string, FileKind['format']> = {
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  parquet: 'parquet',
}

const encodings: Record<string, DeliveryEncoding> = { gz: 'gzip', zst: 'zstd' }

/** By its name: `.csv`, `.ndjson` or `.jsonl`, with `.gz` or `.zst` behind it if it is packed; `.parquet`. */
export function fileKind(path: string): FileKind {
  const [last = '', before = ''] = path.toLowerCase().split('.').toReversed()
  const encoding = encodings[last] ?? 'identity'
  const format = formats[encoding === 'identity' ? last : before]
  if (format === undefined || (format === 'parquet' && encoding !== 'identity')) {
    throw new SpokenError(
      `${path}: the name must end in .csv, .ndjson, .jsonl (with .gz or .zst if it is packed) or .parquet`,
    )
  }
  return { format, encoding }
}
