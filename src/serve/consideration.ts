/** What an organisation's queries have made the engine do lately, and when that was counted. */
type Work = { rows: number; at: number }

export type Consideration = {
  /**
   * How far the next query of an organisation stands back for those of others, from 0 to 19; null where nothing is known
   * of it, or of anybody else.
   */
  readonly niceness: (organisationId: number) => number | null
  /** A query is over; the engine has read so many rows for it. */
  readonly note: (organisationId: number, rowsRead: number) => void
}

const nicenessMax = 19
/** What was longer ago than a few of these is forgotten. */
const memoryMs = 10_000
/** What any query is, in rows: finding out what to read. */
const rowsLeast = 1_000

/**
 * Whoever has had the engine do more than an even share of its work lately stands back, the further the more it was; the
 * others do not at all. Work is rows read, not time: under a flood the light queries of others take long too.
 */
export function keepConsideration(now: () => number = () => performance.now()): Consideration {
  const works = new Map<number, Work>()
  const rowsOf = ({ rows, at }: Work, instant: number): number => rows * Math.exp((at - instant) / memoryMs)
  const forgetIdle = (instant: number) => {
    for (const [id, work] of works) if (rowsOf(work, instant) < 1) works.delete(id)
  }
  return {
    niceness: (organisationId) => {
      const instant = now()
      forgetIdle(instant)
      const own = works.get(organisationId)
      if (own === undefined || works.size < 2) return null
      let total = 0
      for (const work of works.values()) total += rowsOf(work, instant)
      const even = 1 / works.size
      return Math.round((nicenessMax * Math.max(0, rowsOf(own, instant) / total - even)) / (1 - even))
    },
    note: (organisationId, rowsRead) => {
      const instant = now()
      const before = works.get(organisationId)
      const rows = (before === undefined ? 0 : rowsOf(before, instant)) + rowsLeast + rowsRead
      works.set(organisationId, { rows, at: instant })
    },
  }
}
