import { evictOldest } from '../../../base/evict-oldest.ts'
import type { Scope } from '../../../base/caller.ts'
import { findResultDays as findDays, type ResultsInScope } from '../../../compile/values/result-days.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { findPoints } from '../query/find-points.ts'
import type { AwaitedOrigin } from '../query/query-origin.ts'

/** The first and the last UTC day with results, as days since 1970. */
export type ResultDays = { readonly first: number; readonly last: number }

type Known = ResultDays & { readonly until: number }

/** The days that an instance has found, by test and panel. */
const known = new WeakMap<ClickHouse, Map<string, Known>>()

/** How long found days are used. In this time, the retention or an erasure can remove the first of them. */
const knownMs = 600_000

/**
 * Returns the days of each panel that has results. ClickHouse is asked only for panels whose known days do not include `asked`:
 * new results can only add days.
 */
export async function findResultDays(
  scope: Scope,
  clickhouse: ClickHouse,
  results: ResultsInScope,
  asked: ResultDays,
  origin: AwaitedOrigin,
): Promise<Map<number, ResultDays>> {
  const cache = known.get(clickhouse) ?? new Map<string, Known>()
  known.set(clickhouse, cache)
  const now = performance.now()
  const keyOf = (panel: number) => `${results.test} ${panel}`
  const isKnown = (panel: number): boolean => {
    const { first, last, until } = cache.get(keyOf(panel)) ?? { first: Infinity, last: -Infinity, until: 0 }
    return until > now && first <= asked.first && last >= asked.last
  }
  const unknown = results.panels.filter((panel) => !isKnown(panel))
  if (unknown.length > 0) {
    const statement = findDays(clickhouse.database, { ...results, panels: unknown })
    const rows = await findPoints<[number, number]>(scope, clickhouse, statement, origin)
    for (const panel of unknown) cache.delete(keyOf(panel))
    for (const [panel, found] of Map.groupBy(rows, ([one]) => one)) {
      const days = found.map(([, day]) => day)
      cache.set(keyOf(panel), { first: Math.min(...days), last: Math.max(...days), until: now + knownMs })
      evictOldest(cache)
    }
  }
  return new Map(
    results.panels.flatMap((panel) => {
      const days = cache.get(keyOf(panel))
      return days === undefined ? [] : [[panel, days] as const]
    }),
  )
}
