import type { Scope } from '../../../base/caller.ts'
import { comparable } from '../../../base/comparable.ts'
import type { MetadataSelector } from '../../../check/metadata/metadata-selector.ts'

/** A WHERE clause over `current_metadata AS c`, put together from the fixed parts below, and its values. */
export type Selection = { text: string; values: unknown[] }

/** The agents a selector means, among those of panels the organisation owns. `offset` values stand before ours. */
export function agentSelection(scope: Scope, selector: MetadataSelector, offset: number): Selection {
  const given = conditions(scope, selector).filter(([, value]) => value !== undefined)
  return {
    text: given.map(([condition], index) => condition.replace('$?', `$${offset + index + 1}`)).join(' AND '),
    values: given.map(([, value]) => value),
  }
}

/** One condition a field; `$?` stands for its value. Identifiers are looked up alone, so that their indexes are used. */
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

/** Null is equal to nothing, so an identifier that names no agent selects none; undefined would select all. */
const keyOf = (identifier: string | undefined): string | null | undefined =>
  identifier === undefined ? undefined : comparable(identifier)
