import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { parse } from 'csv-parse'
import { OperatorError } from '../../engine/postgres/operator/operator.ts'
import type { LoadedLine } from '../../engine/postgres/operator/bulk-load.ts'

/** An unclosed quote swallows the rest of the file; no honest line is this long. */
const recordBytesMax = 65_536

/** Takes the names of the columns as the file has them, and says what they are called here, or refuses them. */
type Header = (names: string[]) => string[]

/** Lines of a CSV file with a header, each checked by `check`. */
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
  // A pipeline, so that a file that cannot be read ends the parser with that error, which the loop then throws.
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
  if (isEmpty) throw new OperatorError(`${file}: there is no line after the first, which names the columns`)
}

/** Exactly the columns there are, in any order: one left out would erase what is stored, one twice would hide a value. */
export const exactly =
  (columns: readonly string[]): Header =>
  (names) => {
    const trimmed = names.map((name) => name.trim())
    if (trimmed.toSorted().join() !== columns.toSorted().join()) {
      throw new OperatorError(`the first line must name the columns ${columns.join(', ')}, each once, in any order`)
    }
    return trimmed
  }

/** Bytes that are not UTF-8 would be stored as question marks, in a catalogue that everybody shares. */
async function* decodeUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

const isAboutTheFile = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  /^(CSV_|ENOENT|EACCES|EISDIR|ERR_ENCODING_INVALID)/.test(String(error.code))
