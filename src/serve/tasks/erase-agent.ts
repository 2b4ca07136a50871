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
import { spoilBuilds } from '../../engine/postgres/operator/rollups.ts'
import { openPostgres, type Postgres } from '../../engine/postgres/postgres.ts'
import { patiently, sumsAreBuilt } from './patiently.ts'
import type { Settings } from '../config-schema.ts'
import { adminUrl, clickHouseOptions, objectsOptions } from '../config.ts'
import { reloadDictionaries } from '../../engine/clickhouse/dictionaries/reload-dictionaries.ts'

/** What is left of the agent, place by place. */
export type Proof = { readonly place: string; readonly left: number }

type Parts = {
  operator: Operator
  postgres: Postgres
  clickhouse: ClickHouse
  dictionaries: ClickHouse
  objects: Objects
  pause: (milliseconds: number) => Promise<unknown>
}

/** Removes everything of an agent from all three stores, and looks whether it is gone. Run again, it goes on where it was. */
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
  // From here on its results are those of nobody; what was judged before is waited for, and taken away when it is there.
  await reloadAgents(parts.postgres, parts.dictionaries)
  await untilStored(parts.clickhouse)
  // None ends while something is left, so that the last proof speaks for all.
  let proof: Proof[] = []
  for (const erasure of erasures) proof = await eraseNumber(parts, erasure, exportDays)
  return proof
}

async function eraseNumber(parts: Parts, erasure: Erasure, exportDays: number): Promise<Proof[]> {
  await removeExports(parts, erasure, exportDays)
  // While nobody builds sums: what was read before would be stored after.
  const removeAlone = async () => {
    const found: number[] = []
    // Twice: a batch that is sent again is put aside first, and stored from there without another look at who is known.
    for (const _ of ['what is there', 'what was being stored from rows put aside']) {
      await redactQuestions(parts.operator, erasure)
      found.push(...(await spoilSums(parts, erasure)))
      await removeTraces(parts.clickhouse, engineTraces(parts, erasure, found))
      await untilStored(parts.clickhouse)
    }
    return found
  }
  const builds = await patiently(() => tryAdvisoryLock(parts.postgres, 'buildRollups', removeAlone), sumsAreBuilt)
  // Removing takes its time, and whoever asked meanwhile has a file with the agent in it.
  const exports = await removeExports(parts, erasure, exportDays)
  const proof = await prove(parts, erasure, exports, builds)
  const left = proof.filter((one) => one.left > 0)
  if (left.length > 0) {
    const places = left.map((one) => `${one.place} (${one.left})`).join(', ')
    throw new OperatorError(`Something is left in ${places}: does the agent still report? Run it again.`)
  }
  await finishErasure(parts.operator, erasure)
  return proof
}

/** A file may hold the agent's results whatever it was asked for by; it can be asked for again. Answers their ids. */
async function removeExports({ operator, objects }: Parts, erasure: Erasure, days: number): Promise<string[]> {
  const ids = await cancelExports(operator, erasure, days + 1)
  for (const id of ids) await removeExportObjects(objects, await findExportObjects(objects, id))
  return ids
}

/**
 * The days were spoilt when the agent left the register, but its results were still there: a build since then has counted
 * it, is removed for that, and nobody may be answered from it. Answers the numbers of these builds.
 */
async function spoilSums(parts: Parts, erasure: Erasure): Promise<number[]> {
  const { operator, clickhouse, pause } = parts
  // Of a service that was stopped: the engine goes on without it.
  for (const node of clickhouse.nodes) await runMaintenance(node, stopBuilds(clickhouse.database))
  const builds = await findBuilds(parts, erasure)
  if (builds.length === 0) return builds
  await spoilBuilds(operator, builds)
  // A request that was told of them before would find its days empty.
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

const otherwise = 'Somebody else has been loading metadata into ClickHouse for very long: does it answer? Try again.'

/**
 * Has the engine read everything about agents again. While nobody else has it do so: whoever settles or tells fixes what
 * timelines show before the spans are read, and a timeline read here in between would name spans that are not there.
 */
async function reloadAgents(postgres: Postgres, dictionaries: ClickHouse): Promise<void> {
  const reload = () =>
    tryAdvisoryLock(postgres, 'compactMetadata', async (client) => {
      await reloadDictionaries(dictionaries, 'agents', 'large')
      await withAdvisoryLock(client, 'publishMetadata', () => reloadDictionaries(dictionaries, 'small'))
      return true
    })
  await patiently(reload, otherwise)
}

const untilStoredOtherwise =
  'Results that were sent before have been under way into ClickHouse for very long, and may be those of the agent. Try again.'

/** Waits for everything that is being stored when this is called; not for what comes later. */
async function untilStored(clickhouse: ClickHouse): Promise<void> {
  const calledAt = performance.now()
  const inserts = () => countInserts(clickhouse, performance.now() - calledAt)
  await patiently(async () => ((await inserts()) === 0 ? true : null), untilStoredOtherwise)
}
