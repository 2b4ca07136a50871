import type { Command } from 'commander'
import { migrate } from '../../tasks/migrate.ts'
import { print } from '../../output.ts'
import { printerOf, settingsOf, type CommandContext } from '../context.ts'

export function addMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description('bring PostgreSQL, ClickHouse and the bucket up to date; may run repeatedly and concurrently')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const report = await migrate(settingsOf(context))
      const done = [
        ...report.postgres.map((name) => `PostgreSQL: ${name}`),
        ...report.clickhouse.map((name) => `ClickHouse: ${name}`),
        ...report.objects.map((name) => `Object storage: ${name}`),
      ]
      print(printerOf(context, options), report, done.length === 0 ? 'Everything is up to date.' : done.join('\n'))
    })
}
