import { bodyTooLarge, Fault } from '../../base/fault.ts'
import { ingestLimits } from '../../base/limits.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'

export type IngestEncoding = 'identity' | 'gzip' | 'zstd'

/** The content of the path and headers of an ingest request. */
export type IngestRequest = {
  readonly test: TestDefinition
  readonly format: 'csv' | 'ndjson'
  readonly encoding: IngestEncoding
}

const formats = new Map<string, IngestRequest['format']>([
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
])

const encodings = new Map<string, IngestEncoding>([
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['zstd', 'zstd'],
])

type Headers = Readonly<Record<string, string | string[] | undefined>>

export function checkIngestRequest(key: string | undefined, headers: Headers, { tests }: Catalog): IngestRequest {
  const test = tests.find((one) => one.key === key)
  if (test === undefined) throw new Fault('NOT_FOUND', { detail: 'no such test' })
  const [type = '', ...parameters] = String(headers['content-type'] ?? '').split(';')
  const format = formats.get(type.trim().toLowerCase())
  const encoding = encodings.get(String(headers['content-encoding'] ?? 'identity').toLowerCase())
  if (format === undefined || encoding === undefined || !parameters.every(isUtf8)) throw unsupported()
  if (Number(headers['content-length'] ?? 0) > ingestLimits.bodyBytesMax) throw bodyTooLarge(ingestLimits.bodyBytesMax)
  return { test, format, encoding }
}

/** Parameters other than `charset` (such as `header=present`) have no effect. */
function isUtf8(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=')
  return name.trim().toLowerCase() !== 'charset' || /^"?utf-?8"?$/i.test(value.trim())
}

const unsupported = (): Fault =>
  new Fault('UNSUPPORTED_MEDIA_TYPE', {
    message: 'The request body must be application/x-ndjson or text/csv, UTF-8, plain or encoded by gzip or zstd.',
  })
