import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../../src/base/limits.ts'
import { bind, sql, statement } from '../../../src/base/sql.ts'
import { packageName, spanAsOf, spanAttribute } from '../../../src/compile/metric/metadata-as-of.ts'
import { importPackages } from '../../../src/engine/postgres/operator/import-packages.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { reconcileDictionaries } from '../../../src/jobs/dictionaries/reconcile-dictionaries.ts'
import { deadAddress, nodesAt, silentAddress } from '../../engine/clickhouse/absent-nodes.ts'
import { until } from '../../faults/attempt.ts'
import { asLines, organisation, panel } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const packages = ['One', 'Two', 'Three', 'Four'].map((name, line) => ({
    line,
    row: { isp: 'Acme', package: name, download_bits_sec: null, upload_bits_sec: null },
  }))
  await world.operate((operator) => importPackages(operator, asLines(packages), () => {}))
  await panel(world, 'homes', 'acme', ['whitebox'])
})
afterAll(() => world.close())

/** Sets the agent's package from today on. The event lists `agents` agents, but only the first agent exists. */
const change = (wanted: string, agents = 1) =>
  runSql(
    world.superuserUrl,
    `BEGIN; SET LOCAL broadgauge.organisation = '1';
     SELECT change_metadata(ARRAY[1], NULL, 'x', '{}', (now() AT TIME ZONE 'UTC')::date, true, 1,
       (SELECT id FROM packages WHERE name = '${wanted}'), false, NULL::smallint, '{}', '{}', false);
     UPDATE metadata_events SET agents = agents || ARRAY(SELECT generate_series(1000001, 1000000 + ${agents - 1}))
       WHERE id = (SELECT max(id) FROM metadata_events);
     COMMIT`,
  )

async function shown(): Promise<string | null> {
  const { name: database } = world
  const wanted = packageName(database, spanAttribute(database, 'package_id', spanAsOf(database)))
  const query = statement(sql`SELECT ${wanted} AS package FROM (SELECT ${bind('UInt32', 1)} AS agent, now() AS dtime)`)
  const [node] = engine().nodes
  const result = await node?.query({ query: query.text, query_params: query.params, format: 'JSONEachRow' })
  return (await result?.json<{ package: string | null }>())?.[0]?.package ?? null
}
let opened: ReturnType<World['engine']> | null = null
const engine = () => (opened ??= world.engine('QUERY'))

/**
 * Waits until a query sees the package, which usually takes two or three seconds. If the reconciler waited for the
 * unavailable node, no query would see it.
 */
const seen = (wanted: string) => until(async () => (await shown()) === `Acme:${wanted}`, 12_000)

/** Runs the reconciler while `work` runs, with one additional node at `url`. */
async function withReconciler(url: string, work: () => Promise<void>): Promise<void> {
  await using extra = nodesAt(world, [url])
  const postgres = openPostgres({
    url: world.environment['BROADGAUGE_POSTGRES_URL'] ?? '',
    connectionsMax: 4,
    observe: () => {},
  })
  const clickhouse = world.engine('DICTIONARY')
  const stores = { postgres, clickhouse: { ...clickhouse, nodes: [...extra.nodes, ...clickhouse.nodes] } }
  const reconciler = reconcileDictionaries({ ...stores, observe: () => {} })
  try {
    await work()
  } finally {
    await reconciler.close()
    await postgres.close()
  }
}

const uncompacted = async () => (await runSql(world.superuserUrl, 'SELECT FROM find_uncompacted_events()')).length

describe.each(['refuses connections', 'is silent'])('while a node %s', (how) => {
  it('shows every change on the other nodes within seconds, also of more agents than the small dictionaries can take', async () => {
    await using silent = await silentAddress()
    await withReconciler(how === 'is silent' ? silent.url : await deadAddress(), async () => {
      await change('One')
      await seen('One')
      await change('Two', limits.publishedAgentsMax + 1)
      await seen('Two')
      await change('Three')
      await seen('Three')
      expect(await uncompacted()).toBeGreaterThan(0)
    })
  }, 120_000)
})

it('compacts all changes into the large dictionaries as soon as every node is available', async () => {
  const [url = ''] = (world.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '').split(',')
  await withReconciler(url, async () => {
    await until(async () => (await uncompacted()) === 0, 10_000)
    expect(await shown()).toBe('Acme:Three')
    await change('Four')
    await seen('Four')
  })
})
