import { UserFacingError } from '../../../base/fault.ts'
import type { FlatFormat, RunOptions } from '../../../../clients/typescript/src/index.ts'
import type { CommandContext } from '../context.ts'
import { callerError, clientOf } from '../data/caller.ts'
import { parseFilters } from '../data/filter-options.ts'
import { unitOf } from '../data/metric-options.ts'
import { shownSeries, type QueryFormat } from '../data/shown-series.ts'

type Options = {
  readonly from: string
  readonly to: string
  readonly filter: readonly string[]
  readonly format: QueryFormat | FlatFormat
  readonly url?: string
}

/** The options of `broadgauge query` that a saved question takes. The question itself determines everything else. */
const taken = ['question', 'from', 'to', 'filter', 'format', 'url']

/** Runs a saved question. `given` has the names of the options on the command line; the others have their defaults. */
export async function queryQuestion(
  context: CommandContext,
  key: string,
  options: Options,
  given: readonly string[],
  onWarnings: NonNullable<RunOptions['onWarnings']>,
): Promise<void> {
  const refused = given.filter((name) => !taken.includes(name))
  if (refused.length > 0) {
    const flags = taken.slice(1).map((name) => `--${name}`)
    throw new UserFacingError(`with --question, query takes only ${flags.join(', ')}; not: ${refused.join(', ')}`)
  }
  const { from, to, filter, format } = options
  const run = {
    ...(given.includes('from') ? { from } : {}),
    ...(given.includes('to') ? { to } : {}),
    parameters: parametersOf(filter),
    onWarnings,
  }
  try {
    const { questions } = clientOf(context, options)
    if (format === 'csv' || format === 'ndjson' || format === 'arrow') {
      const { writeBytes = (bytes) => void process.stdout.write(bytes) } = context
      for await (const bytes of questions.runAs(format, key, run)) writeBytes(bytes)
      return
    }
    const [{ name, request }, series] = await Promise.all([questions.read(key), questions.run(key, run)])
    if (format === 'chart' && request.chartType === 'raw') {
      throw new UserFacingError(`the question ${key} has raw points, which have no chart; use another --format`)
    }
    const { metric, metrics } = request
    const splits = [...(metrics === undefined || metrics === null ? [] : ['metric']), ...(request.splits ?? [])]
    const unit = unitOf(metrics ?? (metric === undefined || metric === null ? [] : [metric]), request)
    context.write(shownSeries(series, { splits, format, title: name, unit, paint: context.paint }))
  } catch (error) {
    throw callerError(error)
  }
}

/** The parameters of a question are `id=value`; the values of one id are alternatives. */
function parametersOf(filters: readonly string[]): Record<string, string[]> {
  const parameters = parseFilters(filters).map((filter): [string, string[]] => {
    if (!('id' in filter) || filter.filterType !== 'include') {
      throw new UserFacingError('with --question, --filter takes only id=value')
    }
    return [filter.id, (filter.filterValues ?? []).map(String)]
  })
  return Object.fromEntries(parameters)
}
