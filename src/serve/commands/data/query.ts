import { readFileSync } from 'node:fs'
import { Option, type Command } from 'commander'
import {
  BroadgaugeError,
  createClient,
  type AggregateRequest,
  type Client,
  type Warning,
} from '../../../../clients/typescript/src/index.ts'
import { SpokenError } from '../../../base/fault.ts'
import { aggregations } from '../../../catalog/aggregations.ts'
import { catalog } from '../../../catalog/catalog.ts'
import { parseFilter, type QueryFormat, shownSeries } from './shown-series.ts'
import type { CommandContext } from '../context.ts'

type Options = {
  from: string
  to: string
  by: AggregateRequest['aggregation']
  split: string[]
  filter: string[]
  panel: string[]
  normalised?: boolean
  prefilter: boolean
  format: QueryFormat
  url?: string
}

const examples = `
Examples:
  broadgauge query httpget                                  daily download speed of the last 30 days
  broadgauge query latency --by hour_of_day --format chart  a line of blocks for each series
  broadgauge query httpget --split isp --filter country=GB --filter 'isp!=Acme' --normalised
  broadgauge query packetLoss --by monthly --from '2026-01-01 00:00' --format csv

The service and the token are those of BROADGAUGE_CALLER_URL and BROADGAUGE_CALLER_TOKEN, or of a demo that was started here.`

const gather = (value: string, earlier: string[]): string[] => [...earlier, value]

/** For callers: it asks the service over HTTP like any other program, and needs none of the operator's settings. */
export function addQueryCommand(program: Command, context: CommandContext): void {
  const keys = aggregations.map(({ key }) => key)
  program
    .command('query <metric>')
    .description('ask a service for a metric and show it as a table, CSV, JSON or a chart')
    .addOption(new Option('--by <aggregation>', 'how results are put together').choices(keys).default('daily'))
    .option('--from <time>', 'beginning, local time of the agents', '-30 days')
    .option('--to <time>', 'end, included', 'now')
    .option('--split <id>', 'one series for each value; may be repeated', gather, [])
    .option('--filter <id=value>', 'or id!=value; may be repeated, values of the same id are alternatives', gather, [])
    .option('--panel <key>', 'only this panel; may be repeated', gather, [])
    .option('--normalised', 'let every hour of the day count the same')
    .option('--no-prefilter', 'keep results that are judged unreliable')
    .addOption(new Option('--format <form>').choices(['table', 'csv', 'json', 'chart']).default('table'))
    .option('--url <address>', 'of the data interface')
    .addHelpText('after', examples)
    .action((metric: string, options: Options) => query(context, metric, options))
}

const metricKeys = catalog.metrics.map(({ key }) => key)
const isMetric = (key: string): key is AggregateRequest['metric'] => metricKeys.some((one) => one === key)

async function query(context: CommandContext, metric: string, options: Options): Promise<void> {
  if (!isMetric(metric)) throw new SpokenError(`no such metric: ${metric}; there are ${metricKeys.join(', ')}`)
  const { from, to, by, split, filter, panel, normalised = false, prefilter, format } = options
  const request: AggregateRequest = {
    metric,
    aggregation: by,
    normalised,
    prefilter,
    time: { from, to },
    splits: split,
    filters: parseFilter(filter),
    ...(panel.length === 0 ? {} : { panel }),
    percentiles: format === 'chart' ? 'none' : 'exact',
  }
  const unit = catalog.metrics.find(({ key }) => key === metric)?.unit ?? ''
  try {
    const { warn = (text) => process.stderr.write(text) } = context
    const onWarnings = (warnings: readonly Warning[]) => warnings.forEach((one) => warn(`${warningText(one)}\n`))
    const series = await clientOf(context, options).metricData(request, { onWarnings })
    context.write(shownSeries(series, { splits: split, format, title: `${metric}, ${unit}` }))
  } catch (error) {
    throw spoken(error)
  }
}

const warningText = ({ message, id, value }: Warning): string =>
  id === undefined ? `Warning: ${message}` : `Warning: ${id}=${value}: ${message}`

function clientOf({ environment }: CommandContext, { url }: Options): Client {
  const demo = readDemo()
  const address = url ?? environment['BROADGAUGE_CALLER_URL'] ?? demo?.dataBaseUrl
  const token = environment['BROADGAUGE_CALLER_TOKEN'] ?? demo?.tokens.data
  if (address === undefined || token === undefined) {
    throw new SpokenError('set BROADGAUGE_CALLER_URL and BROADGAUGE_CALLER_TOKEN, or start a demo here: npm run demo')
  }
  return createClient({ url: address, token })
}

type Demo = { dataBaseUrl: string; tokens: { data: string } }

function readDemo(): Demo | null {
  try {
    const demo: Demo = JSON.parse(readFileSync('.broadgauge/demo.json', 'utf8'))
    return demo
  } catch {
    return null
  }
}

function spoken(error: unknown): unknown {
  if (!(error instanceof BroadgaugeError)) {
    return error instanceof TypeError ? new SpokenError('the service does not answer: is its address right?') : error
  }
  const faults = Object.entries(error.errors ?? {}).map(([field, messages]) => {
    const { choices = [], reason = '' } = error.details[field] ?? {}
    const help = choices.length === 0 ? reason : `${reason} Choices: ${choices.join(', ')}.`
    return `\n  ${field}: ${messages.join(' ')} ${help}`.trimEnd()
  })
  return new SpokenError(`${error.message}${faults.join('')}`)
}
