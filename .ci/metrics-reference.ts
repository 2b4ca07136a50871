/**
 * Generates docs/metrics.md from the catalogue: `npx node .ci/metrics-reference.ts` writes the page. A test checks that
 * the page is up to date.
 */
import { pathToFileURL } from 'node:url'
import { writeFileSync } from 'node:fs'
import { format } from 'oxfmt'
import { sql, statement, type Sql } from '../src/base/sql.ts'
import { catalog } from '../src/catalog/catalog.ts'
import type { MetricDefinition } from '../src/catalog/define-metric.ts'
import { unitSymbol } from '../src/catalog/units.ts'
import type { TestDefinition } from '../src/catalog/define-test.ts'

const shown = (expression: Sql): string => `\`${statement(expression).text}\``

/** Adds brackets around a sum or difference, because the unit conversion applies to the whole expression. */
const bracketed = (expression: Sql): Sql =>
  / [-+] /.test(statement(expression).text) ? sql`(${expression})` : expression

const valueOf = ({ measure }: MetricDefinition): string =>
  measure.kind === 'value'
    ? shown(measure.inUnit(bracketed(measure.integer)))
    : `100 · Σ ${shown(measure.numerator)} / Σ ${shown(measure.denominator)}`

const better = ({ higherIsBetter }: MetricDefinition): string =>
  higherIsBetter === null ? 'Neither more nor less is better.' : `${higherIsBetter ? 'Higher' : 'Lower'} is better.`

const unitOf = ({ unit }: MetricDefinition): string => (unit === 'count' ? 'as a count' : `in ${unitSymbol(unit)}`)

const metric = (one: MetricDefinition): string => `### \`${one.key}\`

${one.name}, ${unitOf(one)}. ${one.description} Computed from the test \`${one.test}\`. ${better(one)}${one.aggregatedOnly ? ' Only available in aggregated form.' : ''}${one.plan === undefined ? '' : ` \`relativeTo: "plan"\` gives the percentage of the package's ${one.plan} speed.`}

Value: ${valueOf(one)}${one.rows === undefined ? '' : `, for rows with ${shown(one.rows)}`}

${rules(one)}`

function rules({ prefilter }: MetricDefinition): string {
  if (prefilter.length === 0) return 'There is no prefilter rule.'
  const rows = prefilter.map(
    ({ name, version, reason, excludes }) => `| ${name} | ${version} | ${shown(excludes)} | ${reason} |`,
  )
  return `| Prefilter rule | Version | Excludes rows with | Reason |\n| --- | --- | --- | --- |\n${rows.join('\n')}`
}

const test = ({ key, name, description, kinds, schedule, columns }: TestDefinition): string => `### \`${key}\`

${name}. ${description} Kinds of agent: ${kinds.join(', ')}. Blocks of its schedule begin at ${
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

This page is generated from the catalogue. It lists every metric and every test; \`GET /metrics\` and \`GET /tests\` return those that your organisation may query. [Concepts](concepts.md) explains the statistics, the normalisation and the prefilter.

A prefilter rule excludes rows only in requests with \`"prefilter": true\`. Formulas are ClickHouse SQL over the columns of the test.

## Metrics

${catalog.metrics.map(metric).join('\n\n')}

## Tests

Every record begins with the columns \`base\` (device model), \`ddate\` (UTC day), \`dtime\` (UTC time of the end of the test), \`agent_id\` and \`unit_id\`.

${catalog.tests.map(test).join('\n\n')}
`
  const { code } = await format('metrics.md', text, { printWidth: 120 })
  return code
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync('docs/metrics.md', await metricsReference())
