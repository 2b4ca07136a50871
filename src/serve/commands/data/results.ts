import type { Command } from 'commander'
import { limits } from '../../../base/limits.ts'
import { catalog } from '../../../catalog/catalog.ts'
import type { TestDefinition } from '../../../catalog/define-test.ts'
import { openClickHouse } from '../../../engine/clickhouse/clickhouse.ts'
import { tryAdvisoryLock } from '../../../engine/postgres/advisory-locks.ts'
import { asOperator, OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { spoilDays } from '../../../engine/postgres/operator/rollups.ts'
import { findDuplicates, removeDuplicates, type Duplicates } from '../../../ingest/remove-duplicates.ts'
import { patiently, sumsAreBuilt } from '../../tasks/patiently.ts'
import type { Settings } from '../../config-schema.ts'
import { adminUrl, clickHouseOptions } from '../../config.ts'
import { print } from '../../output.ts'
import { withRollupStores } from '../../tasks/rollup-stores.ts'
import { keyList, knownKeys, printerOf, settingsOf, type CommandContext } from '../context.ts'

type Options = { json?: boolean; fix?: boolean; tests: string }

export function addResultsCommands(program: Command, context: CommandContext): void {
  const results = program.command('results').description('stored results')
  results
    .command('duplicates')
    .description('report results that are stored more than once: same agent, time and key columns')
    .option('--tests <keys>', 'tests to look at: keys, comma-separated, or "all"', 'all')
    .option('--fix', 'remove all but the one that was stored first')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const keys = knownKeys('test', keyList(options.tests), catalog.tests)
      const tests = catalog.tests.filter(({ key }) => keys.includes('*') || keys.includes(key))
      if (tests.length === 0) throw new OperatorError('--tests names no test; leave it out to look at all')
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
 * While nobody builds sums: a month put together with rows that are about to go would stay like that when this breaks off.
 * Its days are marked before, so that nobody is told of both, and after, should the lock have been lost meanwhile.
 */
const fix = (settings: Settings, test: TestDefinition): Promise<Duplicates[]> =>
  withRollupStores(settings, ({ postgres, clickhouse }) =>
    patiently(
      () =>
        tryAdvisoryLock(postgres, 'buildRollups', async () => {
          const duplicates = await findDuplicates(clickhouse, test)
          if (duplicates.length === 0) return duplicates
          await spoil(settings, duplicates)
          try {
            await removeDuplicates(clickhouse, test)
          } finally {
            await spoil(settings, duplicates)
          }
          return duplicates
        }),
      sumsAreBuilt,
    ),
  )

const spoil = (settings: Settings, duplicates: readonly Duplicates[]): Promise<void> =>
  asOperator(adminUrl(settings), async (operator) => {
    for (const { test, month } of duplicates) await spoilDays(operator, { test, panel: null, ...daysAround(month) })
  })

/** The days of a month, written YYYYMM, and one on either side: counted from 1970. */
function daysAround(month: number): { from: number; to: number } {
  const dayOf = (months: number) => Date.UTC(Math.floor(month / 100), (month % 100) - 1 + months) / 86_400_000
  return { from: dayOf(0) - 1, to: dayOf(1) }
}
