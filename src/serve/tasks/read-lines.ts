import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { parse } from 'csv-parse'
import { OperatorError } from '../../engine/postgres/operator/operator.ts'
import type { LoadedLine } from '../../engine/postgres/operator/bulk-load.ts'

/**
 * Maximum size of a record. Without this limit, the parser would read the rest of the file into memory after an unclosed
 * quote.
 */
const recordBytesMax = 65_536

/** Converts the file's column names to ours, or throws. */
type Header = (names: string[]) => string[]

/** Reads the rows of a CSV file. `check` returns the row of a line, or a text that says what is wrong with the line. */
export async function* readLines<Row>(
  file: string,
  header: Header,
  check: (record: Readonly<Record<string, string>>) => Row | string,
): AsyncGenerator<LoadedLine<Row>> {
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    columns: header,
    max_record_size: recordBytesMax,
  })
  // `pipeline` passes an error of the file to the parser, and the loop below throws it.
  pipeline(createReadStream(file), decodeUtf8, parser, () => {})
  let isEmpty = true
  try {
    for await (const { info, record } of parser as AsyncIterable<{
      info: { lines: number }
      record: Record<string, string>
    }>) {
      isEmpty = false
      const row = check(record)
      yield typeof row === 'string' ? { line: info.lines, fault: row } : { line: info.lines, row }
    }
  } catch (error) {
    if (error instanceof OperatorError) throw new OperatorError(`${file}: ${error.message}`, error)
    throw isAboutTheFile(error) ? new OperatorError(`${file}: ${error.message}`, error) : error
  }
  if (isEmpty) throw new OperatorError(`${file}: the file has no rows after the first line, which names the columns`)
}

/** Requires all columns, in any order. A missing column would erase stored values. A repeated column would hide a value. */
export const exactly =
  (columns: readonly string[]): Header =>
  (names) => {
    const trimmed = names.map((name) => name.trim())
    if (trimmed.toSorted().join() !== columns.toSorted().join()) {
      throw new OperatorError(`the first line must name the columns ${columns.join(', ')}, each once, in any order`)
    }
    return trimmed
  }

/**
 * Throws on invalid UTF-8. Otherwise the invalid bytes would be stored as replacement characters, in a catalogue that all
 * organisations share.
 */
async function* decodeUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

const isAboutTheFile = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  /^(CSV_|ENOENT|EACCES|EISDIR|ERR_ENCODING_INVALID)/.test(String(error.code))
