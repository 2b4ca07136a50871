/**
 * What a timeline of metadata means, written as plainly as it can be said: one state per day, every change applied to
 * every day it reaches. It shares no code with the service, so that both can only agree by both being right.
 */
type Custom = Readonly<Record<string, string | number>>

export type State = { isp: string | null; package: string | null; zone: string | null; custom: Custom }

export type ModelChange = {
  /** The first day the change applies to, counted from the first day of the window, which is 1; 0 means since ever. */
  readonly day: number
  /** `package: null` sets the ISP and takes the package away. */
  readonly package?: { readonly isp: string; readonly package: string | null }
  readonly zone?: string
  /** null removes the key. */
  readonly custom?: Readonly<Record<string, string | number | null>>
  readonly overwriteAll: boolean
}

/** States by day: 0 stands for all days before the window, the last one also for all days after it. */
export type Timeline = readonly State[]

/** A state after a change that applies to its day. */
export type Rule = (state: State, change: ModelChange) => State

export const windowDays = 40

export const nothing: State = { isp: null, package: null, zone: null, custom: {} }

/** An agent has had no metadata since ever. */
export const emptyTimeline = (): Timeline => Array.from({ length: windowDays + 1 }, () => nothing)

export const writtenRule: Rule = (state, change) => {
  const kept = change.overwriteAll ? nothing : state
  return {
    isp: change.package === undefined ? kept.isp : change.package.isp,
    package: change.package === undefined ? kept.package : change.package.package,
    zone: change.zone ?? kept.zone,
    custom: merge(kept.custom, change.custom ?? {}),
  }
}

function merge(kept: Custom, given: NonNullable<ModelChange['custom']>): Custom {
  const merged: Record<string, string | number> = { ...kept }
  for (const [key, value] of Object.entries(given)) {
    if (value === null) delete merged[key]
    else merged[key] = value
  }
  return merged
}

/** The timeline after one more change: from its day on, whatever later changes had said there. */
export const applyChange = (timeline: Timeline, change: ModelChange, rule: Rule = writtenRule): Timeline =>
  timeline.map((state, day) => (day < change.day ? state : rule(state, change)))

/** The timelines as they were known before the first change, after it, after the second, and so on. */
export function historyOf(changes: readonly ModelChange[], apply: typeof applyChange = applyChange): Timeline[] {
  const history = [emptyTimeline()]
  for (const change of changes) history.push(apply(history.at(-1) ?? emptyTimeline(), change))
  return history
}

/** One text per state, the same for the same state: keys of custom metadata have no order. */
export const stateText = ({ isp, package: packageName, zone, custom }: State): string =>
  JSON.stringify([isp, packageName, zone, Object.entries(custom).toSorted(([one], [other]) => (one < other ? -1 : 1))])
