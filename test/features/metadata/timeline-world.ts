import type { Caller } from '../../../src/base/caller.ts'
import type { MetadataChange, ResolvedNames } from '../../../src/check/metadata/metadata-change.ts'
import { changeAsTenant } from '../../../src/engine/postgres/as-tenant.ts'
import { changeMetadata, resolveReferences } from '../../../src/engine/postgres/metadata/change-metadata.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../../src/engine/postgres/operator/import-packages.ts'
import { createToken } from '../../../src/engine/postgres/operator/tokens.ts'
import { openPostgres, type Postgres } from '../../../src/engine/postgres/postgres.ts'
import { agent, asLines, organisation, panel } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import type { World } from '../../kit/world.ts'
import { calendarDays } from './timeline-comparison.ts'
import type { ModelChange } from './timeline-model.ts'
import { isps, packages, selectsGroup, type Sequence } from './timeline-sequences.ts'

const connectionsMax = 6

/**
 * What the code of the service needs to change metadata. The tests call that code without HTTP, and then it accepts any
 * day.
 */
export type Engine = { postgres: Postgres; caller: Caller; names: Map<string, Promise<ResolvedNames>> }

export async function openEngine(world: World): Promise<Engine> {
  const owner = await organisation(world, 'owner')
  await panel(world, 'panel', 'owner', [])
  const { id: tokenId } = await world.operate(async (operator) => {
    const rows = isps.flatMap((isp) => packages.map((name) => ({ isp, package: name })))
    const lines = rows.map((row, index) => ({
      line: index + 2,
      row: { ...row, download_bits_sec: null, upload_bits_sec: null },
    }))
    await importPackages(operator, asLines(lines), () => {})
    return createToken(operator, {
      organisation: 'owner',
      label: 'timeline',
      scopes: ['metadata:write'],
      expiresAt: null,
    })
  })
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  return {
    postgres: openPostgres({ url, connectionsMax, observe: () => {} }),
    caller: { organisationId: owner.id, organisationKey: 'owner', tokenId, tokenScopes: ['metadata:write'] },
    names: new Map(),
  }
}

const agentName = (sequence: number, place: number): string => `timeline-${sequence}-${place}`

/** Creates new agents for every sequence. Returns the numbers of the agents by sequence and index. */
export async function registerAgents(world: World, sequences: readonly Sequence[]): Promise<number[][]> {
  const named = sequences.map(({ agents }, index) =>
    Array.from({ length: agents }, (_, place) => agentName(index, place)),
  )
  const lines = named.flat().map((name, index) => ({ line: index + 2, row: agent({ agent_id: name }) }))
  await world.operate((operator) => importAgents(operator, 'panel', asLines(lines), () => {}))
  const rows = await runSql<{ id: number; agent_id: string }>(world.superuserUrl, 'SELECT id, agent_id FROM agents')
  const ids = new Map(rows.map(({ id, agent_id: name }) => [name, id]))
  return named.map((names) => names.map((name) => ids.get(name) ?? 0))
}

export const requestName = (sequence: number, step: number): string => `${sequence}/${step}`

/**
 * Makes the changes of one sequence, each in its own transaction. Returns how many agents each change reports as
 * changed.
 */
export async function runSequence(engine: Engine, sequence: Sequence, index: number): Promise<number[]> {
  const changed: number[] = []
  for (const [step, { target, change }] of sequence.steps.entries()) {
    const selector = target === 'group' ? selectsGroup(sequence.group) : { agentId: agentName(index, target) }
    const request = toRequest(change, selector)
    const names = await resolveNames(engine, request)
    const origin = { requestId: requestName(index, step), body: change }
    changed.push(
      await changeAsTenant(engine.caller, engine.postgres, (client) =>
        changeMetadata(engine.caller, client, request, names, origin),
      ),
    )
  }
  return changed
}

/** Runs `work` for all items. The number of concurrent runs is the number of connections. */
export async function forEachAtOnce<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const remaining = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of remaining) await work(item, index)
  }
  await Promise.all(Array.from({ length: connectionsMax }, worker))
}

function toRequest(change: ModelChange, selector: MetadataChange['selector']): MetadataChange {
  const entries = Object.entries(change.custom ?? {})
  return {
    selector,
    package: change.package,
    zone: change.zone,
    custom: Object.fromEntries(entries.filter((entry): entry is [string, string | number] => entry[1] !== null)),
    droppedKeys: entries.filter(([, value]) => value === null).map(([key]) => key),
    day: Temporal.PlainDate.from(calendarDays[change.day] ?? ''),
    replaceAll: change.overwriteAll,
    dryRun: false,
  }
}

/** Caches the lookups, because the catalogue of packages and zones does not change during the test. */
function resolveNames(
  { names, postgres }: Engine,
  { package: packageName, zone }: MetadataChange,
): Promise<ResolvedNames> {
  const key = JSON.stringify([packageName, zone])
  const known = names.get(key) ?? resolveReferences(postgres, { package: packageName, zone })
  names.set(key, known)
  return known
}
