import type { MetadataChange, ResolvedNames } from '../../../check/metadata/metadata-change.ts'
import { findZoneNumbers } from '../values/find-zone-numbers.ts'
import { findRows, type Postgres } from '../postgres.ts'

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
  postgres: Postgres,
  change: Pick<MetadataChange, 'package' | 'zone'>,
): Promise<ResolvedNames> {
  if (change.package === undefined && change.zone === undefined) return { ispId: null, packageId: null, zoneId: null }
  const names = [change.package?.isp ?? null, change.package?.package ?? null, change.zone ?? null]
  const [row] = await findRows<Row>(postgres.pool, statement, names)
  const found = { ispId: row?.isp_id ?? null, packageId: row?.package_id ?? null, zoneId: row?.zone_id ?? null }
  if (change.zone === undefined || found.zoneId !== null) return found
  return { ...found, zoneNames: (await findZoneNumbers(postgres)).map(({ name }) => name) }
}
