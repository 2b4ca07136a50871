import { expect, it } from 'vitest'
import { ok } from '../../src/envelope/envelope.ts'
import { okSeriesStreamed, okStreamed } from '../../src/envelope/streamed.ts'

const rows = '[{"a":1},{"a":2}]'

it('wraps rows in the envelope as the whole of data', () => {
  const { before, after } = okStreamed(rows)
  expect(`${before}${rows}${after}`).toBe(JSON.stringify(ok(JSON.parse(rows))))
})

it('wraps rows in the envelope as the points of one series', () => {
  const { before, after } = okSeriesStreamed(rows)
  expect(`${before}${rows}${after}`).toBe(JSON.stringify(ok([{ metricData: JSON.parse(rows) }])))
})

it('passes the rows on unchanged', () => {
  const stream = Symbol('stream')
  expect(okStreamed(stream).rows).toBe(stream)
  expect(okSeriesStreamed(stream).rows).toBe(stream)
})
