/**
 * One operation on a register. All times come from the same clock. A write with an unknown outcome ends at Infinity: it
 * may take effect at any time after its start, or never. A read without a response proves nothing and is left out.
 */
export type Operation = {
  readonly kind: 'write' | 'read'
  /** Null is the value of the register before the first write. */
  readonly value: string | null
  readonly startedAt: number
  readonly endedAt: number
}

/** The write of a value and all reads of that value. */
type Cluster = { value: string | null; writeStartedAt: number; firstEnd: number; lastStart: number }

/**
 * Returns why the history of one register is not linearizable, or null if it is linearizable.
 * Every value is written once, so it is known which write a read has seen. In an order that explains the history, a
 * write and its reads are next to each other. So value A must come before value B if an operation of A ended before an
 * operation of B started. An order exists unless there are two values that must each come before the other.
 * It is enough to check pairs. In a longer cycle, take the value whose first end is the earliest. This value must come
 * before every other value of the cycle, including the value that must come before it. See Gibbons and Korach, "Testing
 * Shared Memories", 1997, section 4.
 */
export function findAnomaly(history: readonly Operation[]): string | null {
  const clusters = clustersOf(history)
  for (const read of history.filter(({ kind }) => kind === 'read')) {
    const cluster = clusters.get(read.value)
    if (cluster === undefined) return `${describe(read)}: no client wrote it`
    if (read.endedAt < cluster.writeStartedAt) return `${describe(read)}: its write began later`
  }
  return findContradiction([...clusters.values()])
}

function clustersOf(history: readonly Operation[]): Map<string | null, Cluster> {
  const begin = { value: null, writeStartedAt: -Infinity, firstEnd: -Infinity, lastStart: -Infinity }
  const clusters = new Map<string | null, Cluster>([[null, begin]])
  for (const { kind, value, startedAt, endedAt } of history) {
    if (kind === 'read') continue
    if (clusters.has(value)) throw new TypeError(`${value} is written twice: this checker needs values that are unique`)
    clusters.set(value, { value, writeStartedAt: startedAt, firstEnd: endedAt, lastStart: startedAt })
  }
  for (const { kind, value, startedAt, endedAt } of history) {
    const cluster = clusters.get(value)
    if (kind === 'write' || cluster === undefined) continue
    cluster.firstEnd = Math.min(cluster.firstEnd, endedAt)
    cluster.lastStart = Math.max(cluster.lastStart, startedAt)
  }
  return clusters
}

/** Strictly less: if two operations share one tick of the clock, either of them may be the first. */
const goesBefore = (one: Cluster, other: Cluster): boolean => one.firstEnd < other.lastStart

function findContradiction(clusters: readonly Cluster[]): string | null {
  for (const [index, one] of clusters.entries()) {
    const other = clusters.slice(index + 1).find((later) => goesBefore(one, later) && goesBefore(later, one))
    if (other !== undefined) return `${one.value} and ${other.value}: each was seen or acknowledged before the other`
  }
  return null
}

const describe = ({ value, startedAt, endedAt }: Operation): string =>
  `a read of ${value} from ${startedAt.toFixed(3)} to ${endedAt.toFixed(3)} ms`
