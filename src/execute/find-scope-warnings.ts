import type { AuditRange } from '../base/audit.ts'
import type { Scope } from '../base/caller.ts'
import type { Warning } from '../base/warning.ts'
import type { Panel } from '../catalog/grants.ts'
import { plansOf, type MetricPlan } from '../compile/metric/metric-plan.ts'
import type { ResultsInScope } from '../compile/values/result-days.ts'
import type { AwaitedOrigin } from '../engine/clickhouse/query/query-origin.ts'
import { findResultDays, type ResultDays } from '../engine/clickhouse/values/find-result-days.ts'
import type { Stores } from '../engine/stores.ts'
import { pooledWarnings, rangeWarnings } from '../envelope/warnings.ts'

/** The parts of a request that the warnings about its range and its panels depend on. */
export type AskedScope = ResultsInScope & {
  /** The other tests of a request with several metrics. */
  readonly otherTests?: readonly Pick<ResultsInScope, 'test' | 'keepDays'>[]
  readonly range: AuditRange
  /** The range of the base of a comparison, if the base is another range. */
  readonly baseRange?: AuditRange
  /** The panels whose results the points pool although the request does not name them. Empty for raw points. */
  readonly pooled: readonly Pick<Panel, 'id' | 'key'>[]
}

/** Returns the tests whose results a request needs. */
export function scopeOfTests(plan: MetricPlan): Pick<AskedScope, 'test' | 'otherTests'> {
  const tests = new Map(plansOf(plan).map(({ test }) => [test.key, test]))
  const others = [...tests.values()].filter(({ key }) => key !== plan.test.key)
  return {
    test: plan.test.key,
    ...(others.length === 0
      ? {}
      : {
          otherTests: others.map(({ key, keepDays }) => ({
            test: key,
            ...(keepDays === undefined ? {} : { keepDays }),
          })),
        }),
  }
}

/** Maximum number of panels whose days are looked up. A request for more panels gets neither of the warnings. */
const panelsMax = 50

/** Returns the warnings of each test. If the request has several tests, the warnings about a range name the test. */
export async function findScopeWarnings(
  scope: Scope,
  stores: Pick<Stores, 'lookups'>,
  { otherTests = [], ...asked }: AskedScope,
  origin: AwaitedOrigin,
): Promise<Warning[]> {
  if (otherTests.length === 0) return findWarningsOfTest(scope, stores, asked, origin)
  const { test, keepDays: _keepDays, ...common } = asked
  const tests = [{ test, keepDays: asked.keepDays }, ...otherTests]
  const found = await Promise.all(
    tests.map(async ({ test: key, keepDays }) => {
      const ofTest = { ...common, test: key, ...(keepDays === undefined ? {} : { keepDays }) }
      const warnings = await findWarningsOfTest(scope, stores, ofTest, origin)
      return warnings.map((one) => (one.code === 'range_beyond_data' ? { ...one, test: key } : one))
    }),
  )
  // The same panels can be pooled for several tests.
  return [...new Map(found.flat().map((one) => [JSON.stringify(one), one])).values()]
}

/**
 * Returns up to three warnings: that the range, or the range of a comparison's base, begins before or ends after the results,
 * and that the points pool several panels although the request does not name them.
 */
async function findWarningsOfTest(
  scope: Scope,
  { lookups }: Pick<Stores, 'lookups'>,
  { range, baseRange = range, pooled, ...results }: Omit<AskedScope, 'otherTests'>,
  origin: AwaitedOrigin,
): Promise<Warning[]> {
  const { panels } = results
  // Requests for test data name days, years and months, which usually extend beyond the results.
  if (range.clock === 'utc' || panels.length === 0 || panels.length > panelsMax) return []
  const [asked, base] = [daysOf(range), daysOf(baseRange)]
  const all = { first: Math.min(asked.first, base.first), last: Math.max(asked.last, base.last) }
  const found = await findResultDays(scope, lookups, results, all, origin)
  const days = [...found.values()]
  const overlaps = ({ first, last }: ResultDays) => first <= asked.last && last >= asked.first
  const pooledNow = pooled.filter(({ id }) => {
    const ofPanel = found.get(id)
    return ofPanel !== undefined && overlaps(ofPanel)
  })
  return [
    ...rangeWarnings(asked, days),
    ...(baseRange === range ? [] : rangeWarnings(base, days, 'range of the base')),
    ...pooledWarnings(pooledNow.map(({ key }) => key)),
  ]
}

const daysOf = ({ from, to }: AuditRange): ResultDays => ({ first: dayOf(from), last: dayOf(to) })
const dayOf = (localTime: string): number => Math.floor(Date.parse(`${localTime}Z`) / 86_400_000)
