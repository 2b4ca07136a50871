import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { BoundName } from '../../../base/sql.ts'

type Headers = Readonly<Record<string, string>>

type MultipartOptions = { values?: Readable; http_headers: Record<string, string> }

/**
 * Sends the parameters of a statement in the request body. The client's `exec` puts them into the URL. There ClickHouse
 * accepts at most 128 KiB for each parameter, and responds to a longer one with a 500 that gives no reason.
 */
export function multipartOf(params: Readonly<Record<string, unknown>>, headers: Headers): MultipartOptions {
  // ClickHouse does not accept a multipart body without parts.
  if (Object.keys(params).length === 0) return { http_headers: { ...headers } }
  const boundary = `broadgauge-${randomUUID()}`
  const parts = Object.entries(params).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="param_${name}"\r\n\r\n${textOf(value)}\r\n`,
  )
  return {
    values: Readable.from([`${parts.join('')}--${boundary}--\r\n`], { objectMode: false }),
    http_headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** Formats a parameter as a tab-separated field: ClickHouse parses parameters in this format. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return escaped(value)
  if (value instanceof BoundName) return value.text
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (Array.isArray(value)) return `[${value.map(itemOf).join(',')}]`
  throw new TypeError(`a parameter of type ${typeof value}`)
}

const itemOf = (item: unknown): string => (typeof item === 'string' ? `'${escaped(item)}'` : textOf(item))

const escapes: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'", '\\': '\\\\' }

const escaped = (text: string): string => text.replaceAll(/[\t\n\r'\\]/g, (character) => escapes[character] ?? '')
