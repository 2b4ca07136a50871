import { expect, it } from 'vitest'
import { wholeAnswer } from '../../../../src/engine/clickhouse/query/ask.ts'

/** As the client reads it. */
const read = async (text: string) => JSON.parse(text) as { data: unknown[]; rows: number }

const whole = '{"meta": [], "data": [[1], [2]], "rows": 2, "statistics": {"elapsed": 0.1}}\n'

it('takes an answer that says how many rows it has, and has them', async () => {
  expect(await wholeAnswer(read(whole))).toEqual([[1], [2]])
  expect(await wholeAnswer(read('{"data": [], "rows": 0}'))).toEqual([])
})

/** As ClickHouse sends them, with status 200, when there is no room left to keep an answer back. */
it.each([
  ['nothing at all', ''],
  ['the beginning', whole.slice(0, 20)],
  ['all but the end', whole.slice(0, -3)],
  ['fewer rows than it says', '{"data": [[1]], "rows": 2}'],
])('takes %s for a store that is away, never for an answer', async (_what, text) => {
  await expect(wholeAnswer(read(text))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
})
