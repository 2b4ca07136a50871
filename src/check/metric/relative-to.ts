import type { MetricDefinition } from '../../catalog/define-metric.ts'
import type { VisibleCatalog } from '../../catalog/visible.ts'
import { choiceDetail } from '../choices.ts'
import { type FieldFaults, isAbsent } from '../field-faults.ts'
import { nameIn } from './metrics.ts'

export const relativeToChoices = ['plan'] as const

/** Returns `relativeTo` if the request has it. Only speeds can be relative to the speed of a package. */
export function checkRelativeTo(
  body: Readonly<Record<string, unknown>>,
  asked: readonly MetricDefinition[],
  { metrics }: VisibleCatalog,
  faults: FieldFaults,
): { relativeTo?: 'plan' } {
  const value = body['relativeTo']
  if (isAbsent(value)) return {}
  if (value !== 'plan') {
    faults.addChoice('relativeTo', value, () => relativeToChoices)
    return {}
  }
  for (const metric of asked.filter(hasNoPlan)) {
    const speeds = () => metrics.filter((one) => !hasNoPlan(one)).map(({ key }) => key)
    const message = `Packages have no speed for ${nameIn(asked, metric)}.`
    faults.add('relativeTo', message, () => choiceDetail('', speeds()))
  }
  return { relativeTo: value }
}

const hasNoPlan = ({ plan }: MetricDefinition): boolean => plan === undefined
