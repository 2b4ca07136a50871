import type { ClientBase } from 'pg'
import type { Caller, Scope } from '../../../base/caller.ts'
import { validationFail } from '../../../base/fault.ts'
import { limits } from '../../../base/limits.ts'
import { tooLongTogether, tooManyFields } from '../../../check/metadata/custom-metadata.ts'
import type { MetadataChange, ResolvedNames } from '../../../check/metadata/metadata-change.ts'
import { traced } from '../../tracing.ts'
import { findRows, inPostgres, type Postgres, mapStoreErrors, sqlStateOf } from '../postgres.ts'
import { comparable } from '../../../base/comparable.ts'
import type { MetadataSelector } from '../../../check/metadata/metadata-selector.ts'
import { findZoneNumbers } from '../values/find-zone-numbers.ts'

/** Where a change comes from. It is stored with the change. */
export type ChangeOrigin = { requestId: string; body: unknown }

/**
 * Changes every agent that the selector matches, in the caller's transaction, and returns their number. With `agentsMax`,
 * changes only the first agents. One statement finds and locks the agents. It locks them in the order of their numbers, so
 * that overlapping changes wait for each other instead of deadlocking. After a wait, it evaluates the condition again.
 */
export async function changeMetadata(
  caller: Caller,
  client: ClientBase,
  change: MetadataChange,
  names: ResolvedNames,
  origin: ChangeOrigin,
  agentsMax: number | null = null,
): Promise<number> {
  const values = [
    caller.tokenId,
    origin.requestId,
    JSON.stringify(origin.body),
    change.day.toString(),
    change.package !== undefined,
    names.ispId,
    names.packageId,
    change.zone !== undefined,
    names.zoneId,
    JSON.stringify(change.custom),
    change.droppedKeys,
    change.replaceAll,
  ]
  const selection = agentSelection(caller, change.selector, values.length)
  const text = `
    SELECT change_metadata(
      ARRAY(
        SELECT c.agent_id FROM current_metadata c WHERE ${selection.text}
        ORDER BY c.agent_id LIMIT ${agentsMax ?? 'ALL'} FOR UPDATE OF c
      ),
      $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS changed`
  const query = { text, values: [...values, ...selection.values], query_timeout: limits.changeTimeoutMs }
  const result = await traced('PostgreSQL change-metadata', 'client', inPostgres, () =>
    mapStoreErrors(() => client.query<{ changed: number }>(query)),
  ).catch((error: unknown) => {
    const refusal = refusals.get(sqlStateOf(error) ?? '')
    throw refusal === undefined ? error : validationFail({ 'metadata[custom]': [refusal] })
  })
  return result.rows[0]?.changed ?? 0
}

/** The SQLSTATEs that `change_metadata` raises if there is too much custom metadata, and the messages for the caller. */
const refusals = new Map([
  ['BG001', tooManyFields],
  ['BG002', tooLongTogether],
])

/** A WHERE clause over `current_metadata AS c`, and its values. The text consists only of the fixed conditions in this file. */
export type Selection = { text: string; values: unknown[] }

/**
 * The condition for the agents that a selector matches, on panels that the organisation owns. `offset` is the number of
 * parameters that come before those of the condition.
 */
export function agentSelection(scope: Scope, selector: MetadataSelector, offset: number): Selection {
  const given = conditions(scope, selector).filter(([, value]) => value !== undefined)
  return {
    text: given.map(([condition], index) => condition.replace('$?', `$${offset + index + 1}`)).join(' AND '),
    values: given.map(([, value]) => value),
  }
}

/**
 * One condition per field, with `$?` for its value. Identifiers have their own subqueries, so that PostgreSQL uses the indexes.
 */
const conditions = (scope: Scope, selector: MetadataSelector): [string, unknown][] => [
  ['c.panel_id IN (SELECT id FROM panels WHERE owner_id = $?)', scope.organisationId],
  ['c.agent_id = (SELECT id FROM agents WHERE agent_key = identifier_key($?))', keyOf(selector.agentId)],
  ['c.agent_id = (SELECT id FROM agents WHERE unit_id = $?)', selector.unitId],
  ['c.agent_id = (SELECT id FROM agents WHERE mac_key = identifier_key($?))', keyOf(selector.macAddress)],
  ['c.isp_id = (SELECT id FROM isps WHERE name = $?)', selector.isp],
  [
    "c.package_id = (SELECT p.id FROM packages p JOIN isps i ON i.id = p.isp_id WHERE i.name || ':' || p.name = $?)",
    selector.package && `${selector.package.isp}:${selector.package.package}`,
  ],
  ['c.zone_id = (SELECT id FROM zones WHERE name = $?)', selector.zone],
  ['c.custom @> $?::jsonb', selector.custom && JSON.stringify(selector.custom)],
]

/**
 * Returns null for an identifier that cannot match an agent: in SQL nothing equals null, so the condition selects no agent.
 * Undefined would remove the condition and select all agents.
 */
const keyOf = (identifier: string | undefined): string | null | undefined =>
  identifier === undefined ? undefined : comparable(identifier)

// All organisations share the ISPs, packages and time zones, so this look-up needs no scope (docs/internals/tenancy.md, Shared
// data).
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
