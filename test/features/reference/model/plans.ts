import type { Dataset, Package, Speeds } from './facts.ts'
import { dayMs, type Located } from './local-time.ts'
import { metrics } from './metrics.ts'
import type { MetricRequest } from './request.ts'
import type { Rules } from './rules.ts'
import type { Sample } from './select.ts'

/** A percentage of a plan is rounded to a whole number of these parts of 1 %. */
export const percentParts = 1e12

/** The speed of the package of a result in bits per second, or null if it is not known. */
function planSpeedOf(
  { packages }: Dataset,
  { span, result }: Located,
  direction: 'download' | 'upload',
  rules: Rules,
): number | null {
  const sold = packages.find(({ isp, name }) => isp === span.isp && name === span.package)
  return (sold && speedsOn(sold, Math.floor(result.endedAt / dayMs), rules)?.[direction]) ?? null
}

/** The last import that holds on the day: it was made for this day or an earlier one. */
function speedsOn({ imports = [] }: Package, day: number, { planSpeed }: Rules): Speeds | undefined {
  const first = imports.findIndex(({ download, upload }) => download !== null || upload !== null)
  const holding = imports.slice(Math.max(first, 0)).map((one, index) => (index === 0 ? { ...one, fromDay: 0 } : one))
  if (planSpeed === 'current') return holding.at(-1)
  const past = holding.filter(({ fromDay }) => fromDay <= day)
  if (planSpeed === 'as of the result') return past.at(-1)
  return past.toSorted((one, other) => one.fromDay - other.fromDay).at(-1)
}

/** 100 · speed / plan, rounded to 12 decimals. The speed is in megabits per second, which are whole numbers of bits. */
function percentOfPlan(mbps: number, plan: number): number {
  const bits = BigInt(Math.round(mbps * 1e6))
  const parts = (bits < 0n ? -bits : bits) * BigInt(100 * percentParts)
  const rounded = (parts * 2n + BigInt(plan)) / (2n * BigInt(plan))
  return Number(bits < 0n ? -rounded : rounded) / percentParts
}

/** The samples relative to the plan, if the request asks for it, and the samples whose plan is not known. */
export function relativeSamples(
  dataset: Dataset,
  samples: Sample[],
  { metric, relativeTo }: MetricRequest,
  rules: Rules,
): { samples: Sample[]; withoutPlan: Sample[] } {
  const direction = metrics[metric]?.plan
  if (relativeTo === undefined || direction === undefined) return { samples, withoutPlan: [] }
  const speeds = samples.map((sample) => ({ sample, plan: planSpeedOf(dataset, sample.located, direction, rules) }))
  return {
    samples: speeds.flatMap(({ sample, plan }) => {
      if (plan === null) return []
      const value = percentOfPlan(sample.value, plan)
      return [{ ...sample, value, part: value }]
    }),
    withoutPlan:
      rules.withoutPlan === 'are counted' ? speeds.flatMap(({ sample, plan }) => (plan === null ? [sample] : [])) : [],
  }
}
