/**
 * One operation on a register, on one clock. A write that nobody knows the fate of ends at Infinity: it may take effect at
 * any time after its start, or never. A read that got no answer says nothing and is left out.
 */
export type Operation = {
  readonly kind: 'write' | 'read'
  /** Null is what the register holds before the first write. */
  readonly value: string | null
  readonly startedAt: number
  readonly endedAt: number
}

/** A value's write and all reads of it. */
type Cluster = { value: string | null; writeStartedAt: number; firstEnd: number; lastStart: number }

/**
 * What keeps a history of one register from being linearizable, or null when nothing does. Every value is written once, so
 * it is known which write a read saw, and a write and its reads have to stand together in any order that explains the
 * history. Hence one value goes before another as soon as any of its operations ended before any of the other's started,
 * and the order exists unless that holds both ways for some pair. Pairs are enough: in a longer ring, the value whose
 * first end is the earliest goes before every value of the ring, so also before the one that goes before it.
 * (Gibbons and Korach, "Testing Shared Memories", 1997, section 4.)
 */
export function findAnomaly(history: readonly Operation[]): string | null {
  const clusters = clustersOf(history)
  for (const read of history.filter(({ kind }) => kind === 'read')) {
    const cluster = clusters.get(read.value)
    if (cluster === undefined) return `${describe(read)}: nobody wrote it`
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

/** Strictly before: two operations that meet in one tick of the clock may stand in either order. */
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
