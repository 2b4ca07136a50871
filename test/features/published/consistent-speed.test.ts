import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { createProgram } from '../../../src/serve/program.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { until } from '../../faults/attempt.ts'
import { newSeed, rollDice } from '../../faults/dice.ts'
import { call } from '../../kit/call.ts'
import { reloadAgents } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { settle } from '../../kit/settle.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { month, writeMonth } from './published-month.ts'

/** Debian's package of numpy belongs to Debian's Python. */
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/** Only the deep run uses a new seed. So the ordinary run fails only if the code has changed. */
const dice = rollDice(process.env['BROADGAUGE_TEST_DEEP'] === '1' ? newSeed() : 8080)

type Figure = {
  consistentSpeed: number
  mean: number
  agentCount: number
  sampleCount: number
  agentsBelowMinimum: number
  resultsWithoutPlan: number
}
type Figures = Record<string, Figure>
type Found = Record<'httpget' | 'httppost', Record<'all' | 'prefiltered', Figures>>
type Report = { total: { accepted: number; rejected: number; duplicates: number }; failures: string[] }

let world: World
let service: Service
let authorization: string
let folder: string
let files: Awaited<ReturnType<typeof writeMonth>>
let report: Report
let recomputed: Found

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'broadgauge-consistent-speed-'))
  files = await writeMonth(folder, dice)
  recomputed = recompute()
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await world.operate((operator) => createPanel(operator, { key: 'mba', name: 'MBA', owner: 'acme' }))
  const options = ['--panel', 'mba', '--profile', files.profile, '--from', month.profileFrom, '--json']
  report = JSON.parse(await run('import', 'fcc-mba', files.raw, ...options)) as Report
  await settle(world)
  await reloadAgents(world)
  authorization = await token(world, 'acme')
  service = await world.serve()
}, 120_000)
afterAll(async () => {
  await rm(folder, { recursive: true })
  await world.close()
})

async function run(...words: string[]): Promise<string> {
  let said = ''
  const write = (text: string): void => void (said += text)
  await createProgram({ environment: world.environment, write, warn: () => {} }).parseAsync(words, { from: 'user' })
  return said
}

function recompute(...packages: string[]): Found {
  const script = join(import.meta.dirname, 'consistent-speed.py')
  const words = [script, files.raw, month.profileFrom, ...packages]
  return JSON.parse(execFileSync(python, words, { encoding: 'utf8' })) as Found
}

/** What the service answers, by ISP. */
async function answered(metric: string, prefilter: boolean): Promise<Figures> {
  const answer = await call(`${service.addresses.api}/metric_data`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      preset: 'fcc.consistent-speed',
      metric,
      chartType: 'aggregate',
      aggregation: 'total',
      normalised: false,
      prefilter,
      panel: 'mba',
      time: { from: '2023-02-01', to: '2023-04-30' },
      splits: ['isp'],
    }),
  })
  expect(answer.body, answer.text.slice(0, 500)).toMatchObject({ code: 'OK' })
  type Point = Omit<Figure, 'mean' | 'consistentSpeed'> & {
    isp: string
    metricValue: number
    percentiles: { 20: number }
  }
  const points = (answer.body['data'] as { metricData: Point[] }[]).flatMap(({ metricData }) => metricData)
  return Object.fromEntries(
    points.map(({ isp, metricValue, percentiles, agentCount, sampleCount, agentsBelowMinimum, resultsWithoutPlan }) => [
      isp,
      {
        consistentSpeed: percentiles[20],
        mean: metricValue,
        agentCount,
        sampleCount,
        agentsBelowMinimum,
        resultsWithoutPlan,
      },
    ]),
  )
}

/** Returns the largest relative difference of the figures. Numbers of homes and results are equal. */
async function compare(found: Found): Promise<number> {
  let worst = 0
  for (const metric of ['httpget', 'httppost'] as const) {
    for (const kind of ['all', 'prefiltered'] as const) {
      const expected = found[metric][kind]
      const actual = await answered(metric, kind === 'prefiltered')
      const about = `seed ${dice.seed}, ${metric}, ${kind}`
      expect(Object.keys(actual).toSorted(), about).toEqual(Object.keys(expected).toSorted())
      for (const [isp, { consistentSpeed, mean, ...counts }] of Object.entries(expected)) {
        const { consistentSpeed: speed = NaN, mean: average = NaN, ...own } = actual[isp] ?? {}
        expect(own, `${about}, ${isp}`).toEqual(counts)
        const difference = Math.max(Math.abs(speed / consistentSpeed - 1), Math.abs(average / mean - 1))
        expect(
          difference,
          `${about}, ${isp}: ${speed} and ${average}, not ${consistentSpeed} and ${mean}`,
        ).toBeLessThan(1e-9)
        worst = Math.max(worst, difference)
      }
    }
  }
  return worst
}

const describe = (figures: Figures): string =>
  Object.entries(figures)
    .map(([isp, { consistentSpeed, agentCount }]) => `${isp} ${consistentSpeed.toFixed(2)} % of ${agentCount} homes`)
    .join(', ')

it('imports every whole test of the published files once', () => {
  expect(report).toMatchObject({ failures: [], total: { rejected: 0, duplicates: 0 } })
  expect(report.total.accepted).toBeGreaterThan(5_000)
})

it('has the 80/80 consistent speed of each ISP that a script computes from the same files', async () => {
  const { all, prefiltered } = recomputed.httpget
  expect(Object.keys(all).toSorted()).toEqual(['Comcast', 'Verizon', 'Windstream'])
  expect(all['Windstream']?.resultsWithoutPlan).toBeGreaterThan(100)
  const figures = Object.values(all)
  expect(figures.reduce((sum, { agentsBelowMinimum }) => sum + agentsBelowMinimum, 0)).toBeGreaterThan(0)
  expect(all).not.toEqual(prefiltered)
  const worst = await compare(recomputed)
  console.log(`consistent speed: seed ${dice.seed}, ${describe(all)}; largest difference ${worst.toExponential(1)}`)
})

it('has the figures of the script also after a correction of the packages, from its first day on', async () => {
  await run('package', 'import', files.packages, '--from', month.correctedFrom)
  const unpublished = 'SELECT id FROM package_speeds WHERE NOT published LIMIT 1'
  await until(async () => (await runSql(world.superuserUrl, unpublished)).length === 0, 20_000)
  const found = recompute(files.packages, month.correctedFrom)
  for (const isp of ['Comcast', 'Windstream'])
    expect(found.httpget.all[isp]?.mean).not.toBe(recomputed.httpget.all[isp]?.mean)
  expect(found.httpget.all['Verizon']).toEqual(recomputed.httpget.all['Verizon'])
  const worst = await compare(found)
  console.log(
    `consistent speed: corrected, ${describe(found.httpget.all)}; largest difference ${worst.toExponential(1)}`,
  )
})
