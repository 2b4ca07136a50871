import type { DifferenceKind } from './timeline-comparison.ts'
import type { StoredAgent } from './timeline-readback.ts'

type Damage = { kind: DifferenceKind; agent: string; damage: (stored: StoredAgent) => void }

/** Ways to damage the stored spans of an agent. Each has the kind of difference that the comparison must report. */
export const storedDamages: readonly Damage[] = [
  {
    kind: 'gap',
    agent: 'begins late',
    damage: ({ versions }) => void Object.assign(versions[0] ?? {}, { fromDay: '1970-01-02' }),
  },
  {
    kind: 'outside',
    agent: 'has a span where no change begins',
    damage: ({ versions }) => void Object.assign(versions.at(-1) ?? {}, { fromDay: '2024-02-09' }),
  },
  {
    kind: 'overlap',
    agent: 'has two spans on one day',
    damage: ({ versions }) => void versions.push(...versions.filter(({ retiredBy }) => retiredBy === null).slice(-1)),
  },
  {
    kind: 'neighbours',
    agent: 'says the same twice',
    damage: ({ versions }) => {
      for (const version of versions) version.state = versions[0]?.state ?? version.state
    },
  },
  {
    kind: 'identity',
    agent: 'has an id twice',
    damage: ({ versions }) => {
      for (const version of versions) version.id = 7
    },
  },
  {
    kind: 'state',
    agent: 'forgot what it retired',
    damage: (stored) => {
      stored.versions = stored.versions.filter(({ retiredBy }) => retiredBy === null)
    },
  },
  {
    kind: 'state',
    agent: 'knew everything from the beginning',
    damage: ({ versions }) => {
      for (const version of versions) version.eventId = 0
    },
  },
  {
    kind: 'current',
    agent: 'has a stale current state',
    damage: ({ current }) => {
      current.state = { ...current.state, zone: 'stale' }
    },
  },
  {
    kind: 'current',
    agent: 'lacks a day in its list',
    damage: ({ current }) => void current.days.pop(),
  },
  {
    kind: 'current',
    agent: 'has its list of spans in another order',
    damage: ({ current }) => {
      current.spanIds = current.spanIds.toReversed()
    },
  },
]
