import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProgram } from '../../../src/serve/program.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
})
afterAll(() => world.close())

async function synth(...words: string[]): Promise<string> {
  let text = ''
  const program = createProgram({ environment: world.environment, write: (more) => void (text += more) })
  await program.parseAsync(['synth', ...words], { from: 'user' })
  return text
}

const count = async (table: string): Promise<number> =>
  (await runSql<{ n: number }>(world.superuserUrl, `SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? -1

it('refuses invalid options before it writes anything', async () => {
  const refused = (message: string, ...words: string[]) =>
    expect(synth('--agents', '5', '--days', '1', ...words)).rejects.toThrow(message)
  await refused('--tests takes httpget, httppost, dns', '--tests', 'dsn')
  await refused('--kinds takes whitebox, cpe, mobile, web', '--kinds', 'toaster')
  await refused('--isp takes one of Acme Broadband', '--isp', 'Nobody')
  await refused('--geography takes united-kingdom or odd-zones', '--geography', 'mars')
  await refused('--until takes a day', '--until', 'yesterday')
  await refused('--agents takes a number from 1', '--agents', '0')
  await refused('--seed takes a whole number', '--seed', '-1')
  await refused('There is no organisation "nobody"', '--owner', 'nobody')
  expect([await count('organisations'), await count('panels'), await count('agents')]).toEqual([0, 0, 0])
})

it('writes a panel up to yesterday for its own organisation, and reports the number of rows of each test', async () => {
  const words = ['--agents', '20', '--days', '2', '--tests', 'dns,mobile_www', '--json']
  const written = JSON.parse(await synth(...words)) as { test: string; rows: number }[]
  expect(written.map(({ test }) => test)).toEqual(['dns', 'mobile_www'])
  expect(written[0]?.rows).toBeGreaterThan(500)
  expect(JSON.parse(await synth(...words))).toEqual(written)
  const result = await world.engine('QUERY').nodes[0]?.query({
    query: `SELECT toString(toDate(max(dtime))) AS last, toString(toDate(min(dtime))) AS first FROM ${world.name}.dns`,
    format: 'JSONEachRow',
  })
  const yesterday = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
  expect(await result?.json()).toEqual([
    { first: yesterday.subtract({ days: 1 }).toString(), last: yesterday.toString() },
  ])
  expect([await count('organisations'), await count('panels'), await count('agents')]).toEqual([1, 1, 20])
}, 60_000)
