import type { ClientBase } from 'pg'
import type { Caller } from '../../../base/caller.ts'
import { validationFail } from '../../../base/fault.ts'
import { limits } from '../../../base/limits.ts'
import { tooLongTogether, tooManyFields } from '../../../check/metadata/custom-metadata.ts'
import type { MetadataChange, ResolvedNames } from '../../../check/metadata/metadata-change.ts'
import { agentSelection } from './agent-selection.ts'
import { traced } from '../../tracing.ts'
import { inPostgres, speaking, sqlStateOf } from '../postgres.ts'

/** Where a change came from, kept with it. */
export type ChangeOrigin = { requestId: string; body: unknown }

/**
 * Changes every agent the selector means, in the caller's transaction, and answers how many. One statement: the rows are
 * locked in the order of their numbers, so that two changes that overlap wait for each other instead of for ever, and
 * whoever waited looks again at what it then finds. With `agentsMax` it changes the first so many only.
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
    speaking(() => client.query<{ changed: number }>(query)),
  ).catch((error: unknown) => {
    const refusal = refusals.get(sqlStateOf(error) ?? '')
    throw refusal === undefined ? error : validationFail({ 'metadata[custom]': [refusal] })
  })
  return result.rows[0]?.changed ?? 0
}

/** What the change itself finds to be too much. */
const refusals = new Map([
  ['BG001', tooManyFields],
  ['BG002', tooLongTogether],
])
