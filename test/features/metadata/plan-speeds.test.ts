import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeTimelines } from '../../../src/engine/postgres/operator/change-timelines.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../../src/engine/postgres/operator/import-packages.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import type { Operator } from '../../../src/engine/postgres/operator/operator.ts'
import { createProgram } from '../../../src/serve/program.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { until } from '../../faults/attempt.ts'
import { newSeed, rollDice } from '../../faults/dice.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { settle } from '../../kit/settle.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { daysOfRange, PlanHistories, rollSpeeds, type Import } from './plan-speed-histories.ts'

/**
 * Each history has a package, and an agent that changes between this package and that of the next history. Only the deep run
 * uses a new seed. So the ordinary run fails only if the code has changed.
 */
const historyCount = 2_000
const resultsOfAgent = 6
const bytesPerSecond = 7_654_321
const dice = rollDice(process.env['BROADGAUGE_TEST_DEEP'] === '1' ? newSeed() : 33)
const histories = new PlanHistories(historyCount, dice)

const first = Temporal.PlainDate.from('2025-02-20')
const dayText = (day: number): string => first.add({ days: day }).toString()
const dayNumber = (text: string): number => first.until(text).days

/** The package of an agent from a day on, by the number of its history. Null: no package. */
type Move = { day: number; history: number | null }
const moves: Move[][] = histories.all.map((index) =>
  [...new Set(Array.from({ length: dice.between(1, 4) }, () => dice.between(0, daysOfRange)))]
    .toSorted((one, other) => one - other)
    .map((day) => ({ day, history: dice.pick([index, (index + 1) % historyCount, null]) })),
)

const packageOf = (history: number): string => `Package ${history}`
const agentOf = (history: number): string => `agent-${history}`

async function importAll(operator: Operator, imported: Import): Promise<void> {
  histories.record(imported)
  const rows = [...imported.speeds].map(([history, { download, upload }], line) => ({
    line,
    row: { isp: 'Acme', package: packageOf(history), download_bits_sec: download, upload_bits_sec: upload },
  }))
  await importPackages(operator, asLines(rows), () => {}, dayText(imported.day))
}

/** At the first instant of a day if the index is even, else at its last millisecond. */
type Result = { history: number; day: number; index: number }

/** Half of the results are on a day from which an import holds, or on the day before. */
const results: Result[] = histories.all.flatMap((history) =>
  Array.from({ length: resultsOfAgent }, (_, index) => {
    const day = index < 3 ? dice.between(0, daysOfRange) : dice.pick(histories.days) - dice.between(0, 1)
    return { history, day: Math.max(day, 0), index }
  }),
)

async function storeResults(some: readonly Result[]): Promise<void> {
  for (const test of ['httpget', 'httppost']) {
    const facts = some.map(({ history, day, index }) => ({
      agent: agentOf(history),
      dtime: `${dayText(day)} ${index % 2 === 0 ? '00:00:00.000' : '23:59:59.999'}`,
      target: `target-${index}`,
      bytes_sec: bytesPerSecond,
    }))
    await storeFacts(world, test, facts)
  }
}

let world: World
let service: Service
let authorization: string
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'broadgauge-plan-speeds-'))
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  const imports = histories.rollImports(dice)
  await world.operate(async (operator) => {
    for (const imported of imports) await importAll(operator, imported)
  })
  console.log(
    `plan histories: seed ${dice.seed}, ${historyCount} histories, ${imports.length} imports`,
    histories.coverage,
  )
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'Homes', owner: 'acme' })
    const agents = histories.all.map((history, line) => ({
      line,
      row: agent({ agent_id: agentOf(history), unit_id: `${line}` }),
    }))
    await importAgents(operator, 'homes', asLines(agents), () => {})
    const spans = moves.flatMap((own, history) =>
      own.map((move) => ({
        agent_id: agentOf(history),
        from_day: dayText(move.day),
        isp: 'Acme',
        package: move.history === null ? null : packageOf(move.history),
        timezone: null,
        custom: '{}',
      })),
    )
    const lines = asLines(spans.map((row, line) => ({ line, row })))
    await changeTimelines(operator, 'homes', lines, { requestId: 'plans', request: {} }, () => {})
  })
  await storeResults(results)
  authorization = await token(world, 'acme')
  await settle(world)
  service = await world.serve()
}, 180_000)
afterAll(async () => {
  await rm(folder, { recursive: true })
  await world.close()
})

type Point = Record<string, unknown>

async function ask(request: Record<string, unknown>): Promise<Point[]> {
  const answer = await call(`${service.addresses.api}/metric_data`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      normalised: false,
      prefilter: false,
      time: { from: dayText(0), to: dayText(daysOfRange) },
      relativeTo: 'plan',
      ...request,
    }),
  })
  expect(answer.body).toMatchObject({ code: 'OK' })
  const series = answer.body['data'] as { metricData: Point[] }[]
  return series.flatMap(({ metricData }) => metricData)
}

const metrics = { download: 'httpget', upload: 'httppost' } as const
type Direction = keyof typeof metrics

/** The single results as percentages, as sorted lines. */
async function answered(direction: Direction, from = 0, to = daysOfRange): Promise<string[]> {
  const time = { from: dayText(from), to: dayText(to) }
  const points = await ask({ metric: metrics[direction], chartType: 'raw', splits: ['package'], time })
  return points
    .map((point) => [point['dtime'], point['agent'], point['package'], point['metricValue']].map(String).join(' '))
    .toSorted()
}

/** What the model expects. */
function expected(direction: Direction, some: readonly Result[] = results): string[] {
  const lines = some.flatMap(({ history, day, index }) => {
    const plan = moves[history]?.findLast((one) => one.day <= day)?.history ?? null
    const speed = plan === null ? null : (histories.speedsOn(plan, day)?.[direction] ?? null)
    if (plan === null || speed === null) return []
    const time = index % 2 === 0 ? '00:00:00' : '23:59:59'
    return [`${dayText(day)}T${time} ${agentOf(history)} Acme:${packageOf(plan)} ${percentage(speed)}`]
  })
  return lines.toSorted()
}

/** Rounded to a whole number of 1e-12 %, halves up. */
function percentage(bitsPerSecond: number): number {
  const speed = BigInt(bitsPerSecond)
  return Number((BigInt(bytesPerSecond) * 800_000_000_000_000n + speed / 2n) / speed) / 1e12
}

it('draws histories that a wrong rule would get wrong', () => {
  for (const count of Object.values(histories.coverage)) expect(count).toBeGreaterThan(historyCount / 8)
})

it('stores the speeds of every package on every day as the definition says', async () => {
  const rows = await runSql<{ name: string; days: string[]; download: string[]; upload: string[] }>(
    world.superuserUrl,
    `SELECT name, days::text[] AS days, download, upload
     FROM dictionary_package_speeds JOIN packages ON packages.id = package_id`,
  )
  const stored = new Map(rows.map((row) => [row.name, row]))
  const days = Array.from({ length: daysOfRange + 1 }, (_, day) => ({ day, text: dayText(day) }))
  const wrong = histories.all.flatMap((history) => {
    const found = stored.get(packageOf(history))
    return days.flatMap(({ day, text }) => {
      const at = found?.days.findLastIndex((from) => from <= text) ?? -1
      const speeds = histories.speedsOn(history, day)
      const isRight =
        Number(found?.download[at] ?? 0) === (speeds?.download ?? 0) &&
        Number(found?.upload[at] ?? 0) === (speeds?.upload ?? 0)
      return isRight ? [] : [{ history, day, found, own: histories.of(history) }]
    })
  })
  expect(wrong.slice(0, 3), `seed ${dice.seed}`).toEqual([])
})

it.each(['download', 'upload'] as const)('divides every result by its %s speed as of its day', async (direction) => {
  const lines = expected(direction)
  expect(lines.length).toBeGreaterThan(results.length / 4)
  expect(await answered(direction), `seed ${dice.seed}`).toEqual(lines)
  const [total] = await ask({
    metric: metrics[direction],
    chartType: 'aggregate',
    aggregation: 'total',
    fields: ['sampleCount'],
  })
  expect(total).toEqual({ sampleCount: lines.length, resultsWithoutPlan: results.length - lines.length })
})

/** Imports new speeds of all packages that have had speeds, with the command, and waits until ClickHouse has loaded them. */
async function correctAll(...from: string[]): Promise<Import['speeds']> {
  const speeds = new Map(
    histories.all.filter((one) => histories.of(one).length > 0).map((one) => [one, rollSpeeds(dice)] as const),
  )
  const mbps = (bits: number | null): string => (bits === null ? '' : (bits / 1e6).toFixed(6))
  const lines = [...speeds].map(
    ([history, { download, upload }]) => `Acme,${packageOf(history)},${mbps(download)},${mbps(upload)}\n`,
  )
  const path = join(folder, 'corrected.csv')
  await writeFile(path, `isp,package,download_mbps,upload_mbps\n${lines.join('')}`)
  const program = createProgram({ environment: world.environment, write: () => {}, warn: () => {} })
  await program.parseAsync(['package', 'import', path, ...from], { from: 'user' })
  const unpublished = 'SELECT id FROM package_speeds WHERE NOT published LIMIT 1'
  await until(async () => (await runSql(world.superuserUrl, unpublished)).length === 0, 20_000)
  return speeds
}

it('leaves the ratios of last year as they are when speeds are corrected today', async () => {
  const directions = ['download', 'upload'] as const
  const before = await Promise.all(directions.map((direction) => answered(direction)))
  const speeds = await correctAll()
  // Read the day from the table, because midnight may have passed since the start of the command.
  const recorded = await runSql<{ day: string }>(
    world.superuserUrl,
    `SELECT DISTINCT from_day::text AS day FROM package_speeds WHERE from_day > '${dayText(daysOfRange)}'`,
  )
  expect(recorded).toHaveLength(1)
  const today = dayNumber(recorded[0]?.day ?? '')
  expect(await Promise.all(directions.map((direction) => answered(direction)))).toEqual(before)

  histories.record({ day: today, speeds })
  const around = histories.all.flatMap((history): Result[] => [
    { history, day: today - 1, index: 1 },
    { history, day: today, index: 0 },
  ])
  await storeResults(around)
  for (const direction of directions) {
    expect(await answered(direction, today - 1, today)).toEqual(expected(direction, around))
  }
})

it('changes the ratios from the first day of a backdated correction on, and none of earlier days', async () => {
  const day = Math.floor(daysOfRange / 2)
  const before = await answered('download')
  const speeds = await correctAll('--from', dayText(day))
  histories.record({ day, speeds })
  const after = await answered('download')
  const isEarlier = (line: string): boolean => line < dayText(day)
  expect(after.filter(isEarlier)).toEqual(before.filter(isEarlier))
  expect(after).toEqual(expected('download'))
  const kept = new Set(before)
  const later = after.filter((line) => !isEarlier(line))
  expect(later.filter((line) => !kept.has(line)).length).toBeGreaterThan(later.length / 2)
})

it('uses an imported speed within 5 s, without any change of an agent', { timeout: 60_000 }, async () => {
  const measured = results.find(({ history, day }) => {
    const move = moves[history]?.findLast((one) => one.day <= day)
    return move?.history === history
  })
  const { history = 0, day = 0 } = measured ?? {}
  const filters = [{ id: 'agent', filterType: 'include', filterValues: [agentOf(history)] }]
  const range = { from: `${dayText(day)} 00:00`, to: `${dayText(day)} 23:59:59` }
  const times: number[] = []
  for (let trial = 1; trial <= 5; trial += 1) {
    const speed = 11_000_000 * trial
    const row = { isp: 'Acme', package: packageOf(history), download_bits_sec: speed, upload_bits_sec: null }
    await world.operate((operator) => importPackages(operator, asLines([{ line: 1, row }]), () => {}, dayText(day)))
    const isUsed = async () => {
      const points = await ask({ metric: 'httpget', chartType: 'raw', time: range, filters })
      return points[0]?.['metricValue'] === percentage(speed)
    }
    times.push(await until(isUsed, 5_000))
  }
  console.log(`plan speeds: worst ${Math.max(...times).toFixed(0)} ms`)
  expect(Math.max(...times)).toBeLessThan(5_000)
})
