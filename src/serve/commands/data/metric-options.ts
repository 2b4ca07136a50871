import type { AggregateRequest } from '../../../../clients/typescript/src/index.ts'
import { UserFacingError } from '../../../base/fault.ts'
import { catalog } from '../../../catalog/catalog.ts'
import { presets } from '../../../catalog/presets/index.ts'
import { unitSymbol } from '../../../catalog/units.ts'

export type MetricKey = NonNullable<AggregateRequest['metric']>

/** The metrics of a query: its argument, or those of `--metric`. */
export type AskedMetrics = Pick<AggregateRequest, 'metric' | 'metrics'> & { readonly keys: readonly MetricKey[] }

export function metricsOf(argument: MetricKey | undefined, listed: readonly MetricKey[]): AskedMetrics {
  if (argument !== undefined && listed.length > 0) {
    throw new UserFacingError(`name all metrics with --metric: --metric ${[argument, ...listed].join(' --metric ')}`)
  }
  if (argument !== undefined) return { metric: argument, keys: [argument] }
  if (listed.length === 0) throw new UserFacingError('name a metric: broadgauge query httpget')
  return { metrics: [...listed], keys: listed }
}

type Asked = Pick<AggregateRequest, 'perAgent' | 'preset' | 'relativeTo'>

/** Returns the symbol of the unit of all values, or an empty text if the metrics have different units. */
export function unitOf(keys: readonly MetricKey[], { perAgent, preset, relativeTo }: Asked): string {
  const filled = presets.find(({ key }) => key === preset)?.fields
  if ((perAgent ?? filled?.perAgent)?.statistic === 'share') return '%'
  if ((relativeTo ?? filled?.relativeTo) === 'plan') return '% of plan'
  const units = new Set(keys.map((key) => unitSymbol(catalog.metrics.find((one) => one.key === key)?.unit ?? '%')))
  const [unit = ''] = units
  return units.size === 1 ? unit : ''
}
