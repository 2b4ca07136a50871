import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { PresetDefinition } from '../../catalog/define-preset.ts'
import { presets } from '../../catalog/presets/index.ts'
import type { VisibleCatalog } from '../../catalog/visible.ts'
import { choiceDetail } from '../choices.ts'
import { isAbsent, type FieldFaults } from '../field-faults.ts'
import { metricsMax } from './metrics.ts'

type Body = Readonly<Record<string, unknown>>

/** `asked` has the fields of the request together with those of the preset. Absent if the request names no preset. */
type FilledRequest = { readonly body: Body; readonly asked?: Body }

/** Adds the fields of a preset that the request does not have. */
export function fillFromPreset(body: Body, { metrics }: VisibleCatalog, faults: FieldFaults): FilledRequest {
  const key = body['preset']
  if (isAbsent(key)) return { body }
  const preset = presets.find((one) => one.key === key)
  if (preset === undefined) {
    faults.addChoice('preset', key, () => presets.map((one) => one.key))
    return { body }
  }
  checkUse(preset, body, metrics, faults)
  const given = Object.entries(body).filter(([, value]) => !isAbsent(value))
  const asked = { ...Object.fromEntries(fieldsFor(preset, body)), ...Object.fromEntries(given) }
  return { body: { ...body, ...asked }, asked }
}

/**
 * Returns the fields that the preset fills. It leaves out `perAgent` if the request has `agent_agg: true`, because both fields
 * say what the service computes from the results of each agent.
 */
const fieldsFor = ({ fields }: PresetDefinition, body: Body): [string, unknown][] =>
  Object.entries(fields).filter(([name]) => name !== 'perAgent' || body['agent_agg'] !== true)

function checkUse(
  preset: PresetDefinition,
  body: Body,
  metrics: readonly MetricDefinition[],
  faults: FieldFaults,
): void {
  const keys = metricsOf(preset, metrics).map(({ key }) => key)
  for (const [path, asked] of askedMetrics(body)) {
    const isKnown = metrics.some(({ key }) => key === asked)
    // If the metric has no plan speed, the fault on `relativeTo` says so.
    if (isKnown && preset.fields.relativeTo === undefined && !keys.some((key) => key === asked)) {
      faults.add(path, `The preset "${preset.key}" is not for this metric.`, () => choiceDetail('', keys))
    }
  }
  for (const name of preset.needs.filter((one) => isAbsent(body[one]))) {
    faults.add(name, `The preset "${preset.key}" needs this field.`)
  }
}

/** The metrics of a request that has not been checked, with the paths of their fields. */
const askedMetrics = ({ metric, metrics }: Body): readonly (readonly [path: string, key: unknown])[] =>
  Array.isArray(metrics)
    ? metrics.slice(0, metricsMax).map((key: unknown, index) => [`metrics[${index}]`, key] as const)
    : [['metric', metric]]

/** The metrics that a preset is for. */
export const metricsOf = (
  preset: PresetDefinition,
  metrics: readonly MetricDefinition[],
): readonly MetricDefinition[] =>
  metrics.filter(({ key, plan }) => (preset.metrics === 'speeds' ? plan !== undefined : preset.metrics.includes(key)))
