import type { FlatColumn, FlatKind } from '../../compile/export/flat-columns.ts'
import { flatbuffer, type Member, type Table } from './flatbuffer.ts'
import { flatValue, type Row } from './flat-rows.ts'

/** Rows of a record batch. Other requests are served between two batches. */
const batchRows = 2_000

/** The numbers of Arrow's types in its FlatBuffers schema. */
const typeNumbers = { float64: 3, utf8: 5, bool: 6, timestamp: 10 } as const
type ArrowType = keyof typeof typeNumbers

const types: Readonly<Record<FlatKind, ArrowType>> = {
  number: 'float64',
  count: 'float64',
  text: 'utf8',
  label: 'utf8',
  list: 'utf8',
  time: 'timestamp',
  flag: 'bool',
}

/**
 * Writes rows in Arrow's stream format: a schema, record batches and an end marker. Numbers are Float64, lists are JSON text, and
 * local times are timestamps without a zone. See https://arrow.apache.org/docs/format/Columnar.html.
 */
export async function arrowStream(
  columns: readonly FlatColumn[],
  rows: readonly Row[],
  metadata: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  const parts = [message(1, schema(columns, metadata), [])]
  for (let first = 0; first < rows.length; first += batchRows) {
    parts.push(recordBatch(columns, rows.slice(first, first + batchRows)))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return joined([...parts, endOfStream])
}

const endOfStream = new Uint8Array([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])

const enumeration = (value: number): Member => ({ size: 2, value })

function schema(columns: readonly FlatColumn[], metadata: Readonly<Record<string, string>>): Table {
  const fields = columns.map(({ id, kind }) => ({ table: field(id, types[kind]) }))
  const entries = Object.entries(metadata).map(([key, text]) => ({ table: [{ text: key }, { text }] }))
  return [null, { list: fields }, { list: entries }]
}

function field(name: string, type: ArrowType): Table {
  const details: Readonly<Record<ArrowType, Table>> = {
    float64: [enumeration(2)],
    utf8: [],
    bool: [],
    // Unit 0 is the second. The second member would be a time zone.
    timestamp: [enumeration(0)],
  }
  const isNullable: Member = { size: 1, value: 1 }
  const number: Member = { size: 1, value: typeNumbers[type] }
  return [{ text: name }, isNullable, number, { table: details[type] }, null, { list: [] }]
}

function recordBatch(columns: readonly FlatColumn[], rows: readonly Row[]): Uint8Array {
  const found = columns.map(({ kind, ...column }) => {
    const values = rows.map((row) => flatValue({ kind, ...column }, row))
    return { nulls: values.filter((value) => value === null).length, buffers: buffersOf(types[kind], values) }
  })
  const nodes = found.map(({ nulls }) => [rows.length, nulls])
  const buffers = found.flatMap((one) => one.buffers)
  let offset = 0
  const places = buffers.map(({ length }) => {
    const place = [offset, length]
    offset += padded(length)
    return place
  })
  return message(3, [{ size: 8, value: rows.length }, { structs: nodes }, { structs: places }], buffers)
}

/** Returns the buffers of a column: the bitmap of the values that are not null, and the values. */
function buffersOf(type: ArrowType, values: readonly unknown[]): readonly Uint8Array[] {
  const valid = bitmap(values.map((value) => value !== null))
  if (type === 'bool') return [valid, bitmap(values.map((value) => value === true))]
  if (type === 'float64') return [valid, bytesOf(Float64Array.from(values, (value) => Number(value ?? 0)))]
  if (type === 'timestamp') {
    return [
      valid,
      bytesOf(BigInt64Array.from(values, (value) => BigInt(typeof value === 'string' ? seconds(value) : 0))),
    ]
  }
  const texts = values.map((value) => encoder.encode(value === null ? '' : textOf(value)))
  const offsets = new Int32Array(texts.length + 1)
  for (const [index, { length }] of texts.entries()) offsets[index + 1] = (offsets[index] ?? 0) + length
  return [valid, bytesOf(offsets), joined(texts)]
}

const encoder = new TextEncoder()

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Seconds since 1970 of a local time such as `2026-01-31` or `2026-01-31 20:00:00`. */
const seconds = (local: string): number =>
  Date.parse(`${local.replace(' ', 'T')}${local.length === 10 ? 'T00:00:00' : ''}Z`) / 1000

function bitmap(bits: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8))
  for (const [index, bit] of bits.entries()) {
    if (bit) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7))
  }
  return bytes
}

/** Arrow's default byte order is that of all processors that Node runs on. */
const bytesOf = ({ buffer }: Float64Array | BigInt64Array | Int32Array): Uint8Array => new Uint8Array(buffer)

const padded = (length: number): number => Math.ceil(length / 8) * 8

/** Version 5 of the format. `kind` is the number of the header's type. Every part is padded to 8 bytes. */
function message(kind: number, header: Table, buffers: readonly Uint8Array[]): Uint8Array {
  const body = buffers.flatMap((buffer) => [buffer, new Uint8Array(padded(buffer.length) - buffer.length)])
  const bodyLength = buffers.reduce((sum, { length }) => sum + padded(length), 0)
  const metadata = flatbuffer([
    enumeration(4),
    { size: 1, value: kind },
    { table: header },
    { size: 8, value: bodyLength },
  ])
  const prefix = bytesOf(new Int32Array([-1, metadata.length]))
  return joined([prefix, metadata, ...body])
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
