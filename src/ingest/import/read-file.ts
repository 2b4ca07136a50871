import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { asyncBufferFromFile, parquetMetadataAsync, parquetSchema } from 'hyparquet'
import { UserFacingError } from '../../base/fault.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { parquetAsCsv } from '../../engine/clickhouse/ingest/parquet-as-csv.ts'
import { checkColumns } from '../../check/rows/csv-header.ts'
import { expand } from '../expand.ts'
import type { FileKind } from './file-kind.ts'

const pieceBytes = 1024 * 1024

/** Yields the rows of a file as CSV or NDJSON. `onRead` receives the number of bytes read from the file itself. */
export async function* readFile(
  clickhouse: ClickHouse,
  path: string,
  { format, encoding }: FileKind,
  test: TestDefinition,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const isPlain = format !== 'parquet' && encoding === 'identity'
  const pieces = () =>
    countBytes(isPlain ? readInPlace(path) : createReadStream(path, { highWaterMark: pieceBytes }), onRead)
  if (format !== 'parquet') yield* expand(pieces(), encoding)
  else {
    const columns = checkColumns(await parquetColumns(path), test)
    yield* parquetAsCsv(clickhouse, columns, pieces())
  }
}

/**
 * Reads a file into one buffer that it reuses: the consumer must copy each chunk before it requests the next one. New buffers
 * would take as much memory as the whole file, because V8 does not count their memory and frees them late.
 */
async function* readInPlace(path: string): AsyncGenerator<Buffer> {
  const file = await open(path)
  try {
    const piece = Buffer.allocUnsafeSlow(pieceBytes)
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, null)
      if (bytesRead === 0) return
      yield piece.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

async function* countBytes(stream: AsyncIterable<Buffer>, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of stream) {
    yield piece
    onRead((bytes += piece.length))
  }
}

/** Reads only the column names of a Parquet file. ClickHouse reads the values. */
async function parquetColumns(path: string): Promise<string[]> {
  try {
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path))
    return parquetSchema(metadata).children.map(({ element }) => element.name)
  } catch (error) {
    throw new UserFacingError(`${path}: this is not a valid Parquet file`, error)
  }
}
