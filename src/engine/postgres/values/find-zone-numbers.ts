import { createHash } from 'node:crypto'
import type { Zone } from '../../../compile/metric/clock/zone-offsets.ts'
import { findRows, type Postgres } from '../postgres.ts'

// Time zones are the same for every organisation, so this needs no scope. The six hundred rows rarely change, so PostgreSQL
// sends them only if the digest differs.
const statement = {
  name: 'find-zones',
  text: `
    SELECT id, name FROM zones
    WHERE $1 <> (SELECT md5(coalesce(string_agg(id || ' ' || name, ',' ORDER BY id), '')) FROM zones)
    ORDER BY id`,
}

type Known = { readonly zones: readonly Zone[]; readonly digest: string }

const digestOf = (zones: readonly Zone[]): string =>
  createHash('md5')
    .update(zones.map(({ id, name }) => `${id} ${name}`).join())
    .digest('hex')

const known = new WeakMap<Postgres, Known>()

/** Returns the time zones that an agent may have, with their ids, which the metadata contain. */
export async function findZoneNumbers(postgres: Postgres): Promise<readonly Zone[]> {
  const before = known.get(postgres) ?? { zones: [], digest: digestOf([]) }
  const changed = await findRows<Zone>(postgres.pool, statement, [before.digest])
  if (changed.length === 0) return before.zones
  known.set(postgres, { zones: changed, digest: digestOf(changed) })
  return changed
}
