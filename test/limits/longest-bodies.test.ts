import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { childService, type ChildService } from '../faults/child-service.ts'
import { storeFacts } from '../kit/facts.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { isHardlySlower, watchService, type Seen } from '../kit/watch-service.ts'
import { openWorld, type World } from '../kit/world.ts'

let world: World
let service: ChildService
let attacker: string
let other: string

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  for (const key of ['attacker', 'other']) {
    await organisation(world, key)
    await panel(world, key, key, ['whitebox'])
  }
  attacker = await token(world, 'attacker')
  other = await token(world, 'other')
  await storeFacts(world, 'ping', [{ agent: 'other-whitebox', dtime: '2026-01-01 00:00:00.000', rtt_avg: 1_000 }])
  service = await childService(world.environment)
  await service.start()
}, 60_000)
afterAll(async () => {
  await service.stop()
  await world.close()
})

const question = (filterValues: string[]) =>
  JSON.stringify({
    metric: 'ping',
    chartType: 'aggregate',
    aggregation: 'total',
    normalised: false,
    prefilter: false,
    filters: [{ id: 'target', filterType: 'exclude', filterValues }],
    time: { from: '2026-01-01 00:00', to: '2026-01-01 23:59:59' },
  })

/**
 * Returns the status of the response, or null if the service refused the request before the request was sent
 * completely.
 */
async function ask(secret: string, body: string): Promise<number | null> {
  const headers = { authorization: secret, 'content-type': 'application/json' }
  try {
    const response = await fetch(`${service.address}/metric_data`, { method: 'POST', headers, body })
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}

const longValues = (count: number) => question(Array.from({ length: count }, () => 'a'.repeat(19_999)))

/** A JSON array of at most `bytes` bytes. `part` returns the items of the array. */
function junk(bytes: number, part: (index: number) => string): string {
  let items = part(0)
  for (let index = 1; items.length + part(index).length + 3 <= bytes; index += 1) items += `,${part(index)}`
  return `[${items}]`
}

const junkParts: readonly ((index: number) => string)[] = [
  () => '0',
  () => '[]',
  () => '"a"',
  () => String.raw`"\n"`,
  (index) => `{"${index.toString(36)}":0}`,
  () => `${'['.repeat(98)}${']'.repeat(98)}`,
]

/**
 * Lists of bodies. The bodies of the first and the third list fit into the default limit. The service refuses the other
 * bodies unless the operator raises the limit. The test sends the lists concurrently, and the bodies of a list one
 * after another.
 */
const attacks = [
  [longValues(12)],
  [longValues(50)],
  junkParts.map((part) => junk(256 * 1024, part)),
  junkParts.map((part) => junk(1024 * 1024, part)),
]

const watch = (milliseconds: number) => watchService(service, () => ask(other, question(['none'])), milliseconds)

type Attacked = Seen & { readonly answers: ReadonlyMap<number | null, number> }

async function watchAttacked(milliseconds: number): Promise<Attacked> {
  const ending = new AbortController()
  const answers = new Map<number | null, number>()
  const attacking = attacks.map(async (bodies) => {
    for (let turn = 0; !ending.signal.aborted; turn += 1) {
      const status = await ask(attacker, bodies[turn % bodies.length] ?? '')
      answers.set(status, (answers.get(status) ?? 0) + 1)
      await pause(20)
    }
  })
  const seen = await watch(milliseconds).finally(() => ending.abort())
  await Promise.all(attacking)
  return { ...seen, answers }
}

it('a tenant that sends the longest bodies hardly delays another one', async () => {
  await watchAttacked(1_000)
  const rounds: string[] = []
  // Other load on the machine can make a round slow, so one good round is enough. An effect of the attack would show in
  // every round.
  for (let round = 0; round < 4; round += 1) {
    const quiet = await watch(1_500)
    const { answers, ...seen } = await watchAttacked(2_000)
    expect([...answers.keys()]).toEqual(expect.arrayContaining([200, 413, 422]))
    rounds.push(JSON.stringify({ quiet, attacked: seen, answers: [...answers] }))
    if (isHardlySlower(quiet, seen)) return
  }
  expect.fail(rounds.join('\n'))
}, 300_000)
