import { newMeter } from '../base/audit.ts'
import type { Scope } from '../base/caller.ts'
import { limits } from '../base/limits.ts'
import type { Warning } from '../base/warning.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { clockValues } from '../catalog/local-window.ts'
import { isListFilter } from '../catalog/filter-types.ts'
import { leavesOf } from '../check/metric/filters/filter-tree.ts'
import type { ResolvedFilter, ResolvedLeaf } from '../compile/metric/filter-condition.ts'
import type { RequestedColumn } from '../compile/values/known-values.ts'
import { findKnownFacts } from '../engine/clickhouse/values/find-fact-values.ts'
import type { AwaitedOrigin } from '../engine/clickhouse/query/query-origin.ts'
import { findKnownValues, type SoughtValue } from '../engine/postgres/values/find-values.ts'
import type { Stores } from '../engine/stores.ts'
import { findScopeWarnings, type AskedScope } from './find-scope-warnings.ts'
import { unknownValueWarnings } from '../envelope/warnings.ts'

/**
 * One value of a filter of the request. `name` is the same value as the stores write it, or null if no agent can have the
 * value.
 */
type Asked = {
  readonly id: string
  readonly value: string
  readonly name: string | null
  readonly filter: ResolvedLeaf
}

/** Maximum time that a response waits for its warnings. */
const timeoutMs = 3_000

/** Maximum number of lookups per request. Each value is looked up on each panel. */
const lookupsMax = 5_000

type Filtered = AskedScope & {
  readonly filters: readonly ResolvedFilter[]
  readonly readable: readonly number[]
}

/**
 * Warns of a range beyond the results, of panels that are pooled without having been named, and of filter values that no agent
 * and no result has on the panels that the caller can read. A value that exists only in another organisation counts as unknown.
 * If a lookup fails or is slow, there are no warnings: lookups must not fail or delay the response.
 */
export async function findWarnings(
  scope: Scope,
  stores: Pick<Stores, 'postgres' | 'lookups'>,
  catalog: Catalog,
  { filters, readable, ...asked }: Filtered,
  { endpoint, requestId, signal: awaited }: Pick<AwaitedOrigin, 'endpoint' | 'requestId' | 'signal'>,
): Promise<Warning[]> {
  const values = distinct(filters).slice(0, valuesMax(readable.length))
  const signal = AbortSignal.any([awaited, AbortSignal.timeout(timeoutMs)])
  const tooLate = new Promise<never[]>((resolve) => signal.addEventListener('abort', () => resolve([]), { once: true }))
  const orNone = <Found>(finding: Promise<Found[]>) => Promise.race([finding.catch(() => []), tooLate])
  // The lookups have their own meter: they must not count towards the cost of the query.
  const origin = { endpoint, requestId, signal, panels: readable, meter: newMeter() }
  const nowhere = values.filter(({ name }) => name === null)
  const [ofScope, ofAgents, ofResults] = await Promise.all([
    orNone(findScopeWarnings(scope, stores, asked, origin)),
    orNone(unknownToAgents(scope, stores, values.filter(isOfAgents), readable)),
    orNone(
      unknownToResults(scope, stores, catalog, { tests: testsOf(asked), asked: values.filter(isOfResults) }, origin),
    ),
  ])
  const unknown = new Set<Asked>([...nowhere, ...ofAgents, ...ofResults])
  return [...ofScope, ...unknownValueWarnings(values.filter((one) => unknown.has(one)))]
}

const valuesMax = (panels: number): number => Math.ceil(lookupsMax / Math.max(panels, 1))

function distinct(filters: readonly ResolvedFilter[]): Asked[] {
  const lists = leavesOf(filters).filter(({ type }) => isListFilter(type))
  const all = lists.flatMap((filter) =>
    filter.values.map((value, index): [string, Asked] => {
      const { id } = filter.dimension
      return [JSON.stringify([id, value]), { id, value, name: nameOf(filter, index), filter }]
    }),
  )
  return [...new Map(all).values()]
}

function nameOf({ dimension: { source }, names }: ResolvedLeaf, index: number): string | null {
  const name = names[index] ?? null
  if (source.kind === 'clock') return name !== null && clockValues(source).includes(name) ? name : null
  const isUnit = source.kind === 'agent' && source.attribute === 'unit_id'
  return isUnit && !(/^(0|[1-9]\d{0,15})$/.test(name ?? '') && Number.isSafeInteger(Number(name))) ? null : name
}

/** The lists of known values do not contain values longer than this, so a longer value would always look unknown. */
const isListable = ({ name }: Asked): boolean => name !== null && Buffer.byteLength(name) <= limits.listedValueBytesMax

const isOfResults = (asked: Asked): boolean => asked.filter.dimension.source.kind === 'column' && isListable(asked)
/** Hours, days of the week and `peak` (`clock`) are not in any list, because all their values exist. */
const isOfAgents = (asked: Asked): boolean =>
  !['column', 'clock'].includes(asked.filter.dimension.source.kind) && isListable(asked)

async function unknownToAgents(
  scope: Scope,
  { postgres }: Pick<Stores, 'postgres'>,
  asked: readonly Asked[],
  panels: readonly number[],
): Promise<Asked[]> {
  if (asked.length === 0) return []
  const sought = asked.flatMap((one) => subjectsOf(one).map((subject) => ({ one, subject, value: one.name ?? '' })))
  const found = await findKnownValues(scope, postgres, panels, sought)
  const known = new Set(found.map((position) => sought[position]?.one))
  return asked.filter((one) => !known.has(one))
}

/**
 * Returns the names under which PostgreSQL looks up the values of a filter, such as `isp`. A custom field has another id in
 * each organisation, so a filter by a custom field can have several names, such as `custom.3` and `custom.8`.
 */
function subjectsOf({
  filter: {
    dimension: { source },
  },
}: Asked): SoughtValue['subject'][] {
  if (source.kind === 'custom') return [...new Set(source.fields.map(({ field }) => `custom.${field}`))]
  if (source.kind === 'column' || source.kind === 'clock') return []
  if (source.kind !== 'agent') return [source.kind]
  return [{ agent_id: 'agent', unit_id: 'unit', base: 'base', country: 'country' }[source.attribute]]
}

const testsOf = ({ test, otherTests = [] }: Pick<AskedScope, 'test' | 'otherTests'>): readonly string[] => [
  test,
  ...otherTests.map((one) => one.test),
]

/** Returns the values that no result has. The results of each test are searched for the values that the tests before lack. */
async function unknownToResults(
  scope: Scope,
  stores: Pick<Stores, 'lookups'>,
  catalog: Catalog,
  { tests: [test, ...others], asked }: { readonly tests: readonly string[]; readonly asked: readonly Asked[] },
  origin: AwaitedOrigin,
): Promise<Asked[]> {
  if (asked.length === 0 || test === undefined) return [...asked]
  const unknown = await unknownToTest(scope, stores, catalog, { test, asked }, origin)
  return unknownToResults(scope, stores, catalog, { tests: others, asked: unknown }, origin)
}

async function unknownToTest(
  scope: Scope,
  { lookups }: Pick<Stores, 'lookups'>,
  catalog: Catalog,
  { test, asked }: { readonly test: string; readonly asked: readonly Asked[] },
  origin: AwaitedOrigin,
): Promise<Asked[]> {
  const columns = [...Map.groupBy(asked, columnOf)].map(([column, same]): RequestedColumn => {
    const [metrics] = same.map(({ filter }) => new Set(filter.dimension.metrics))
    const tests = new Set(catalog.metrics.filter(({ key }) => metrics?.has(key)).map((metric) => metric.test))
    return { column, tests: [...tests], values: same.map(({ value }) => value) }
  })
  const known = await findKnownFacts(scope, lookups, catalog, { test, columns }, origin)
  return known === null ? [] : asked.filter((one) => known.get(columnOf(one))?.has(one.value) !== true)
}

const columnOf = ({
  filter: {
    dimension: { source },
  },
}: Asked): string => (source.kind === 'column' ? source.column : '')
