import { createHash } from 'node:crypto'
import { statement } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { buildStatements } from './build-rollup.ts'

/** By what sums of a test are made. Sums of another version are not asked. */
export type RollupTerms = ReadonlyMap<string, { readonly version: string; readonly keepDays: number | null }>

/** So that a change of how local time is reckoned is one of the sums: changes of clocks of two hours, one and a half. */
const sampleZones = ['Europe/London', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Antarctica/Troll'].map(
  (name, index) => ({ id: index + 1, name }),
)
/** 2015 to 2024. */
const sampleDays = { first: 16_436, last: 20_088 }

/** By key of the test: its metrics, their prefilters and dimensions, the rules of time zones, the days results are kept. */
export function rollupTerms(catalog: Catalog, retention: ReadonlyMap<string, number>): RollupTerms {
  return new Map(
    catalog.tests.map((test) => {
      const keepDays = retention.get(test.key) ?? null
      const build = { build: 0, test, panel: 0, days: sampleDays, keepDays }
      // With what is bound in them: the hours of a schedule's blocks are.
      const texts = buildStatements('any', catalog, sampleZones, build).map((query) => JSON.stringify(statement(query)))
      const hash = createHash('sha256').update([keepDays, process.versions.tz, ...texts].join('\n'))
      return [test.key, { version: hash.digest('hex').slice(0, 16), keepDays }]
    }),
  )
}
