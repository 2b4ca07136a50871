import { compareLists } from './cells.ts'
import { secondText } from './buckets.ts'
import { windowsOf } from './clock.ts'
import { valueOf } from './dimensions.ts'
import type { Dataset } from './facts.ts'
import { dayMs } from './local-time.ts'
import type { MetricRequest, Point } from './request.ts'
import type { Rules } from './rules.ts'
import { explainsPrefilter, type Sample } from './select.ts'

/** The raw points, in the order of panel, UTC day, agent and time. */
export function rawPoints({ numbers }: Dataset, samples: Sample[], request: MetricRequest, rules: Rules): Point[] {
  const { splits = [] } = request
  const { peak } = windowsOf(request, rules)
  const place = ({ located: { result } }: Sample): number[] => [
    numbers.panels.get(result.panel) ?? NaN,
    Math.floor(result.endedAt / dayMs),
    numbers.agents.get(result.agent.id) ?? NaN,
    result.endedAt,
  ]
  return samples
    .map((sample) => ({ sample, place: place(sample) }))
    .toSorted((one, other) => compareLists(one.place, other.place, (left, right) => left - right))
    .map(({ sample: { located, value, matched } }) => ({
      metricValue: value,
      dtime: secondText(located.localMs),
      agent: located.result.agent.id,
      unit: valueOf('unit', located),
      ...Object.fromEntries(splits.map((split) => [split, valueOf(split, located, peak)])),
      ...(explainsPrefilter(request) ? { removedBy: rules.removedBy === 'all' ? matched : matched.slice(0, 1) } : {}),
    }))
}
