import { newMeter } from '../base/audit.ts'
import type { Scope } from '../base/caller.ts'
import { limits } from '../base/limits.ts'
import type { Warning } from '../base/warning.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ResolvedFilter } from '../compile/metric/filter-condition.ts'
import type { AskedColumn } from '../compile/values/known-values.ts'
import { findKnownFacts } from '../engine/clickhouse/values/find-fact-values.ts'
import type { AwaitedOrigin } from '../engine/clickhouse/query/query-origin.ts'
import { findKnownValues, type SoughtValue } from '../engine/postgres/values/find-values.ts'
import type { Stores } from '../engine/stores.ts'
import { unknownValueWarnings } from '../envelope/warnings.ts'

/** A value of a filter, and what it is called where it is looked for: null where it cannot be anything. */
type Asked = {
  readonly id: string
  readonly value: string
  readonly name: string | null
  readonly filter: ResolvedFilter
}

/** A warning is worth no more time than this. */
const timeoutMs = 3_000

/** Each value is looked up on each panel. */
const lookupsMax = 5_000

type Filtered = {
  readonly test: string
  readonly filters: readonly ResolvedFilter[]
  readonly readable: readonly number[]
}

/**
 * Warns of filter values that no agent or result has on the panels the caller can read: a value of another organisation is
 * as unknown as one that does not exist. Values that take too long to look up get no warning: an answer never waits long for
 * warnings, and never fails because of them.
 */
export async function findWarnings(
  scope: Scope,
  stores: Pick<Stores, 'postgres' | 'lookups'>,
  catalog: Catalog,
  { test, filters, readable }: Filtered,
  { endpoint, requestId, signal: awaited }: Pick<AwaitedOrigin, 'endpoint' | 'requestId' | 'signal'>,
): Promise<Warning[]> {
  if (filters.length === 0) return []
  const asked = distinct(filters).slice(0, valuesMax(readable.length))
  const signal = AbortSignal.any([awaited, AbortSignal.timeout(timeoutMs)])
  const tooLate = new Promise<Asked[]>((resolve) => signal.addEventListener('abort', () => resolve([]), { once: true }))
  const judged = (finding: Promise<Asked[]>) => Promise.race([finding.catch(() => []), tooLate])
  // With a meter of its own: the lookups do not count towards the cost of the query.
  const origin = { endpoint, requestId, signal, panels: readable, meter: newMeter() }
  const nowhere = asked.filter(({ name }) => name === null)
  const [ofAgents, ofResults] = await Promise.all([
    judged(unknownToAgents(scope, stores, asked.filter(isOfAgents), readable)),
    judged(unknownToResults(scope, stores, catalog, { test, asked: asked.filter(isOfResults) }, origin)),
  ])
  const unknown = new Set<Asked>([...nowhere, ...ofAgents, ...ofResults])
  return unknownValueWarnings(asked.filter((one) => unknown.has(one)))
}

const valuesMax = (panels: number): number => Math.ceil(lookupsMax / Math.max(panels, 1))

function distinct(filters: readonly ResolvedFilter[]): Asked[] {
  const all = filters.flatMap((filter) =>
    filter.values.map((value, index): [string, Asked] => {
      const { id } = filter.dimension
      return [JSON.stringify([id, value]), { id, value, name: nameOf(filter, index), filter }]
    }),
  )
  return [...new Map(all).values()]
}

function nameOf({ dimension: { source }, names }: ResolvedFilter, index: number): string | null {
  const name = names[index] ?? null
  const isUnit = source.kind === 'agent' && source.attribute === 'unit_id'
  return isUnit && !(/^(0|[1-9]\d{0,15})$/.test(name ?? '') && Number.isSafeInteger(Number(name))) ? null : name
}

/** Longer ones are in no list. */
const isListable = ({ name }: Asked): boolean => name !== null && Buffer.byteLength(name) <= limits.listedValueBytesMax

const isOfResults = (asked: Asked): boolean => asked.filter.dimension.source.kind === 'column' && isListable(asked)
const isOfAgents = (asked: Asked): boolean => asked.filter.dimension.source.kind !== 'column' && isListable(asked)

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

/** A custom field of the same name has a number for each organisation whose panels have it. */
function subjectsOf({
  filter: {
    dimension: { source },
  },
}: Asked): SoughtValue['subject'][] {
  if (source.kind === 'custom') return [...new Set(source.fields.map(({ field }) => `custom.${field}`))]
  if (source.kind !== 'agent') return [source.kind]
  return [{ agent_id: 'agent', unit_id: 'unit', base: 'base', country: 'country' }[source.attribute]]
}

async function unknownToResults(
  scope: Scope,
  { lookups }: Pick<Stores, 'lookups'>,
  catalog: Catalog,
  { test, asked }: { readonly test: string; readonly asked: readonly Asked[] },
  origin: AwaitedOrigin,
): Promise<Asked[]> {
  if (asked.length === 0) return []
  const columns = [...Map.groupBy(asked, columnOf)].map(([column, same]): AskedColumn => {
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
