/** docs/metrics.md, made of the catalogue: `node .ci/metrics-reference.ts` writes it, and a test compares it. */
import { pathToFileURL } from 'node:url'
import { writeFileSync } from 'node:fs'
import { format } from 'oxfmt'
import { sql, statement, type Sql } from '../src/base/sql.ts'
import { catalog } from '../src/catalog/catalog.ts'
import type { MetricDefinition } from '../src/catalog/define-metric.ts'
import type { TestDefinition } from '../src/catalog/define-test.ts'

const shown = (expression: Sql): string => `\`${statement(expression).text}\``

/** A sum or a difference is converted as a whole. */
const bracketed = (expression: Sql): Sql =>
  / [-+] /.test(statement(expression).text) ? sql`(${expression})` : expression

const valueOf = ({ measure }: MetricDefinition): string =>
  measure.kind === 'value'
    ? shown(measure.inUnit(bracketed(measure.integer)))
    : `100 · Σ ${shown(measure.numerator)} / Σ ${shown(measure.denominator)}`

const metric = (one: MetricDefinition): string => `### \`${one.key}\`

${one.name}, in ${one.unit}. ${one.description} From the test \`${one.test}\`; ${one.higherIsBetter ? 'more' : 'less'} is better${one.aggregatedOnly ? '; only aggregated' : ''}.

Value: ${valueOf(one)}${one.rows === undefined ? '' : `, of rows with ${shown(one.rows)}`}

${rules(one)}`

function rules({ prefilter }: MetricDefinition): string {
  if (prefilter.length === 0) return 'The prefilter leaves nothing out.'
  const rows = prefilter.map(
    ({ name, version, reason, excludes }) => `| ${name} | ${version} | ${shown(excludes)} | ${reason} |`,
  )
  return `| The prefilter leaves out | Version | Rows with | Because |\n| --- | --- | --- | --- |\n${rows.join('\n')}`
}

const test = ({ key, name, description, kinds, schedule, columns }: TestDefinition): string => `### \`${key}\`

${name}. ${description} Run by agents of the kinds ${kinds.join(', ')}. Blocks of its schedule begin at ${
  schedule.length > 10
    ? 'every hour'
    : schedule
        .slice(0, -1)
        .map((hour) => `${hour}:00`)
        .join(', ')
}.

| Column | Type | Unit | Meaning |
| --- | --- | --- | --- |
${columns.map((column) => `| \`${column.name}\` | ${column.type === 'text' ? 'text' : 'whole number'} | ${column.unit ?? ''} | ${column.description} |`).join('\n')}`

export const metricsReference = async (): Promise<string> => {
  const text = `# Metrics and tests

Made from the catalogue; what you may ask for is \`GET /metrics\` and \`GET /tests\`. How statistics, normalisation and the prefilter work: [concepts](concepts.md).

## Metrics

${catalog.metrics.map(metric).join('\n\n')}

## Tests

Every record begins with \`base\` (device model), \`ddate\` (UTC day), \`dtime\` (UTC, end of the test), \`agent_id\` and \`unit_id\`.

${catalog.tests.map(test).join('\n\n')}
`
  const { code } = await format('metrics.md', text, { printWidth: 120 })
  return code
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync('docs/metrics.md', await metricsReference())
