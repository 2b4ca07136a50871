import type { Command } from 'commander'
import { limits } from '../../../base/limits.ts'
import { catalog } from '../../../catalog/catalog.ts'
import type { TestDefinition } from '../../../catalog/define-test.ts'
import { openClickHouse } from '../../../engine/clickhouse/clickhouse.ts'
import { tryAdvisoryLock } from '../../../engine/postgres/advisory-locks.ts'
import { asOperator, OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { invalidateDays } from '../../../engine/postgres/operator/rollups.ts'
import { findDuplicates, removeDuplicates, type Duplicates } from '../../../ingest/remove-duplicates.ts'
import { retryFor, rollupsAreBusy } from '../../tasks/retry-for.ts'
import type { Settings } from '../../config-schema.ts'
import { adminUrl, clickHouseOptions } from '../../config.ts'
import { print } from '../../output.ts'
import { withRollupStores } from '../../tasks/rollup-stores.ts'
import { keyList, knownKeys, printerOf, settingsOf, type CommandContext } from '../context.ts'

type Options = { json?: boolean; fix?: boolean; tests: string }

export function addResultsCommands(program: Command, context: CommandContext): void {
  const results = program.command('results').description('check stored results')
  results
    .command('duplicates')
    .description('list results that are stored more than once (same agent, time and key columns)')
    .option('--tests <keys>', 'tests to check: comma-separated keys, or "all"', 'all')
    .option('--fix', 'of each group of duplicates, keep only the result that was stored first')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const keys = knownKeys('test', keyList(options.tests), catalog.tests)
      const tests = catalog.tests.filter(({ key }) => keys.includes('*') || keys.includes(key))
      if (tests.length === 0) throw new OperatorError('--tests names no test; omit it to check all tests')
      const settings = settingsOf(context)
      const clickhouse = openClickHouse({
        ...clickHouseOptions(settings, 'ADMIN'),
        timeoutMs: limits.maintenanceTimeoutMs,
      })
      try {
        const found: Duplicates[] = []
        for (const test of tests) {
          found.push(...(await (options.fix === true ? fix(settings, test) : findDuplicates(clickhouse, test))))
        }
        const surplus = found.reduce((sum, one) => sum + one.surplus, 0)
        const said = found.length === 0 ? 'No result is stored more than once.' : undefined
        print(printerOf(context, options), found, said)
        if (options.json !== true && options.fix === true && surplus > 0)
          context.write(`${surplus} rows were removed.\n`)
      } finally {
        await clickhouse.close()
      }
    })
}

/**
 * Removes duplicates while it holds the rollup lock. Without the lock, the rollup job could build from rows that are about to
 * be removed. If this command were interrupted then, the rollup would stay wrong. The command invalidates the days before the
 * removal, so that no query mixes old rollups with new results. It invalidates them again after the removal, because the lock
 * may have been lost in the meantime.
 */
const fix = (settings: Settings, test: TestDefinition): Promise<Duplicates[]> =>
  withRollupStores(settings, ({ postgres, clickhouse }) =>
    retryFor(
      () =>
        tryAdvisoryLock(postgres, 'buildRollups', async () => {
          const duplicates = await findDuplicates(clickhouse, test)
          if (duplicates.length === 0) return duplicates
          await invalidate(settings, duplicates)
          try {
            await removeDuplicates(clickhouse, test)
          } finally {
            await invalidate(settings, duplicates)
          }
          return duplicates
        }),
      rollupsAreBusy,
    ),
  )

const invalidate = (settings: Settings, duplicates: readonly Duplicates[]): Promise<void> =>
  asOperator(adminUrl(settings), async (operator) => {
    for (const { test, month } of duplicates)
      await invalidateDays(operator, { test, panel: null, ...daysAround(month) })
  })

/** The days of a month (YYYYMM), and one day before and after it, as days since 1970. */
function daysAround(month: number): { from: number; to: number } {
  const dayOf = (months: number) => Date.UTC(Math.floor(month / 100), (month % 100) - 1 + months) / 86_400_000
  return { from: dayOf(0) - 1, to: dayOf(1) }
}
