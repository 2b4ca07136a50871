import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { VisibleCatalog } from '../../catalog/visible.ts'
import { choiceDetail } from '../choices.ts'
import { type FieldFaults, isAbsent } from '../field-faults.ts'

export const relativeToChoices = ['plan'] as const

/** Returns `relativeTo` if the request has it. Only speeds can be relative to the speed of a package. */
export function checkRelativeTo(
  body: Readonly<Record<string, unknown>>,
  metric: MetricDefinition | null,
  { metrics }: VisibleCatalog,
  faults: FieldFaults,
): { relativeTo?: 'plan' } {
  const value = body['relativeTo']
  if (isAbsent(value)) return {}
  if (value !== 'plan') {
    faults.addChoice('relativeTo', value, () => relativeToChoices)
    return {}
  }
  if (metric !== null && metric.plan === undefined) {
    const speeds = () => metrics.filter(({ plan }) => plan !== undefined).map(({ key }) => key)
    faults.add('relativeTo', 'Packages have no speed for this metric.', () => choiceDetail('', speeds()))
  }
  return { relativeTo: value }
}
