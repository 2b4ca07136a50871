import { expect, it } from 'vitest'
import { addOutcome } from '../../../src/ingest/batch/batch.ts'

const unknown = { reason: 'unknown_agent', column: 'agent_id' }
const repeated = { reason: 'duplicate_row', column: '' }

it('adds up the batches of a body, by reason and column, with the first row of both', () => {
  const one = {
    accepted: 10,
    duplicates: 0,
    rejected: 400,
    rejections: [{ ...unknown, rows: 400, kept_rows: 100, first_row: 7 }],
  }
  const other = {
    accepted: 5,
    duplicates: 3,
    rejected: 20,
    rejections: [
      { ...repeated, rows: 3, kept_rows: 3, first_row: 412 },
      { ...unknown, rows: 20, kept_rows: 20, first_row: 411 },
    ],
  }
  expect(addOutcome(one, other)).toEqual({
    accepted: 15,
    duplicates: 3,
    rejected: 420,
    rejections: [
      { ...unknown, rows: 420, kept_rows: 120, first_row: 7 },
      { ...repeated, rows: 3, kept_rows: 3, first_row: 412 },
    ],
  })
})
