import { createHash } from 'node:crypto'
import { statement } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { buildStatements } from './build-rollup.ts'

/** The version of each test's rollup, by key of the test. Queries ignore rollups of another version. */
export type RollupTerms = ReadonlyMap<string, { readonly version: string; readonly keepDays: number | null }>

/**
 * Sample zones. Through them, the version depends on how local time is computed. Their clocks change by one hour, half an hour
 * (Lord Howe) and two hours (Troll).
 */
const sampleZones = ['Europe/London', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Antarctica/Troll'].map(
  (name, index) => ({ id: index + 1, name }),
)
/** The days from 2015 to 2024, in days since 1970. */
const sampleDays = { first: 16_436, last: 20_088 }

/**
 * Returns the version of each test's rollup. It depends on the metrics of the test, their prefilters and dimensions, the rules
 * of time zones, and the retention.
 */
export function rollupTerms(catalog: Catalog, retention: ReadonlyMap<string, number>): RollupTerms {
  return new Map(
    catalog.tests.map((test) => {
      const keepDays = retention.get(test.key) ?? null
      const build = { build: 0, test, panel: 0, days: sampleDays, keepDays }
      // The JSON also contains the bound values, such as the hours of the schedule's blocks.
      const texts = buildStatements('any', catalog, sampleZones, build).map((query) => JSON.stringify(statement(query)))
      const hash = createHash('sha256').update([keepDays, process.versions.tz, ...texts].join('\n'))
      return [test.key, { version: hash.digest('hex').slice(0, 16), keepDays }]
    }),
  )
}
