import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { parse } from 'csv-parse'
import { OperatorError } from '../engine/postgres/operator/operator.ts'
import type { LoadedLine } from '../engine/postgres/operator/bulk-load.ts'

/** Lines of a CSV file with a header, each checked by `check`. Columns nobody asked for are refused, not ignored. */
export async function* readLines<Row>(
  file: string,
  columns: readonly string[],
  check: (record: Readonly<Record<string, string>>) => Row | string,
): AsyncGenerator<LoadedLine<Row>> {
  const header = (names: string[]) => checkHeader(names, columns)
  const parser = parse({ bom: true, info: true, skip_empty_lines: true, columns: header })
  // A pipeline, so that a file that cannot be read ends the parser with that error, which the loop then throws.
  pipeline(createReadStream(file), parser, () => {})
  try {
    for await (const { info, record } of parser as AsyncIterable<{
      info: { lines: number }
      record: Record<string, string>
    }>) {
      const row = check(record)
      yield typeof row === 'string' ? { line: info.lines, fault: row } : { line: info.lines, row }
    }
  } catch (error) {
    throw isAboutTheFile(error) ? new OperatorError(`${file}: ${error.message}`, error) : error
  }
}

function checkHeader(names: string[], columns: readonly string[]): string[] {
  const trimmed = names.map((name) => name.trim())
  const unknown = trimmed.filter((name) => !columns.includes(name))
  if (unknown.length > 0) {
    throw new OperatorError(`unknown column ${unknown.join(', ')}; the columns are ${columns.join(', ')}`)
  }
  if (trimmed.length === 0 || trimmed[0] === '') throw new OperatorError(`the first line must name the columns`)
  return trimmed
}

const isAboutTheFile = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && /^(CSV_|ENOENT|EACCES|EISDIR)/.test(String(error.code))
