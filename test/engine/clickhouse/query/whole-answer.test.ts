import { expect, it } from 'vitest'
import { wholeAnswer } from '../../../../src/engine/clickhouse/query/ask.ts'

/** Parses the text as the ClickHouse client does. */
const read = async (text: string) => JSON.parse(text) as { data: unknown[]; rows: number }

const whole = '{"meta": [], "data": [[1], [2]], "rows": 2, "statistics": {"elapsed": 0.1}}\n'

it('accepts a response that has as many rows as it says', async () => {
  expect(await wholeAnswer(read(whole))).toEqual([[1], [2]])
  expect(await wholeAnswer(read('{"data": [], "rows": 0}'))).toEqual([])
})

/**
 * If ClickHouse has no disk space to buffer a response, it sends an incomplete response like these, with status 200.
 */
it.each([
  ['nothing at all', ''],
  ['the beginning', whole.slice(0, 20)],
  ['all but the end', whole.slice(0, -3)],
  ['fewer rows than it says', '{"data": [[1]], "rows": 2}'],
])('reports an unavailable store for %s, and never a result', async (_what, text) => {
  await expect(wholeAnswer(read(text))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
})
