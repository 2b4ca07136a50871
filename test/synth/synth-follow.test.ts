import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSettings } from '../../src/serve/config.ts'
import { continuePanel } from '../../src/serve/tasks/synthesize-panel.ts'
import { organisation } from '../kit/panels.ts'
import { optionsOf, synthPanel } from '../kit/synth-panel.ts'
import { openWorld, type World } from '../kit/world.ts'

const panel = { agents: 20, days: 2, owner: 'acme', panel: 'small', tests: ['httpget', 'dns', 'traceroute'] }
const worlds: World[] = []
let inSteps: World
let atOnce: World

beforeAll(async () => {
  inSteps = await openWorld({ clickhouse: true })
  atOnce = await openWorld({ clickhouse: true })
  worlds.push(inSteps, atOnce)
  for (const world of worlds) {
    await organisation(world, 'acme')
    await synthPanel(world, panel)
  }
}, 240_000)
afterAll(() => Promise.all(worlds.map((world) => world.close())))

const continueUntil = (world: World, until: string, tests = panel.tests) =>
  continuePanel(readSettings(world.environment), optionsOf({ ...panel, tests }), Temporal.Instant.from(until))

async function rowsOf(world: World, test: string, columns: string): Promise<unknown> {
  const result = await world.engine('QUERY').nodes[0]?.query({
    query: `SELECT count() AS rows, uniqExact(agent, dtime, toString(tuple(${columns}))) AS different,
      hex(groupBitXor(cityHash64(agent, dtime, toString(tuple(${columns}))))) AS sum,
      toString(max(dtime)) AS last FROM ${world.name}.${test} WHERE dtime >= '2026-04-16'`,
    format: 'JSONEachRow',
  })
  const [row] = (await result?.json<{ rows: string; different: string }>()) ?? []
  return row
}

it('continues a panel hour by hour with the rows that it writes at once, and writes none twice', async () => {
  await continueUntil(inSteps, '2026-04-16T07:00Z')
  await continueUntil(inSteps, '2026-04-16T07:00Z')
  // A test that is ahead of the others waits for them.
  await continueUntil(inSteps, '2026-04-16T10:00Z', ['dns'])
  await continueUntil(inSteps, '2026-04-16T09:00Z')
  await continueUntil(inSteps, '2026-04-17T03:00Z')
  await continueUntil(atOnce, '2026-04-17T03:00Z')
  for (const [test, columns] of [
    ['httpget', 'threads, bytes_sec'],
    ['dns', 'successes, rtt'],
    ['traceroute', 'hop, rtt_avg'],
  ] as const) {
    const row = (await rowsOf(inSteps, test, columns)) as { rows: string; different: string; last: string }
    expect(row).toEqual(await rowsOf(atOnce, test, columns))
    expect(Number(row.rows)).toBeGreaterThan(200)
    expect(row.different).toBe(row.rows)
    expect(row.last < '2026-04-17 03:00').toBe(true)
    expect(row.last > '2026-04-17 00').toBe(true)
  }
}, 240_000)
