import { applyChange, type ModelChange, type State, type Timeline, writtenRule } from './timeline-model.ts'

type Apply = typeof applyChange

const withChange =
  (alter: (change: ModelChange) => ModelChange): Apply =>
  (timeline, change) =>
    applyChange(timeline, alter(change))

/** Returns the first day, from the day of the change on, for which `reaches` is false. */
const until = (timeline: Timeline, change: ModelChange, reaches: (state: State) => boolean): number => {
  const end = timeline.findIndex((state, day) => day >= change.day && !reaches(state))
  return end === -1 ? timeline.length : end
}

/** Models with one wrong rule each. The comparison must detect the wrong rule of every model. */
export const wrongRules: Record<string, Apply> = {
  'later changes of the same field survive': (timeline, change) => {
    const end = until(timeline, change, (state) => state.zone === timeline[change.day]?.zone)
    return applyChange(timeline, change).map((state, day) =>
      day < end || change.overwriteAll ? state : { ...state, zone: timeline[day]?.zone ?? null },
    )
  },
  'later changes of other fields are lost': (timeline, change) =>
    timeline.map((state, day) => (day < change.day ? state : writtenRule(timeline[change.day] ?? state, change))),
  'overwrite_all merges': withChange((change) => ({ ...change, overwriteAll: false })),
  'overwrite_all ends at the next change': (timeline, change) => {
    const end = until(timeline, change, (state) => state === timeline[change.day])
    const overwritten = applyChange(timeline, change)
    return change.overwriteAll
      ? overwritten.map((state, day) => (day < end ? state : (timeline[day] ?? state)))
      : overwritten
  },
  'overwrite_all keeps the package': (timeline, change) =>
    applyChange(timeline, change, (state, made) => ({
      ...writtenRule(state, made),
      ...(made.package === undefined ? { isp: state.isp, package: state.package } : {}),
    })),
  'removing a key is ignored': withChange(({ custom, ...change }) =>
    custom === undefined
      ? change
      : { ...change, custom: Object.fromEntries(Object.entries(custom).filter(([, value]) => value !== null)) },
  ),
  'custom metadata is replaced instead of merged': (timeline, change) =>
    applyChange(timeline, change, (state, made) =>
      writtenRule(made.custom === undefined ? state : { ...state, custom: {} }, made),
    ),
  'an ISP alone keeps the package': (timeline, change) =>
    applyChange(timeline, change, (state, made) => ({
      ...writtenRule(state, made),
      ...(made.package?.package === null ? { package: state.package } : {}),
    })),
  'a change takes effect one day late': withChange((change) => ({ ...change, day: change.day + 1 })),
  'numbers are kept as text': withChange(({ custom, ...change }) =>
    custom === undefined
      ? change
      : {
          ...change,
          custom: Object.fromEntries(
            Object.entries(custom).map(([key, value]) => [key, typeof value === 'number' ? String(value) : value]),
          ),
        },
  ),
}
