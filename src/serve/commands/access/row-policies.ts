import type { Command } from 'commander'
import { statement } from '../../../base/sql.ts'
import { catalog } from '../../../catalog/catalog.ts'
import { rowPolicies, type RowPolicy } from '../../../compile/schema/row-policies.ts'
import { OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { clickHouseOptions, usersForCallers } from '../../config.ts'
import { settingsOf, type CommandContext } from '../context.ts'

export function addRowPoliciesCommand(program: Command, context: CommandContext): void {
  program
    .command('row-policies')
    .description('print the row policies for ClickHouse, which limit each query to the panels that it names')
    .option(
      '--format <format>',
      'sql: statements for a server that stores policies itself; xml: a file for users.d',
      'sql',
    )
    .action(({ format }: { format: string }) => {
      const settings = settingsOf(context)
      const { database, cluster } = clickHouseOptions(settings, 'QUERY')
      const users = usersForCallers(settings)
      const policies = rowPolicies(catalog, cluster !== null)
      if (format === 'sql') context.write(asSql(database, policies, users))
      else if (format === 'xml') context.write(asXml(database, policies, users))
      else throw new OperatorError('--format takes sql or xml')
    })
}

const asSql = (database: string, policies: readonly RowPolicy[], users: readonly string[]): string =>
  policies
    .map(
      ({ table, filter }) =>
        `CREATE ROW POLICY OR REPLACE broadgauge_panels ON ${database}.${table} USING ${statement(filter).text} TO ${users.join(', ')};\n`,
    )
    .join('')

function asXml(database: string, policies: readonly RowPolicy[], users: readonly string[]): string {
  const tables = policies.map(
    ({ table, filter }) => `          <${table}><filter>${statement(filter).text}</filter></${table}>\n`,
  )
  const shown = users.map(
    (user) =>
      `    <${user}>\n      <databases>\n        <${database}>\n${tables.join('')}        </${database}>\n      </databases>\n    </${user}>\n`,
  )
  return `<!-- Written by the command broadgauge row-policies, as xml -->\n<clickhouse>\n  <users>\n${shown.join('')}  </users>\n</clickhouse>\n`
}
