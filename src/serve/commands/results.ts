import type { Command } from 'commander'
import { limits } from '../../base/limits.ts'
import { catalog } from '../../catalog/catalog.ts'
import { openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { findDuplicates, removeDuplicates, type Duplicates } from '../../ingest/remove-duplicates.ts'
import { clickHouseOptions } from '../config.ts'
import { print } from '../print.ts'
import { keyList, knownKeys, printerOf, settingsOf, type CommandContext } from './context.ts'

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
      const clickhouse = openClickHouse({
        ...clickHouseOptions(settingsOf(context), 'ADMIN'),
        timeoutMs: limits.maintenanceTimeoutMs,
      })
      try {
        const found: Duplicates[] = []
        for (const test of tests) {
          const duplicates = await findDuplicates(clickhouse, test)
          if (options.fix === true && duplicates.length > 0) await removeDuplicates(clickhouse, test)
          found.push(...duplicates)
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
