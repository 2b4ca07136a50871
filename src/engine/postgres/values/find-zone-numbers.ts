import { createHash } from 'node:crypto'
import type { Zone } from '../../../compile/metric/zone-offsets.ts'
import { findRows, type Postgres } from '../postgres.ts'

// Facts of the world, the same for every organisation: no scope. Six hundred rows that hardly ever change are sent only to
// those who do not know them.
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

/** The zones an agent may have, with the numbers its metadata has them by. */
export async function findZoneNumbers(postgres: Postgres): Promise<readonly Zone[]> {
  const before = known.get(postgres) ?? { zones: [], digest: digestOf([]) }
  const changed = await findRows<Zone>(postgres.pool, statement, [before.digest])
  if (changed.length === 0) return before.zones
  known.set(postgres, { zones: changed, digest: digestOf(changed) })
  return changed
}
