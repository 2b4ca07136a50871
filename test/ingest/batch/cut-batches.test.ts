import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ingestLimits } from '../../../src/base/limits.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { batchBuffers, cutBatches } from '../../../src/ingest/batch/cut-batches.ts'
import { readBatches } from '../../../src/ingest/batch/read-batches.ts'
import { countNewlines, hasOpenQuote } from '../../../src/ingest/count-bytes.ts'
import { runningMs } from '../../kit/running-time.ts'

const cell = fc.oneof(
  fc.stringMatching(/^[a-z0-9.]{0,12}$/),
  fc
    .string({ unit: fc.constantFrom('a', ',', '"', '\n', 'ü'), maxLength: 12 })
    .map((text) => `"${text.replaceAll('"', '""')}"`),
)
const csvRows = fc.array(
  fc.array(cell, { minLength: 1, maxLength: 4 }).map((cells) => `${cells.join(',')}\n`),
  { maxLength: 60 },
)

/** Yields the text in pieces, cut at the positions in `places`. */
async function* inPieces(text: string, places: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((one, other) => one - other)
  let from = 0
  for (const end of [...ends, bytes.length]) {
    if (end > from) yield bytes.subarray(from, end)
    from = end
  }
}

const cut = async (
  text: string,
  places: readonly number[],
  quoted: boolean,
  bytesMax: number,
  linesMax: number = ingestLimits.batchLinesMax,
) =>
  (await Array.fromAsync(cutBatches(inPieces(text, places), { quoted, bytesMax, linesMax }))).map((batch) =>
    batch.toString(),
  )

const linesOf = (rows: readonly string[]): number => rows.join('').split('\n').length - 1

it('cuts rows at the same positions however they arrive, between rows only, and loses nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      csvRows,
      fc.array(fc.nat(2_000), { maxLength: 20 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 20 }),
      async (rows, places, bytesMax, linesMax) => {
        const text = rows.join('')
        const batches = await cut(text, places, true, bytesMax, linesMax)
        expect(batches).toEqual(await cut(text, [], true, bytesMax, linesMax))
        expect(batches.join('')).toBe(text)
        // Every batch consists of whole rows, so it must be a prefix of the remaining rows.
        let left = rows
        for (const batch of batches) {
          const count = left.findIndex((_, index) => left.slice(0, index + 1).join('') === batch) + 1
          expect(count).toBeGreaterThan(0)
          // A batch ends as soon as it reaches one of the two limits. So without its last row, the batch is below both
          // limits.
          const before = left.slice(0, count - 1)
          expect(Buffer.byteLength(before.join(''))).toBeLessThan(bytesMax)
          expect(linesOf(before)).toBeLessThan(linesMax)
          left = left.slice(count)
          if (left.length === 0) break
          const isFull = Buffer.byteLength(batch) >= bytesMax || linesOf([batch]) >= linesMax
          expect(isFull).toBe(true)
        }
      },
    ),
  )
})

it('cuts the same batches into reused memory', async () => {
  await fc.assert(
    fc.asyncProperty(csvRows, fc.integer({ min: 1, max: 100 }), async (rows, bytesMax) => {
      const text = rows.join('')
      const buffers = batchBuffers()
      const batches: string[] = []
      for await (const batch of cutBatches(inPieces(text, [7, 50]), { quoted: true, bytesMax, buffers })) {
        batches.push(batch.toString())
        buffers.giveBack(batch)
      }
      expect(batches).toEqual(await cut(text, [], true, bytesMax))
    }),
    { numRuns: 30 },
  )
})

it('hands memory on only once, and only its own', () => {
  const buffers = batchBuffers()
  const first = buffers.take(10)
  buffers.giveBack(new Uint8Array(20))
  buffers.giveBack(first.subarray(0, 4))
  buffers.giveBack(first)
  expect(buffers.take(10).buffer).toBe(first.buffer)
  expect(buffers.take(10).buffer).not.toBe(first.buffer)
})

it('treats a quote as a normal character if the format has no quoted cells', async () => {
  expect(await cut('{"a"\n}\n"\n', [], false, 4)).toEqual(['{"a"\n', '}\n"\n'])
})

it('reports an unclosed quote, at the end and before it reads all that follows', async () => {
  await expect(cut('a,"b\nc\n', [], true, 100)).rejects.toThrow('A quoted cell is not closed.')
  const endless = `"${'x\n'.repeat(ingestLimits.rowBytesMax)}`
  await expect(cut(endless, [], true, 100)).rejects.toThrow('A row is longer than')
})

it('scans no byte again for each piece in which an unclosed quote arrives', async () => {
  const bytesMax = 8 * 1024 * 1024
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`"${'x'.repeat(bytesMax)}\n`)
    for (let piece = 0; piece < 20_000; piece += 1) yield Buffer.from('\n')
  }
  const startedAt = runningMs()
  await expect(Array.fromAsync(cutBatches(pieces(), { quoted: true, bytesMax }))).rejects.toThrow('not closed')
  // If the function scanned all received bytes again for each piece, it would take minutes.
  expect(runningMs() - startedAt).toBeLessThan(10_000)
})

it('counts quotes and line ends in any part of any buffer like a simple loop', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => bytes.map((byte) => [0x22, 0x0a][byte % 4] ?? byte)),
      fc.nat(300),
      fc.nat(300),
      fc.nat(7),
      (bytes, one, other, shift) => {
        const whole = Buffer.alloc(bytes.length + shift)
        whole.set(bytes, shift)
        const buffer = whole.subarray(shift)
        const [from = 0, to = 0] = [one, other].map((at) => Math.min(at, bytes.length)).toSorted((a, b) => a - b)
        const quotes = bytes.subarray(from, to).filter((byte) => byte === 0x22).length
        expect(hasOpenQuote(buffer, from, to)).toBe(quotes % 2 === 1)
        const newlines = bytes.subarray(from, to).filter((byte) => byte === 0x0a).length
        expect(countNewlines(buffer, from, to)).toBe(newlines)
      },
    ),
    { numRuns: 1_000 },
  )
})

// With coverage the test takes much longer, because coverage counts every byte that the function reads.
const timeout = 120_000

it('returns every buffer, also of batches with removed blank lines, or with nothing else', { timeout }, async () => {
  const test = catalog.tests.find(({ key }) => key === 'ping')
  if (test === undefined) throw new Error('there is no test ping')
  const lent = new Set<ArrayBufferLike>()
  const { take, giveBack } = batchBuffers()
  const buffers = {
    take: (bytes: number) => {
      const buffer = take(bytes)
      lent.add(buffer.buffer)
      return buffer
    },
    giveBack: (data: Uint8Array) => {
      lent.delete(data.buffer)
      giveBack(data)
    },
  }
  const row = `{"target":"${'x'.repeat(1_000)}"}\n\n`
  async function* file(): AsyncGenerator<Uint8Array> {
    for (let written = 0; written < 3 * ingestLimits.batchBytesMax; written += row.length * 1_000)
      yield Buffer.from(row.repeat(1_000))
    yield Buffer.alloc(ingestLimits.batchBytesMax + 1_000, '\n')
  }
  let batches = 0
  for await (const { data } of readBatches(file(), 'ndjson', test, buffers)) {
    batches += 1
    buffers.giveBack(data)
  }
  expect(batches).toBeGreaterThan(2)
  expect(lent.size).toBe(0)
})
