/**
 * A simple model of metadata timelines. It has one state per day, and it applies every change to every affected day.
 * The model shares no code with the service, so a mistake in one of the two shows as a difference.
 */
type Custom = Readonly<Record<string, string | number>>

export type State = { isp: string | null; package: string | null; zone: string | null; custom: Custom }

export type ModelChange = {
  /**
   * The first day to which the change applies. Day 1 is the first day of the window. If `day` is 0, the change applies
   * to all days.
   */
  readonly day: number
  /** `package: null` sets the ISP and removes the package. */
  readonly package?: { readonly isp: string; readonly package: string | null }
  readonly zone?: string
  /** A value of null removes the key. */
  readonly custom?: Readonly<Record<string, string | number | null>>
  readonly overwriteAll: boolean
}

/** One state per day. Index 0 is for all days before the window, and the last state is also for all days after it. */
export type Timeline = readonly State[]

/** Returns the state of a day after a change that applies to this day. */
export type Rule = (state: State, change: ModelChange) => State

export const windowDays = 40

export const nothing: State = { isp: null, package: null, zone: null, custom: {} }

/** Before the first change an agent has no metadata on any day. */
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

/**
 * Returns the timeline after one more change. From its day on, the change also replaces values that earlier changes
 * have set for later days.
 */
export const applyChange = (timeline: Timeline, change: ModelChange, rule: Rule = writtenRule): Timeline =>
  timeline.map((state, day) => (day < change.day ? state : rule(state, change)))

/** Returns a list of timelines. The element with index n is the timeline after the first n changes. */
export function historyOf(changes: readonly ModelChange[], apply: typeof applyChange = applyChange): Timeline[] {
  const history = [emptyTimeline()]
  for (const change of changes) history.push(apply(history.at(-1) ?? emptyTimeline(), change))
  return history
}

/** A text that is the same for equal states. The keys of custom metadata have no order, so they are sorted. */
export const stateText = ({ isp, package: packageName, zone, custom }: State): string =>
  JSON.stringify([isp, packageName, zone, Object.entries(custom).toSorted(([one], [other]) => (one < other ? -1 : 1))])
