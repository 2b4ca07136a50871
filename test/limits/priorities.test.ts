import { expect, it } from 'vitest'
import { limits } from '../../src/base/limits.ts'
import { createPriorities } from '../../src/limits/priorities.ts'

const [acme, other] = [1, 2]
const cost = (rowsRead: number | null, engineMs = 100) => ({ rowsRead, engineMs })
const light = cost(limits.lightQueryRows - 1)

it('lowers the priority by five for each query the organisation runs already, to 19 at most', () => {
  const { nicenessOf } = createPriorities()
  expect([0, 1, 2, 3, 4, 100].map((others) => nicenessOf(acme, others))).toEqual([0, 5, 10, 15, 19, 19])
})

it('keeps the priority of an organisation whose queries read few rows, however many run and however long', () => {
  const { nicenessOf, record } = createPriorities()
  record(acme, { ...light, engineMs: 20_000 })
  expect(nicenessOf(acme, 3)).toBe(0)
  expect(nicenessOf(other, 3)).toBe(15)
})

it('lowers the priority again after one heavy query, and keeps it low for the next light ones', () => {
  const { nicenessOf, record } = createPriorities()
  record(acme, light)
  record(acme, cost(2 * limits.lightQueryRows))
  for (let left = 3; left > 0; left -= 1) record(acme, light)
  expect(nicenessOf(acme, 1)).toBe(5)
  record(acme, light)
  expect(nicenessOf(acme, 1)).toBe(0)
})

it('takes a query whose rows are unknown for a heavy one, and ignores one that never ran', () => {
  const { nicenessOf, record } = createPriorities()
  record(acme, light)
  record(acme, cost(0, 0))
  expect(nicenessOf(acme, 1)).toBe(0)
  record(acme, cost(null))
  expect(nicenessOf(acme, 1)).toBe(5)
})
