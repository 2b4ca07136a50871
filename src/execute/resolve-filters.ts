import { isPresenceFilter, isTextFilter } from '../catalog/filter-types.ts'
import { clockValues } from '../catalog/local-window.ts'
import type { FieldFaults } from '../check/field-faults.ts'
import {
  mapLeaves,
  placedLeaves,
  type FilterLeaf,
  type MetricFilter,
  type PlacedLeaf,
} from '../check/metric/filters/filter-tree.ts'
import type { ResolvedFilter, ResolvedLeaf } from '../compile/metric/filter-condition.ts'
import type { MatchQuestion } from '../compile/values/matching-values.ts'
import { findMatches, findPatternFault } from '../engine/clickhouse/values/find-matches.ts'
import { findNumbers, resolveNames } from '../engine/postgres/values/resolve-names.ts'
import type { Stores } from '../engine/stores.ts'

type UsedStores = Pick<Stores, 'postgres' | 'lookups'>

/**
 * Resolves the names and patterns of ISPs and packages to numbers, and patterns of local times to lists of values. Adds a fault
 * for every pattern that ClickHouse cannot compile. `path` is the path of the filters in the request.
 */
export async function resolveFilters(
  stores: UsedStores,
  filters: readonly MetricFilter[],
  faults: FieldFaults,
  path = 'filters',
): Promise<ResolvedFilter[]> {
  const placed = placedLeaves(filters, path)
  const inEngine = placed.filter(({ leaf }) => isForEngine(leaf))
  const [ofEngine, others] = await Promise.all([
    resolvePatterns(stores, inEngine, faults),
    Promise.all(
      placed
        .filter((one) => !inEngine.includes(one))
        .map(async ({ leaf }) => [leaf, await resolveNames(stores.postgres, withoutPresence(leaf))] as const),
    ),
  ])
  const resolved = new Map([...ofEngine, ...others])
  return filters.map((filter) => mapLeaves(filter, (leaf) => resolved.get(leaf) ?? { ...leaf, ids: [], names: [] }))
}

const isNamed = ({ dimension: { source } }: FilterLeaf): boolean => source.kind === 'isp' || source.kind === 'package'

const isForEngine = (leaf: FilterLeaf): boolean =>
  leaf.type === 'matches' || (isTextFilter(leaf.type) && (isNamed(leaf) || leaf.dimension.source.kind === 'clock'))

/** Every result has a local time. */
function withoutPresence(leaf: FilterLeaf): FilterLeaf {
  const { source } = leaf.dimension
  if (source.kind !== 'clock' || !isPresenceFilter(leaf.type)) return leaf
  return { ...leaf, type: 'include', values: leaf.type === 'is_set' ? clockValues(source) : [] }
}

type Resolved = readonly (readonly [leaf: FilterLeaf, resolved: ResolvedLeaf])[]

async function resolvePatterns(
  stores: UsedStores,
  placed: readonly PlacedLeaf<FilterLeaf>[],
  faults: FieldFaults,
): Promise<Resolved> {
  if (placed.length === 0) return []
  const questions = await Promise.all(placed.map(({ leaf }) => questionOf(stores, leaf)))
  const found = await findMatches(stores.lookups, questions)
  if (found === null) await addPatternFaults(stores, placed, faults)
  return questions.map(({ leaf, candidates }, index) => {
    const positions = found?.[index] ?? []
    if (candidates.kind !== 'texts') {
      return [leaf, { ...leaf, ids: positions.map((position) => candidates.numbers[position] ?? 0), names: [] }]
    }
    if (leaf.dimension.source.kind !== 'clock') return [leaf, { ...leaf, ids: [], names: [] }]
    const values = positions.map((position) => candidates.texts[position] ?? '')
    return [leaf, { ...leaf, type: 'include', values, ids: [], names: values }]
  })
}

async function questionOf({ postgres }: UsedStores, leaf: FilterLeaf): Promise<MatchQuestion> {
  const { source } = leaf.dimension
  if (source.kind === 'isp' || source.kind === 'package') {
    return { leaf, candidates: { kind: source.kind, numbers: await findNumbers(postgres, source.kind) } }
  }
  return { leaf, candidates: { kind: 'texts', texts: source.kind === 'clock' ? clockValues(source) : [] } }
}

async function addPatternFaults(
  { lookups }: UsedStores,
  placed: readonly PlacedLeaf<FilterLeaf>[],
  faults: FieldFaults,
): Promise<void> {
  for (const { leaf, path } of placed.filter((one) => one.leaf.type === 'matches')) {
    for (const [index, pattern] of leaf.values.entries()) {
      const message = await findPatternFault(lookups, pattern)
      if (message !== null) faults.add(`${path}[filterValues][${index}]`, `This pattern is not valid: ${message}.`)
    }
  }
}
