import type { FilterLeaf } from '../../../check/metric/filters/filter-tree.ts'
import { parsePackage } from '../../../check/metadata/package-name.ts'
import type { ResolvedLeaf } from '../../../compile/metric/filter-condition.ts'
import { findRows, type Postgres } from '../postgres.ts'

// All organisations share the ISPs and packages, so this look-up needs no scope (docs/internals/tenancy.md, Shared data). It
// reveals nothing: a response never says whether a name exists, and a filter with a name that occurs on no readable panel
// matches no row.
const ispStatement = {
  name: 'resolve-isps',
  text: 'SELECT id, name FROM isps WHERE name = ANY ($1) OR id = ANY ($2)',
}
const packageStatement = {
  name: 'resolve-packages',
  text: `
    SELECT packages.id, isps.name || ':' || packages.name AS name
    FROM packages JOIN isps ON isps.id = packages.isp_id
    WHERE (isps.name, packages.name) IN (SELECT * FROM unnest($1::text[], $2::text[])) OR packages.id = ANY ($3)`,
}

type Named = { id: number; name: string }

/** Resolves the ISPs and packages that a filter lists. An unknown value is valid: it matches no row. */
export async function resolveNames(postgres: Postgres, leaf: FilterLeaf): Promise<ResolvedLeaf> {
  const { dimension, values } = leaf
  const find = lookUps[dimension.source.kind]
  if (find === undefined) return { ...leaf, ids: [], names: values }
  const chosen = choose(values, await find(postgres, values))
  return {
    ...leaf,
    ids: chosen.flatMap((one) => one?.id ?? []),
    names: chosen.map((one) => one?.name ?? null),
  }
}

/** Returns the numbers of all ISPs or packages, for patterns of their names. */
export async function findNumbers({ pool }: Postgres, of: 'isp' | 'package'): Promise<number[]> {
  const found = await findRows<{ id: number }>(pool, numberStatements[of], [])
  return found.map(({ id }) => id)
}

const numberStatements = {
  isp: { name: 'isp-numbers', text: 'SELECT id FROM isps ORDER BY id' },
  package: { name: 'package-numbers', text: 'SELECT id FROM packages ORDER BY id' },
}

const findIsps = ({ pool }: Postgres, values: readonly string[]): Promise<Named[]> =>
  findRows<Named>(pool, ispStatement, [values, values.flatMap(catalogueNumber)])

function findPackages({ pool }: Postgres, values: readonly string[]): Promise<Named[]> {
  const names = values.flatMap((value) => parsePackage(value) ?? [])
  const isps = names.map(({ isp }) => isp)
  const packages = names.map((name) => name.package)
  return findRows<Named>(pool, packageStatement, [isps, packages, values.flatMap(catalogueNumber)])
}

type LookUp = (postgres: Postgres, values: readonly string[]) => Promise<Named[]>

const lookUps: Readonly<Record<string, LookUp | undefined>> = { isp: findIsps, package: findPackages }

/**
 * Returns the ISP or package for each value. A name has precedence: a value counts as a number only if no ISP or package has
 * that name.
 */
function choose(values: readonly string[], found: readonly Named[]): (Named | undefined)[] {
  const byName = new Map(found.map((one) => [one.name, one]))
  const byNumber = new Map(found.map((one) => [one.id, one]))
  return values.map((value) => byName.get(value) ?? catalogueNumber(value).map((id) => byNumber.get(id))[0])
}

/** Returns no number if the value is larger than PostgreSQL's largest integer. */
const catalogueNumber = (value: string): number[] =>
  /^[1-9]\d{0,9}$/.test(value) && Number(value) <= 2_147_483_647 ? [Number(value)] : []
