import { changeTimelines } from '../../../../src/engine/postgres/operator/change-timelines.ts'
import type { Service } from '../../../../src/serve/wiring/service.ts'
import type { Dice } from '../../../faults/dice.ts'
import { call, type Answer } from '../../../kit/call.ts'
import { storeFacts } from '../../../kit/facts.ts'
import { asLines, organisation, token } from '../../../kit/panels.ts'
import { settle } from '../../../kit/settle.ts'
import { openWorld, type World } from '../../../kit/world.ts'
import { packages, panelOf } from '../values-world.ts'

type Value = string | number | null
/** A result: its number, which is also its value in Mbit/s, and the values of all dimensions. */
export type Row = { readonly number: number; readonly values: Readonly<Record<string, Value>> }

type Span = {
  readonly from: string
  readonly isp: string
  readonly package: string | null
  readonly zone: string | null
  readonly custom: Readonly<Record<string, string>>
}

const offsets: Readonly<Record<string, number>> = { UTC: 0, 'Asia/Kolkata': 19_800, 'America/Bogota': -18_000 }
const ispNames = ['Acme', 'acme', 'Åkre Net', 'B.T (old)', '50%_off', "O'Neil"]
const packageNames = ['Fibre 100', 'Fibre 1000', 'Up to 80']
const regions = ['north', 'North East', 'south', '', 'a\\b', '日本']
const floors = ['2', '2.50', '-1', '10', '0', '1e3', ' 5', '+3', '007', 'ground', '.5', '0.30', '3.']
const targets = ['t1.example', 'T1.example', 't2-example', 'ü.example', 'a\nb', "x'y\\z", '']
const days = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06', '2026-03-07', '2026-03-08']

export type TreeWorld = {
  readonly rows: readonly Row[]
  readonly world: World
  readonly post: (path: string, body: object) => Promise<Answer>
  readonly close: () => Promise<void>
}

/** A service with the results of twelve agents, and with the results of another organisation, which no filter may show. */
export async function openTreeWorld(dice: Dice, results: number): Promise<TreeWorld> {
  const world = await openWorld({ clickhouse: true })
  for (const key of ['acme', 'rival']) await organisation(world, key)
  const names = ispNames.flatMap((isp) => packageNames.map((name): `${string}:${string}` => `${isp}:${name}`))
  await packages(world, names)
  const agents = Array.from({ length: 12 }, (_, index) => ({
    agent_id: `agent-${index}${index % 3 === 0 ? '-x' : ''}`,
    kind: index % 4 === 3 ? ('web' as const) : ('whitebox' as const),
    unit_id: index % 4 === 3 ? null : String(1000 + index * 7),
    base: dice.pick(['model-x', 'model-y', 'Model X', null]),
    country: dice.pick(['GB', 'FR', 'DE', null]),
  }))
  await panelOf(world, 'homes', 'acme', agents)
  await panelOf(world, 'secret', 'rival', [{ agent_id: 'rival-agent' }])
  const spans = new Map(agents.map(({ agent_id }) => [agent_id, rollSpans(dice)]))
  await saySpans(world, spans)
  const rows = Array.from({ length: results }, (_, index) => rollRow(dice, index + 1, agents, spans))
  await storeFacts(
    world,
    'httpget',
    rows.map(({ fact }) => fact),
  )
  const rival = { agent: 'rival-agent', dtime: '2026-03-05 10:00:00.000', target: 't1.example', bytes_sec: 9e9 }
  await storeFacts(world, 'httpget', [{ ...rival, threads: 4, ip_version: 4 }])
  const service: Service = await world.serve()
  await settle(world)
  const authorization = await token(world, 'acme')
  const post = (path: string, body: object): Promise<Answer> =>
    call(`${service.addresses.api}${path}`, {
      method: 'POST',
      token: authorization,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return { rows: rows.map(({ row }) => row), world, post, close: () => world.close() }
}

function rollSpans(dice: Dice): Span[] {
  const starts = dice.pick([[], ['2026-01-01'], ['2026-01-01', '2026-03-05']])
  const custom = () => ({
    ...(dice.between(0, 2) > 0 ? { region: dice.pick(regions) } : {}),
    ...(dice.between(0, 2) > 0 ? { floor: dice.pick(floors) } : {}),
  })
  return starts.map((from, index) => {
    const isp = dice.pick(ispNames)
    const zone = dice.pick(['UTC', 'Asia/Kolkata', 'America/Bogota'])
    // A later step always names a package, because its ISP may differ.
    return {
      from,
      isp,
      package: dice.pick(index === 0 ? [...packageNames, null] : packageNames),
      zone,
      custom: custom(),
    }
  })
}

const saySpans = (world: World, spans: ReadonlyMap<string, readonly Span[]>): Promise<unknown> =>
  world.operate((operator) => {
    const rows = [...spans].flatMap(([agent_id, steps]) =>
      steps.map(({ from, isp, package: name, zone, custom }) => ({
        agent_id,
        from_day: from,
        isp,
        package: name,
        timezone: zone,
        custom: JSON.stringify(custom),
      })),
    )
    const lines = asLines(rows.map((row, line) => ({ line, row })))
    return changeTimelines(operator, 'homes', lines, { requestId: 'test', request: {} }, () => {})
  })

type Agent = {
  readonly agent_id: string
  readonly unit_id: string | null
  readonly base: string | null
  readonly country: string | null
}

function rollRow(
  dice: Dice,
  number: number,
  agents: readonly Agent[],
  spans: ReadonlyMap<string, readonly Span[]>,
): { readonly row: Row; readonly fact: Parameters<typeof storeFacts>[2][number] } {
  const agent = dice.pick(agents)
  const day = dice.pick(days)
  const time = `${String(dice.between(0, 23)).padStart(2, '0')}:${String(dice.between(0, 59)).padStart(2, '0')}:00`
  const known = { isp: null, package: null, zone: null, custom: {} as Readonly<Record<string, string>> }
  const past = (spans.get(agent.agent_id) ?? []).filter(({ from }) => from <= day)
  // A field that a later step does not name keeps its value.
  const span = past.reduce<Omit<Span, 'from' | 'isp'> & { isp: string | null }>(
    (before, step) => ({
      isp: step.isp,
      package: step.package,
      zone: step.zone ?? before.zone,
      custom: { ...before.custom, ...step.custom },
    }),
    known,
  )
  const local = new Date(Date.parse(`${day}T${time}Z`) + 1000 * (offsets[span.zone ?? 'UTC'] ?? 0))
  const weekday = ((local.getUTCDay() + 6) % 7) + 1
  const hour = local.getUTCHours()
  const columns = {
    target: dice.pick(targets),
    target_group: dice.pick(['on-net', 'off-net', null]),
    threads: dice.pick([1, 4, 8, 16, null]),
    ip_version: dice.pick([4, 6, null]),
  }
  const values = {
    isp: span.isp,
    package: span.package === null ? null : `${span.isp}:${span.package}`,
    country: agent.country,
    base: agent.base,
    agent: agent.agent_id,
    unit: agent.unit_id === null ? null : Number(agent.unit_id),
    hour_of_day: hour,
    day_of_week: weekday,
    peak: weekday <= 5 && hour >= 19 && hour <= 22 ? 'peak' : 'off_peak',
    target: columns.target,
    target_set: columns.target_group,
    threads: columns.threads,
    ip_version: columns.ip_version,
    'custom.region': span.custom['region'] ?? null,
    'custom.floor': span.custom['floor'] ?? null,
  }
  const fact = { agent: agent.agent_id, dtime: `${day} ${time}.000`, sequence: number, ...columns }
  return { row: { number, values }, fact: { ...fact, bytes_sec: number * 125_000 } }
}
