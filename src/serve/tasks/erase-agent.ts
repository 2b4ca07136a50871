import { setTimeout } from 'node:timers/promises'
import { limits } from '../../base/limits.ts'
import { catalog } from '../../catalog/catalog.ts'
import { findBuildsOf, type Trace, tracesOf } from '../../compile/schema/erasure.ts'
import { stopBuilds } from '../../compile/rollup/late-results.ts'
import { type ClickHouse, openClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { findSelected } from '../../engine/clickhouse/query/ask.ts'
import { runMaintenance } from '../../engine/clickhouse/ingest/run-maintenance.ts'
import {
  countInserts,
  countTraces as countEngineTraces,
  removeTraces,
} from '../../engine/clickhouse/ingest/remove-traces.ts'
import { findExportObjects, removeExportObjects } from '../../engine/objects/export-objects.ts'
import { type Objects, openObjects } from '../../engine/objects/objects.ts'
import {
  beginErasures,
  cancelExports,
  countTraces,
  type Erasure,
  finishErasure,
  redactQuestions,
} from '../../engine/postgres/operator/erasures.ts'
import { tryAdvisoryLock, withAdvisoryLock } from '../../engine/postgres/advisory-locks.ts'
import { asOperator, type Operator, OperatorError } from '../../engine/postgres/operator/operator.ts'
import { invalidateBuilds } from '../../engine/postgres/operator/rollups.ts'
import { openPostgres, type Postgres } from '../../engine/postgres/postgres.ts'
import { retryFor, rollupsAreBusy } from './retry-for.ts'
import type { Settings } from '../config-schema.ts'
import { adminUrl, clickHouseOptions, objectsOptions } from '../config.ts'
import { reloadDictionaries } from '../../engine/clickhouse/dictionaries/reload-dictionaries.ts'

/** Number of the agent's rows or objects that remain in one table or bucket. */
export type Proof = { readonly place: string; readonly left: number }

type Parts = {
  operator: Operator
  postgres: Postgres
  clickhouse: ClickHouse
  dictionaries: ClickHouse
  objects: Objects
  pause: (milliseconds: number) => Promise<unknown>
}

/**
 * Removes an agent's data from all three stores and checks that none remains. If a run is interrupted, a second run continues.
 */
export async function eraseAgent(
  settings: Settings,
  agentId: string,
  pause: Parts['pause'] = setTimeout,
): Promise<Proof[]> {
  const timeoutMs = limits.maintenanceTimeoutMs
  const clickhouse = openClickHouse({ ...clickHouseOptions(settings, 'ADMIN'), timeoutMs })
  const dictionaries = openClickHouse({ ...clickHouseOptions(settings, 'DICTIONARY'), timeoutMs })
  const postgres = openPostgres({ url: adminUrl(settings), connectionsMax: 2, observe: () => {} })
  const objects = openObjects(objectsOptions(settings))
  try {
    return await asOperator(adminUrl(settings), (operator) =>
      erase({ operator, postgres, clickhouse, dictionaries, objects, pause }, agentId, settings.BROADGAUGE_EXPORT_DAYS),
    )
  } finally {
    objects.close()
    await Promise.allSettled([clickhouse.close(), dictionaries.close(), postgres.close()])
  }
}

async function erase(parts: Parts, agentId: string, exportDays: number): Promise<Proof[]> {
  const erasures = await beginErasures(parts.operator, agentId)
  // From here on, ingest rejects the agent's results. Inserts that checked the agent earlier must end first, so that their rows
  // are removed too.
  await reloadAgents(parts.postgres, parts.dictionaries)
  await untilStored(parts.clickhouse)
  // An agent id can have had several agent numbers. `eraseNumber` throws if data of its number remains, so if the loop ends, no
  // data of any number remains, and the last proof is valid for all of them.
  let proof: Proof[] = []
  for (const erasure of erasures) proof = await eraseNumber(parts, erasure, exportDays)
  return proof
}

async function eraseNumber(parts: Parts, erasure: Erasure, exportDays: number): Promise<Proof[]> {
  await removeExports(parts, erasure, exportDays)
  // Hold the rollup lock: a running build could otherwise store, after the removal, values of rows that it read before.
  const removeLocked = async () => {
    const found: number[] = []
    // Remove the rows twice: if a batch was staged before the erasure, its rows can be stored after the first removal without
    // another check of the agents.
    for (const _ of ['the stored rows', 'rows stored meanwhile from a staged batch']) {
      await redactQuestions(parts.operator, erasure)
      found.push(...(await invalidateBuildsOf(parts, erasure)))
      await removeTraces(parts.clickhouse, engineTraces(parts, erasure, found))
      await untilStored(parts.clickhouse)
    }
    return found
  }
  const builds = await retryFor(() => tryAdvisoryLock(parts.postgres, 'buildRollups', removeLocked), rollupsAreBusy)
  // Remove exports again: an export that was written during the removal may contain the agent.
  const exports = await removeExports(parts, erasure, exportDays)
  const proof = await prove(parts, erasure, exports, builds)
  const left = proof.filter((one) => one.left > 0)
  if (left.length > 0) {
    const places = left.map((one) => `${one.place} (${one.left})`).join(', ')
    throw new OperatorError(
      `Data of the agent remains in ${places}, possibly because the agent still sends results. Run the command again.`,
    )
  }
  await finishErasure(parts.operator, erasure)
  return proof
}

/**
 * Removes all exports of the organisations that can or could read the agent's panel: any file may contain the agent's results,
 * whatever filters it has. Callers can request the exports again. Returns the ids of the exports.
 */
async function removeExports({ operator, objects }: Parts, erasure: Erasure, days: number): Promise<string[]> {
  const ids = await cancelExports(operator, erasure, days + 1)
  for (const id of ids) await removeExportObjects(objects, await findExportObjects(objects, id))
  return ids
}

/**
 * Unregistering the agent has invalidated its days. But its results still existed then, so later builds include the agent. This
 * function marks these builds, so that no query uses them, and returns their numbers for removal.
 */
async function invalidateBuildsOf(parts: Parts, erasure: Erasure): Promise<number[]> {
  const { operator, clickhouse, pause } = parts
  // Stop running builds. ClickHouse continues a build even if the instance that began it has stopped.
  for (const node of clickhouse.nodes) await runMaintenance(node, stopBuilds(clickhouse.database))
  const builds = await findBuilds(parts, erasure)
  if (builds.length === 0) return builds
  await invalidateBuilds(operator, builds)
  // Wait for running requests: a request that has already chosen these builds would find their days empty.
  await pause(limits.firstByteTimeoutMs)
  return builds
}

async function findBuilds({ clickhouse }: Parts, { agent_number }: Erasure): Promise<number[]> {
  const query = findBuildsOf(clickhouse.database, agent_number)
  return (await findSelected<{ build: string }>(clickhouse, query)).map(({ build }) => Number(build))
}

function engineTraces({ clickhouse }: Parts, erasure: Erasure, builds: readonly number[]): Trace[] {
  const { agent_number: number, agent_id: agentId, owner_id: owner } = erasure
  return tracesOf(catalog, { number, agentId, owner, builds }, clickhouse.cluster !== null)
}

async function prove(parts: Parts, erasure: Erasure, exports: string[], removed: number[]): Promise<Proof[]> {
  const register = await countTraces(parts.operator, erasure)
  const builds = [...removed, ...(await findBuilds(parts, erasure))]
  const engine = await countEngineTraces(parts.clickhouse, engineTraces(parts, erasure, builds))
  const objects = await Promise.all(exports.map((id) => findExportObjects(parts.objects, id)))
  return [
    ...Object.entries(register).map(([place, left]) => ({ place: `PostgreSQL ${place}`, left })),
    ...[...engine].map(([place, left]) => ({ place: `ClickHouse ${place}`, left })),
    { place: 'exports', left: objects.flat().length },
  ]
}

const otherwise =
  'Another process has been loading metadata into ClickHouse for too long. Check that ClickHouse responds, and try again.'

/**
 * Reloads all agent dictionaries. The locks prevent compaction and publishing: both choose the events that timelines show
 * before ClickHouse reads the spans. A timeline that is reloaded in between would refer to spans that are not loaded.
 */
async function reloadAgents(postgres: Postgres, dictionaries: ClickHouse): Promise<void> {
  const reload = () =>
    tryAdvisoryLock(postgres, 'compactMetadata', async (client) => {
      await reloadDictionaries(dictionaries, 'agents', 'large')
      await withAdvisoryLock(client, 'publishMetadata', () => reloadDictionaries(dictionaries, 'small'))
      return true
    })
  await retryFor(reload, otherwise)
}

const untilStoredOtherwise =
  'Inserts into ClickHouse that began before the erasure are still running, and may contain results of the agent. Try again.'

/** Waits for the inserts that are running when the function is called. */
async function untilStored(clickhouse: ClickHouse): Promise<void> {
  const calledAt = performance.now()
  const inserts = () => countInserts(clickhouse, performance.now() - calledAt)
  await retryFor(async () => ((await inserts()) === 0 ? true : null), untilStoredOtherwise)
}
