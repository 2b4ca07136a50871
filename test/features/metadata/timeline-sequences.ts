import fc from 'fast-check'
import { applyChange, emptyTimeline, historyOf, type ModelChange, nothing, windowDays } from './timeline-model.ts'

export const isps = ['Acorn', 'Birch', 'Cedar']
// All ISPs have packages with the same names. So a lookup by the name alone would find a package of another ISP.
export const packages = ['Basic', 'Plus', 'Max']
const zones = ['UTC', 'Europe/London', 'Asia/Kolkata', 'America/St_Johns']

/**
 * The custom key by which one change selects several agents. A change with overwrite_all may remove an agent from the
 * group.
 */
const groupKey = 'group'

/**
 * A change of one agent, given by its index in the sequence, or of all agents that are in the group when the change is
 * made.
 */
type Step = { readonly target: number | 'group'; readonly change: ModelChange }
export type Sequence = { readonly agents: number; readonly group: string; readonly steps: readonly Step[] }

const weighted = <Value>(...options: [number, fc.Arbitrary<Value>][]): fc.Arbitrary<Value> =>
  fc.oneof(...options.map(([weight, arbitrary]) => ({ weight, arbitrary })))

const day = weighted(
  [60, fc.integer({ min: 1, max: windowDays })],
  [36, fc.constantFrom(12, 20, 21, 30)],
  [2, fc.constantFrom(1, windowDays)],
  [2, fc.constant(0)],
)
const packageName = fc.record({
  isp: fc.constantFrom(...isps),
  package: weighted<string | null>([3, fc.constantFrom(...packages)], [2, fc.constant(null)]),
})
const customValue = weighted<string | number | null>(
  [5, fc.constantFrom('x', 'y', '1', '')],
  [4, fc.constantFrom(1, 0, 2.5, -3)],
  [4, fc.constant(null)],
)
const custom = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), customValue, { minKeys: 1, maxKeys: 4 })
const fields = fc
  .record({ package: packageName, zone: fc.constantFrom(...zones), custom }, { requiredKeys: [] })
  .filter((given) => Object.keys(given).length > 0)
const change: fc.Arbitrary<ModelChange> = weighted(
  [15, fc.record({ day, fields, overwriteAll: fc.constant<boolean>(false) })],
  [3, fc.record({ day, fields, overwriteAll: fc.constant<boolean>(true) })],
  [1, fc.record({ day, fields: fc.constant({}), overwriteAll: fc.constant<boolean>(true) })],
).map(({ fields: given, ...rest }) => ({ ...rest, ...given }))

const draft = fc.record({
  agents: weighted([7, fc.constant(1)], [3, fc.integer({ min: 2, max: 4 })]),
  changes: fc.array(
    fc.record({
      change,
      place: fc.nat(),
      ofGroup: fc.boolean(),
      // A repeated change has no effect. An undone change restores the state of the day before, so no span begins on
      // its day.
      kind: weighted(
        [12, fc.constant('new' as const)],
        [1, fc.constant('repeated' as const)],
        [1, fc.constant('undone' as const)],
      ),
      keepsGroup: weighted([1, fc.constant(false)], [3, fc.constant(true)]),
    }),
    { minLength: 1, maxLength: 12, size: 'max' },
  ),
})

export const sampleSequences = (count: number, seed: number): Sequence[] =>
  fc.sample(draft, { numRuns: count, seed }).map(({ agents, changes }, index) => {
    const group = `group-${index}`
    const steps: Step[] = []
    for (const { change: drawn, place, ofGroup, kind, keepsGroup } of changes) {
      const previous = steps.at(-1)
      const joins = agents > 1 && steps.length < agents
      const marked = joins || (agents > 1 && drawn.overwriteAll && keepsGroup)
      if (kind === 'repeated' && previous !== undefined && !joins) steps.push(previous)
      else if (kind === 'undone' && previous !== undefined && agents === 1) {
        steps.push({ target: 0, change: undoing(steps, previous.change.day, drawn.overwriteAll) })
      } else
        steps.push({
          target: joins ? steps.length : agents > 1 && ofGroup ? 'group' : place % agents,
          change: marked ? { ...drawn, custom: { ...drawn.custom, [groupKey]: group } } : drawn,
        })
    }
    return { agents, group, steps }
  })

/**
 * A change that sets, from `onDay` on, the values of the day before. Fields that were empty on the day before are reset
 * only if overwrite_all is true.
 */
function undoing(steps: readonly Step[], onDay: number, overwriteAll: boolean): ModelChange {
  const timeline = historyOf(steps.map((step) => step.change)).at(-1) ?? emptyTimeline()
  const { isp, package: packageOnEve, zone, custom: customOnEve } = timeline[Math.max(onDay - 1, 0)] ?? nothing
  return {
    day: onDay,
    overwriteAll,
    ...(isp === null ? {} : { package: { isp, package: packageOnEve } }),
    ...(zone === null ? {} : { zone }),
    custom: { a: null, b: null, c: null, d: null, ...customOnEve },
  }
}

/** The changes that affect one agent of a sequence, each with the number of its step. */
export type AgentPlan = { step: number; change: ModelChange }[]

/**
 * The changes that affect each agent. A step for the group affects the agents whose latest metadata names the group.
 */
export function planAgents({ agents, group, steps }: Sequence): AgentPlan[] {
  const plans = Array.from({ length: agents }, (): AgentPlan => [])
  const timelines = Array.from({ length: agents }, emptyTimeline)
  for (const [step, { target, change: made }] of steps.entries()) {
    for (const place of timelines.keys()) {
      const timeline = timelines[place] ?? emptyTimeline()
      if (target === 'group' ? timeline.at(-1)?.custom[groupKey] !== group : target !== place) continue
      plans[place]?.push({ step, change: made })
      timelines[place] = applyChange(timeline, made)
    }
  }
  return plans
}

export const selectsGroup = (group: string): { custom: Record<string, string> } => ({ custom: { [groupKey]: group } })
