import { presets } from '../../../../src/catalog/presets/index.ts'
import type { MetricRequest } from './request.ts'

/** The fields that a preset fills. */
type PresetFields = Pick<
  MetricRequest,
  'window' | 'relativeTo' | 'perAgent' | 'reaching' | 'percentileLevels' | 'histogram'
>

export type Preset = PresetFields & {
  key: string
  metrics: 'speeds' | readonly string[]
  /** True if the request must say itself what is computed of each agent. */
  needsPerAgent: boolean
}

/** The presets are data. The copy has no type of the service. */
export const knownPresets: readonly Preset[] = presets.map(({ key, metrics, needs, fields }) => ({
  ...(structuredClone(fields) as PresetFields),
  key,
  metrics,
  needsPerAgent: needs.includes('perAgent'),
}))

/** The request with the fields of its preset. Fields of the request win, and `agent_agg: true` is also a `perAgent`. */
export function filled(request: MetricRequest): MetricRequest {
  const preset = knownPresets.find(({ key }) => key === request.preset)
  if (preset === undefined) return request
  const { key: _key, metrics: _metrics, needsPerAgent: _needs, perAgent, ...fields } = preset
  return { ...fields, ...(perAgent === undefined || request.agent_agg === true ? {} : { perAgent }), ...request }
}
