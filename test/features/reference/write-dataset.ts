import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../../src/engine/postgres/operator/import-packages.ts'
import { changeSubscription, createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { publishSpeeds } from '../../../src/jobs/dictionaries/publish-speeds.ts'
import { compactDictionaries } from '../../../src/jobs/dictionaries/reconcile-dictionaries.ts'
import { storeFacts } from '../../kit/facts.ts'
import { asLines, organisation } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import type { World } from '../../kit/world.ts'
import type { Agent, Dataset, Numbers, Speeds } from './model/facts.ts'

/** Stores a dataset in a world. Returns it with the numbers that the stores assigned. */
export async function writeDataset(world: World, dataset: Dataset): Promise<Dataset> {
  const owners = [...new Set(dataset.panels.flatMap(({ owner, subscribers }) => [owner, ...subscribers]))]
  for (const key of owners) await organisation(world, key)
  await writePackages(world, dataset)
  await world.operate(async (operator) => {
    for (const { key, owner, subscribers } of dataset.panels) {
      await createPanel(operator, { key, name: key, owner })
      for (const subscriber of subscribers)
        await changeSubscription(operator, { panel: key, organisation: subscriber, subscribed: true })
      await importAgents(operator, key, asLines(linesOf(dataset.agents.filter(({ panel }) => panel === key))), () => {})
    }
  })
  const numbers = await readNumbers(world)
  for (const owner of owners) await writeTimelines(world, dataset, numbers, owner)
  await writeResults(world, dataset)
  await loadDictionaries(world)
  return { ...dataset, numbers }
}

/** Imports the packages without speeds, then the first speeds of each package, then the second speeds, and so on. */
async function writePackages(world: World, { packages }: Dataset): Promise<void> {
  const most = Math.max(0, ...packages.map(({ imports = [] }) => imports.length))
  await importSpeeds(
    world,
    packages.map((one) => ({ ...one, fromDay: 0, download: null, upload: null })),
  )
  for (let place = 0; place < most; place += 1)
    await importSpeeds(
      world,
      packages.flatMap(({ imports = [], ...one }) =>
        imports.slice(place, place + 1).map((own) => ({ ...one, ...own })),
      ),
    )
}

/** Makes one import for each day. */
async function importSpeeds(world: World, all: ({ isp: string; name: string } & Speeds)[]): Promise<void> {
  for (const [fromDay, ofDay] of Map.groupBy(all, (one) => one.fromDay)) {
    const lines = ofDay.map(({ isp, name, download, upload }, line) => ({
      line,
      row: { isp, package: name, download_bits_sec: download, upload_bits_sec: upload },
    }))
    await world.operate((operator) => importPackages(operator, asLines(lines), () => {}, dayText(fromDay)))
  }
}

const dayText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

const linesOf = (agents: Agent[]) =>
  agents.map(({ id, unit, kind, base, country }, line) => ({
    line,
    row: { agent_id: id, unit_id: unit === null ? null : String(unit), mac_address: null, kind, base, country },
  }))

async function readNumbers({ superuserUrl }: World): Promise<Numbers> {
  const numbersOf = async (text: string): Promise<Map<string, number>> => {
    const rows = await runSql<{ id: number; name: string }>(superuserUrl, text)
    return new Map(rows.map(({ id, name }) => [name, id]))
  }
  return {
    panels: await numbersOf('SELECT id, key AS name FROM panels'),
    agents: await numbersOf('SELECT id, agent_id AS name FROM agents'),
    isps: await numbersOf('SELECT id, name FROM isps'),
    packages: await numbersOf(
      `SELECT packages.id, isps.name || ':' || packages.name AS name FROM packages JOIN isps ON isps.id = isp_id`,
    ),
  }
}

/** Makes one change for every span, in the order of days. Some changes are backdated further than the API permits. */
async function writeTimelines(
  { superuserUrl }: World,
  { agents, panels }: Dataset,
  numbers: Numbers,
  owner: string,
): Promise<void> {
  const owned = new Set(panels.filter((panel) => panel.owner === owner).map(({ key }) => key))
  const spans = agents
    .filter(({ panel }) => owned.has(panel))
    .flatMap(({ id, timeline }) =>
      timeline.map(({ fromDay, isp, package: name, zone, custom }) => ({
        agent: numbers.agents.get(id),
        day: dayText(fromDay),
        isp: isp === null ? null : numbers.isps.get(isp),
        package: name === null ? null : numbers.packages.get(`${isp}:${name}`),
        zone,
        custom,
      })),
    )
  await runSql(
    superuserUrl,
    `BEGIN;
     SELECT set_config('broadgauge.organisation', (SELECT id::text FROM organisations WHERE key = '${owner}'), true);
     SELECT change_metadata(ARRAY[agent], NULL, 'reference', '{}', day, true, isp, package,
       true, (SELECT id FROM zones WHERE name = zone), custom, '{}', true)
     FROM (
       SELECT * FROM jsonb_to_recordset($json$${JSON.stringify(spans)}$json$)
         AS span (agent integer, day date, isp integer, package integer, zone text, custom jsonb)
       ORDER BY agent, day OFFSET 0
     ) AS ordered;
     COMMIT`,
  )
}

const rowsPerInsert = 20_000

async function writeResults(world: World, { results }: Dataset): Promise<void> {
  for (const [test, all] of results) {
    const rows = all.map(({ panel, agent, endedAt, storedAt, row }) => ({
      ...row,
      panel,
      agent: agent.id,
      dtime: textOf(endedAt),
      ingested_at: textOf(storedAt),
    }))
    for (let from = 0; from < rows.length; from += rowsPerInsert)
      await storeFacts(world, test, rows.slice(from, from + rowsPerInsert))
  }
}

const textOf = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, 23)

async function loadDictionaries(world: World): Promise<void> {
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  const postgres = openPostgres({ url, connectionsMax: 2, observe: () => {} })
  const clickhouse = world.engine('DICTIONARY')
  await publishSpeeds({ postgres, clickhouse })
  const compacted = await compactDictionaries({ postgres, clickhouse, observe: () => {} }, Number.MAX_VALUE)
  await postgres.close()
  if (!compacted) throw new Error('the dictionaries were not loaded')
}
