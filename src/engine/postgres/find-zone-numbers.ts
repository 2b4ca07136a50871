import type { Zone } from '../../compile/zone-offsets.ts'
import { findRows, type Postgres } from './postgres.ts'

// Facts of the world, the same for every organisation: no scope.
const statement = { name: 'find-zones', text: 'SELECT id, name FROM zones ORDER BY id' }

/** The zones an agent may have, with the numbers its metadata has them by. */
export const findZoneNumbers = ({ pool }: Postgres): Promise<Zone[]> => findRows<Zone>(pool, statement, [])
