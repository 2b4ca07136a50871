import type { MetadataChange, ResolvedNames } from '../../check/metadata-change.ts'
import { findRows, type Postgres } from './postgres.ts'

// A catalogue shared by all organisations: the one look-up that takes no scope.
const statement = {
  name: 'resolve-references',
  text: `
    SELECT (SELECT id FROM isps WHERE name = $1) AS isp_id,
      (SELECT packages.id FROM packages JOIN isps ON isps.id = isp_id WHERE isps.name = $1 AND packages.name = $2)
        AS package_id,
      (SELECT id FROM zones WHERE name = $3) AS zone_id`,
}

type Row = { isp_id: number | null; package_id: number | null; zone_id: number | null }

export async function resolveReferences(
  { pool }: Postgres,
  change: Pick<MetadataChange, 'package' | 'zone'>,
): Promise<ResolvedNames> {
  if (change.package === undefined && change.zone === undefined) return { ispId: null, packageId: null, zoneId: null }
  const names = [change.package?.isp ?? null, change.package?.package ?? null, change.zone ?? null]
  const [row] = await findRows<Row>(pool, statement, names)
  return { ispId: row?.isp_id ?? null, packageId: row?.package_id ?? null, zoneId: row?.zone_id ?? null }
}
