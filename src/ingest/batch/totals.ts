import type { BatchOutcome, Rejection } from './batch.ts'

export const noOutcome: BatchOutcome = { accepted: 0, duplicates: 0, rejected: 0, rejections: [] }

/** Of two batches of the same rows, one before the other. */
export const addOutcome = (one: BatchOutcome, other: BatchOutcome): BatchOutcome => ({
  accepted: one.accepted + other.accepted,
  duplicates: one.duplicates + other.duplicates,
  rejected: one.rejected + other.rejected,
  rejections: addRejections([...one.rejections, ...other.rejections]),
})

function addRejections(all: readonly Rejection[]): Rejection[] {
  const sums = new Map<string, Rejection>()
  for (const { reason, column, rows, kept_rows: kept, first_row: row } of all) {
    const key = `${reason} ${column}`
    const sum = sums.get(key) ?? { rows: 0, kept_rows: 0, first_row: row }
    const [rowsSum, keptSum] = [sum.rows + rows, sum.kept_rows + kept]
    sums.set(key, { reason, column, rows: rowsSum, kept_rows: keptSum, first_row: Math.min(sum.first_row, row) })
  }
  return [...sums.values()]
}
