import { limits } from '../../../base/limits.ts'
import { inTransaction, operate, OperatorError, type Operator } from './operator.ts'

/** One line of a file, after it was checked on its own. `line` is its line number in a text editor. */
export type LoadedLine<Row> = { line: number; row: Row } | { line: number; fault: string }

type LineFault = { line: number; fault: string }

export type BulkLoad<Row> = {
  /** The columns of the staging table, with their types. */
  columns: { [Name in keyof Row & string]: string }
  /** Statements that run first, to take locks. */
  before: readonly { text: string; values: unknown[] }[]
  /**
   * Statements that check all staged lines (`incoming`) together. Each statement returns one row `(line, fault)` for each
   * fault.
   */
  faults: readonly { text: string; values: unknown[] }[]
  /**
   * Statements that write the lines to their tables. The last statement returns one row `(created, changed)`: how many agents
   * or packages it has created, and how many it has changed.
   */
  writes: readonly { text: string; values: unknown[] }[]
  onProgress: (lines: number) => void
}

export type BulkResult = { lines: number; created: number; changed: number }

/**
 * Loads a file of any length. Lines are written to a staging table in batches. SQL statements check all staged lines together,
 * and further statements write them to their tables. If one line is invalid, the whole file is refused.
 */
export async function bulkLoad<Row extends Record<string, unknown>>(
  operator: Operator,
  lines: AsyncIterable<LoadedLine<Row>>,
  load: BulkLoad<Row>,
): Promise<BulkResult> {
  return inTransaction(operator, async () => {
    for (const { text, values } of load.before) await operate(operator, text, values)
    const declarations = Object.entries(load.columns).map(([name, type]) => `${name} ${type}`)
    await operate(operator, `CREATE TEMP TABLE incoming (line integer, ${declarations.join(', ')}) ON COMMIT DROP`)
    const { count, faults } = await stage(operator, lines, load)
    await operate(operator, 'ANALYZE incoming')
    for (const { text, values } of load.faults) {
      if (faults.length < limits.importFaultsMax) faults.push(...(await operate<LineFault>(operator, text, values)))
    }
    if (faults.length > 0) throw fileRefused(faults)
    let written: { created: number; changed: number }[] = []
    for (const { text, values } of load.writes) written = await operate(operator, text, values)
    return { lines: count, created: written[0]?.created ?? 0, changed: written[0]?.changed ?? 0 }
  })
}

async function stage<Row extends Record<string, unknown>>(
  operator: Operator,
  lines: AsyncIterable<LoadedLine<Row>>,
  { columns, onProgress }: BulkLoad<Row>,
): Promise<{ count: number; faults: LineFault[] }> {
  const faults: LineFault[] = []
  let count = 0
  let batch: (Row & { line: number })[] = []
  const flush = async () => {
    await insertBatch(operator, columns, batch)
    batch = []
    onProgress(count)
  }
  for await (const entry of lines) {
    count += 1
    if ('fault' in entry) faults.push(entry)
    else batch.push({ ...entry.row, line: entry.line })
    if (faults.length >= limits.importFaultsMax) break
    if (batch.length >= limits.importBatchRows) await flush()
  }
  await flush()
  return { count, faults }
}

/** The statement takes one array per column, so that its text does not depend on the size of the batch. */
async function insertBatch(
  operator: Operator,
  columns: Record<string, string>,
  batch: readonly Record<string, unknown>[],
): Promise<void> {
  const typed = Object.entries({ line: 'integer', ...columns })
  const arrays = typed.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')
  const values = typed.map(([name]) => batch.map((row) => row[name] ?? null))
  const names = typed.map(([name]) => name).join(', ')
  await operate(operator, `INSERT INTO incoming (${names}) SELECT * FROM unnest(${arrays})`, values)
}

function fileRefused(faults: LineFault[]): OperatorError {
  const shown = faults.toSorted((one, other) => one.line - other.line).slice(0, limits.importFaultsMax)
  const list = shown.map(({ line, fault }) => `  line ${line}: ${fault}`).join('\n')
  return new OperatorError(`Nothing was imported; correct these lines (the first ${shown.length} faults):\n${list}`)
}
