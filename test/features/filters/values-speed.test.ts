import { afterAll, beforeAll, expect, it } from 'vitest'
import { searchFactValues } from '../../../src/compile/values/search-values.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { note, panelOf } from './values-world.ts'

/**
 * A search among a million distinct values must be as fast as a search among a few. A search for a typed text must not
 * scan all values.
 */
const valuesCount = 1_000_000

let world: World
let service: Service
let reader: string

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await organisation(world, 'rival')
  await panelOf(world, 'homes', 'acme', [{ agent_id: 'a1' }])
  await panelOf(world, 'others', 'rival', [{ agent_id: 'r1' }])
  const [node] = world.engine('INGEST').nodes
  for (const [panel, agent] of [
    [1, 1],
    [2, 2],
  ]) {
    await node?.command({
      query: `
        INSERT INTO ${world.name}.ping (panel, agent, dtime, target, successes, failures)
        SELECT ${panel}, ${agent}, toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalSecond(number),
          concat(char(97 + number % 26), hex(cityHash64(number, ${panel})), if(number % 2 = 0, '.Example.net', '.example.org')), 1, 0
        FROM numbers(${valuesCount / 2}) SETTINGS distributed_foreground_insert = 1`,
    })
  }
  await note(world)
  reader = await token(world, 'acme')
  service = await world.serve()
}, 180_000)
afterAll(() => world.close())

const search = async (text: string, id = 'target'): Promise<{ milliseconds: number; values: string[] }> => {
  const startedAt = performance.now()
  const answer = await call(`${service.addresses.api}/filters/${id}/values?search=${text}`, { token: reader })
  const milliseconds = performance.now() - startedAt
  return { milliseconds, values: (answer.body['data'] as { value: string }[]).map(({ value }) => value) }
}

const medianOf = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Infinity

const prefixes = ['', 'a', 'B', 'c0', 'd1F', 'e', 'z9', 'k', 'x0', 'm']

it('answers a prefix among a million values within the time of a keystroke', async () => {
  await search('')
  const times: number[] = []
  const few: number[] = []
  for (const text of [...prefixes, ...prefixes]) {
    const { milliseconds, values } = await search(text)
    expect(values).toHaveLength(20)
    for (const value of values) expect(value.toLowerCase().startsWith(text.toLowerCase())).toBe(true)
    times.push(milliseconds)
    // Search among a few values, to measure how long a request takes on this machine.
    few.push((await search('4', 'ip_version')).milliseconds)
  }
  const median = medianOf(times)
  console.log(
    `a prefix among ${valuesCount} values: median ${median.toFixed(1)} ms, worst ${Math.max(...times).toFixed(1)} ms; among none: median ${medianOf(few).toFixed(1)} ms`,
  )
  // The service promises 50 ms on a dedicated machine. Tests share their machine, so the bound is higher.
  expect(median).toBeLessThan(50 + 2 * medianOf(few))
}, 60_000)

it('reads a range of the values for a prefix, not all of them', async () => {
  const [node] = world.engine('QUERY').nodes
  const readRows = async (text: string, place: 'prefix' | 'inside') => {
    const { text: query, params } = searchFactValues(
      world.name,
      { column: 'target', panels: [1], tests: ['ping'], text, place },
      160,
    )
    const result = await node?.query({ query, query_params: { ...params }, format: 'JSONCompactEachRow' })
    await result?.text()
    return Number(JSON.parse(String(result?.response_headers['x-clickhouse-summary'])).read_rows)
  }
  for (const text of prefixes) expect(await readRows(text, 'prefix')).toBeLessThan(valuesCount / 5)
  expect(await readRows('no such part', 'inside')).toBeGreaterThanOrEqual(valuesCount / 2)
}, 60_000)

it('finds a substring of a value too', async () => {
  const [some] = (await search('q')).values
  const part = some?.slice(3, 12) ?? ''
  const { milliseconds, values } = await search(part)
  console.log(`a part among ${valuesCount} values: ${milliseconds.toFixed(1)} ms`)
  expect(values).toContain(some)
}, 60_000)
