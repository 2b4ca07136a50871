import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

/**
 * Prints the table of a bench and writes it to `bench/results/<name>.json`. Do not compare two files: only ratios within one
 * file are meaningful.
 */
export function report(name: string, rows: readonly object[]): void {
  console.table(rows)
  const folder = new URL('../results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const load = loadavg()[0]?.toFixed(1)
  const content = { measured: new Date().toISOString(), cores: availableParallelism(), load, rows }
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(content, null, 2)}\n`)
}
