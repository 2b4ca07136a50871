import type { QueryMeter } from '../base/audit.ts'

/** What is known of an organisation's queries. */
type Known = {
  /** Rows the engine has read for those that ended lately, and when that was counted. */
  rows: number
  at: number
  running: number
  /** Rows to expect of one; null while none has ended. */
  cost: number | null
}

export type Consideration = {
  /**
   * A query begins. How far it stands back for those of others, from 0 to 19; null where nothing is known of its
   * organisation, or nobody else asks.
   */
  readonly begin: (organisationId: number) => number | null
  /** It is over. */
  readonly end: (organisationId: number, cost: Omit<QueryMeter, 'bytes'>) => void
}

const nicenessMax = 19
/** Work that was done longer ago than a few of these is forgotten. */
const memoryMs = 10_000
/** For how long it is remembered what to expect of an organisation that asks nothing. */
const costMemoryMs = 600_000
/** What any query is, in rows: finding out what to read. */
const rowsLeast = 1_000
/** Of what a query turned out to be less than expected, this much is believed. */
const relief = 0.2
/** What the engine reads in a millisecond at least, however busy: for queries that do not tell. */
const rowsPerMs = 100

/**
 * Whoever has the engine do more than an even share of its work stands back, the further the more it is; the others do not
 * at all. Work is rows read, not time: under a flood the light queries of others take long too. It is what was read lately,
 * and what is to be expected of the queries that run: of heavy ones that take long nothing has ended when others suffer.
 */
export function keepConsideration(now: () => number = () => performance.now()): Consideration {
  const known = new Map<number, Known>()
  const lately = ({ rows, at }: Known, instant: number): number => rows * Math.exp((at - instant) / memoryMs)
  const isActive = ({ running, at }: Known, instant: number): boolean => running > 0 || instant - at < 3 * memoryMs
  const workOf = (one: Known, instant: number): number => lately(one, instant) + one.running * (one.cost ?? 0)
  const forgetIdle = (instant: number) => {
    for (const [id, { running, at }] of known) if (running === 0 && instant - at > costMemoryMs) known.delete(id)
  }
  const nicenessOf = (own: Known, instant: number): number | null => {
    const active = [...known.values()].filter((one) => isActive(one, instant))
    if (own.cost === null || active.length < 2) return null
    const work = workOf(own, instant)
    // Nobody stands back for those of whom nothing is known: they may be the flood.
    const total = active.reduce((sum, one) => sum + (one.cost === null ? work : workOf(one, instant)), 0)
    const even = 1 / active.length
    return Math.round((nicenessMax * Math.max(0, work / total - even)) / (1 - even))
  }
  return {
    begin: (organisationId) => {
      const instant = now()
      forgetIdle(instant)
      const own = known.get(organisationId) ?? { rows: 0, at: instant, running: 0, cost: null }
      known.set(organisationId, own)
      own.running += 1
      return nicenessOf(own, instant)
    },
    end: (organisationId, { rowsRead, rows: rowsGiven, engineMs, isWhole }) => {
      const own = known.get(organisationId)
      if (own === undefined) return
      own.running -= 1
      // The engine was never asked: its caller left, or a store failed before. That says nothing of the others.
      if (rowsRead === 0 && engineMs === 0) return
      const instant = now()
      const expected = own.cost ?? 0
      // What failed or was left is held to be as large as expected: or a flood that times out would pass for a light one.
      const least = isWhole ? 0 : expected - rowsLeast
      const rows = rowsLeast + (rowsRead ?? Math.max(rowsGiven, engineMs * rowsPerMs, least))
      own.rows = lately(own, instant) + rows
      own.at = instant
      own.cost = Math.max(rows, expected + relief * (rows - expected))
    },
  }
}
