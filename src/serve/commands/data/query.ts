import { Option, type Command } from 'commander'
import type {
  AggregateRequest,
  FlatFormat,
  Meta,
  QueryEstimate,
  Warning,
} from '../../../../clients/typescript/src/index.ts'
import { UserFacingError } from '../../../base/fault.ts'
import { presets } from '../../../catalog/presets/index.ts'
import { aggregations } from '../../../catalog/aggregations.ts'
import { relativeToChoices } from '../../../check/metric/relative-to.ts'
import { defaultPeak } from '../../../catalog/local-window.ts'
import { parsePerAgent, parseReaching } from './agent-points-options.ts'
import { callerError, clientOf } from './caller.ts'
import { compareOf } from './compare-options.ts'
import { distributionOf } from './distribution-options.ts'
import { parseFilters } from './filter-options.ts'
import { metricsOf, unitOf, type MetricKey } from './metric-options.ts'
import { queryQuestion } from '../questions/question-query.ts'
import { selectionOf } from './selection-options.ts'
import { type QueryFormat, shownSeries, shownTotals, totalsIn, type ShownTotals } from './shown-series.ts'
import type { CommandContext } from '../context.ts'

type Options = {
  metric: MetricKey[]
  from: string
  to: string
  by: AggregateRequest['aggregation']
  split: string[]
  filter: string[]
  filters?: string
  panel: string[]
  normalised?: boolean
  wholePeriods?: boolean
  emptyBuckets?: boolean
  totals?: boolean
  preset?: NonNullable<AggregateRequest['preset']>
  percentileLevels?: string
  histogram?: string
  relativeTo?: 'plan'
  peak?: boolean
  perAgent?: string
  minimumResults?: number
  reaching?: string
  compare?: string
  margin?: string
  matchAgents?: boolean
  top?: string
  others: boolean
  having: string[]
  order: string[]
  limit?: number
  after?: string
  prefilter: boolean
  format: QueryFormat | Exclude<FlatFormat, 'csv'>
  question?: string
  url?: string
}

const examples = `
Examples:
  broadgauge query httpget                                  daily download speed of the last 30 days
  broadgauge query latency --by hour_of_day --format chart  one line of blocks per series
  broadgauge query --metric httpget --metric latency --by weekly --split isp       two metrics in one query
  broadgauge query httpget --split isp --filter country=GB --filter 'isp!=Acme' --normalised
  broadgauge query httpget --by monthly --peak              weekday evenings, local time of the agents
  broadgauge query httpget --per-agent p20 --reaching 80    homes that reach 80 Mbit/s in 80 % of their results
  broadgauge query latency --by weekly --whole-periods --compare previous   which weeks differ from those before
  broadgauge query httpget --by total --preset fcc.plan-bands --format json    homes by their share of the plan speed
  broadgauge query latency --by total --split isp --having 'agentCount>=30' --order metricValue --limit 5
  broadgauge query packetLoss --by monthly --from '2026-01-01 00:00' --format csv
  broadgauge query httpget --split isp --format arrow > httpget.arrows    for pandas, R or DuckDB
  broadgauge query --question speed --from '-7 days' --filter isp=Acme    a saved question, with one of its parameters

Operators of --filter: = and != (a value), ^= (begins with), $= (ends with), *= (contains), ~ and !~ (RE2 pattern),
>= > <= < (a number), ? and !? after the id (has a value, has none). For example: --filter 'isp~^Ac' --filter 'unit?'

The metrics, splits and filters that you may use: broadgauge choices metric, choices split, choices filter.
The service and the token are those of BROADGAUGE_CALLER_URL and BROADGAUGE_CALLER_TOKEN, or of a demo that was started here.`

const gather = (value: string, earlier: string[]): string[] => [...earlier, value]

/** A command for callers: it calls the API over HTTP like any client, and needs none of the operator's settings. */
export function addQueryCommand(program: Command, context: CommandContext): void {
  const keys = aggregations.map(({ key }) => key)
  program
    .command('query [metric]')
    .description('query metrics, or run a saved question, and print a table, a chart, CSV, JSON, NDJSON or Arrow')
    .option('--metric <key>', 'query several metrics: repeat this option, and name no metric before it', gather, [])
    .addOption(new Option('--by <aggregation>', 'aggregation period').choices(keys).default('daily'))
    .option('--from <time>', 'beginning of the range, local time of the agents', '-30 days')
    .option('--to <time>', 'end of the range, included', 'now')
    .option('--split <id>', 'return one series per value; may be repeated', gather, [])
    .option('--filter <id=value>', 'or id!=value; may be repeated; values of the same id are alternatives', gather, [])
    .option('--filters <json>', 'more filters, also groups: \'[{"any": [...]}, {"not": {...}}]\'')
    .option('--panel <key>', 'use only this panel; may be repeated', gather, [])
    .option('--normalised', 'give every hour of the day the same weight')
    .option('--whole-periods', 'use only whole periods that have ended')
    .option('--empty-buckets', 'also print a point for each period or hour without results')
    .addOption(new Option('--relative-to <base>', 'give speeds in % of the package speed').choices(relativeToChoices))
    .option('--peak', 'use only Monday to Friday, 19:00 to 22:59, local time of the agents')
    .option('--per-agent <statistic>', 'value of each agent: mean, median, min, max, p20, "share>=80", trimmed1-99')
    .option('--minimum-results <count>', 'leave out agents with fewer results; needs --per-agent', Number)
    .option('--reaching <bound>', 'add the share of agents that reach 80, ">80" or "<5"; needs --per-agent')
    .option('--compare <base>', 'compare with previous, 2026-01-01..2026-01-31, or one series of a split: isp=Northnet')
    .option('--margin <difference>', 'differences below this do not matter: 2, or 5%; needs --compare')
    .option('--match-agents', 'compare only agents that are on both sides; needs --compare')
    .addOption(
      new Option('--preset <key>', 'use the statistic that an authority publishes').choices(
        presets.map(({ key }) => key),
      ),
    )
    .option('--percentile-levels <levels>', 'return these percentiles, for example 2.5,50,97.5')
    .option('--histogram <edges>', 'count results, or agents with --per-agent, between edges: 10,30,100; or log')
    .option('--top <n>', 'keep only the 5 largest series: 5, 5:sampleCount, or 5:median:asc for the smallest')
    .option('--no-others', 'with --top, leave out the series of all other results')
    .option('--having <condition>', 'keep only points such as agentCount>=30; may be repeated', gather, [])
    .option('--order <field>', 'order the points: metricValue, or metricValue:desc; may be repeated', gather, [])
    .option('--limit <count>', 'return at most this many points', Number)
    .option('--totals', 'also print the totals of all splits, of the whole range, and of both; as a table or JSON')
    .option('--after <cursor>', 'continue with the next page; needs the same request with --limit')
    .option('--no-prefilter', 'keep results that the prefilter would exclude')
    .addOption(
      new Option('--format <form>').choices(['table', 'csv', 'json', 'chart', 'ndjson', 'arrow']).default('table'),
    )
    .option('--question <key>', 'run this saved question; takes --from, --to, and --filter for its parameters')
    .option('--url <address>', 'base address of the data interface')
    .addHelpText('after', examples)
    .action((metric: MetricKey | undefined, options: Options, command: Command) => {
      if (options.question === undefined) return query(context, metric, options)
      if (metric !== undefined) throw new UserFacingError('query takes either metrics or --question')
      const given = Object.keys(options).filter((name) => command.getOptionValueSource(name) === 'cli')
      return queryQuestion(context, options.question, options, given, warner(context))
    })
}

async function query(context: CommandContext, argument: MetricKey | undefined, options: Options): Promise<void> {
  const { from, to, by, split, filter, panel, having, order, prefilter, format, relativeTo } = options
  const { normalised = false, wholePeriods = false, peak = false } = options
  const { keys, ...metrics } = metricsOf(argument, options.metric)
  if (options.totals === true && (format === 'csv' || format === 'chart' || format === 'ndjson')) {
    throw new UserFacingError('--totals needs --format table, json or arrow')
  }
  const request: AggregateRequest = {
    ...metrics,
    aggregation: by,
    normalised,
    prefilter,
    time: { from, to },
    splits: split,
    filters: parseFilters(filter, options.filters),
    ...(panel.length === 0 ? {} : { panel }),
    ...(wholePeriods ? { wholePeriods } : {}),
    ...(options.emptyBuckets === true ? { emptyBuckets: true } : {}),
    ...(options.totals === true ? { totals: true } : {}),
    ...(relativeTo === undefined ? {} : { relativeTo }),
    ...(peak ? { window: { weekdays: [...defaultPeak.weekdays], hours: [...defaultPeak.hours] } } : {}),
    ...(options.preset === undefined ? {} : { preset: options.preset }),
    ...distributionOf(options),
    ...agentPointsOf(options),
    ...compareOf(options),
    ...selectionOf(options),
    // A chart needs only one number of each point, but points can be selected by others.
    ...(format === 'chart' && having.length + order.length === 0 ? { fields: ['metricValue'] } : {}),
  }
  try {
    const { warn = (text) => process.stderr.write(text) } = context
    const onWarnings = warner(context)
    const onExpensive = (estimate: QueryEstimate) => warn(expenseText(estimate))
    const client = clientOf(context, options)
    if (format === 'ndjson' || format === 'arrow') {
      const { writeBytes = (bytes) => void process.stdout.write(bytes) } = context
      for await (const bytes of client.metricDataAs(format, request, { onWarnings, onExpensive })) writeBytes(bytes)
      return
    }
    let totals: ShownTotals | undefined
    const onMeta = (meta: Meta) => {
      totals = totalsIn(meta)
      if (typeof meta.next === 'string') warn(`Next page: --after ${meta.next}\n`)
    }
    const series = await client.metricData(request, { onWarnings, onExpensive, onMeta })
    const splits = metrics.metrics === undefined ? split : ['metric', ...split]
    const unit = unitOf(keys, request)
    const shown = { splits, format, title: keys.join(', '), unit, paint: context.paint }
    context.write(totals === undefined ? shownSeries(series, shown) : shownTotals(series, totals, shown))
  } catch (error) {
    throw callerError(error, request)
  }
}

function agentPointsOf({
  perAgent,
  minimumResults,
  reaching,
}: Options): Pick<AggregateRequest, 'perAgent' | 'reaching'> {
  if (perAgent === undefined && minimumResults !== undefined) {
    throw new UserFacingError('--minimum-results needs --per-agent')
  }
  return {
    ...(perAgent === undefined
      ? {}
      : { perAgent: { ...parsePerAgent(perAgent), ...(minimumResults === undefined ? {} : { minimumResults }) } }),
    ...(reaching === undefined ? {} : { reaching: parseReaching(reaching) }),
  }
}

function expenseText({ rows, fits, seconds: [low, high], cheaper }: QueryEstimate): string {
  const limits = fits ? '' : ' It may exceed the limits of the service.'
  const changes = cheaper.map((one) => ` Faster: ${JSON.stringify(one.change)}, ${one.seconds.join(' to ')} s.`)
  return `Warning: this could take ${low} to ${high} s and read ${rows.toLocaleString('en')} rows.${limits}${changes.join('')}\n`
}

const warner =
  ({ warn = (text) => process.stderr.write(text) }: CommandContext) =>
  (warnings: readonly Warning[]): void =>
    warnings.forEach((one) => warn(`${warningText(one)}\n`))

const warningText = ({ message, id, value }: Warning): string =>
  id === undefined ? `Warning: ${message}` : `Warning: ${id}=${value}: ${message}`
