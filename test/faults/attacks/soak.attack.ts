import { readFileSync, readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pause } from '../attempt.ts'
import { newSeed, rollDice } from '../dice.ts'
import { judgeLoad } from './judge-load.ts'
import { startMixedLoad } from './mixed-load.ts'
import { openRig, type Rig } from './rig.ts'
import { openTally } from './tally.ts'

const minutes = Number(process.env['BROADGAUGE_FAULTS_MINUTES'] ?? 30)
/**
 * The maximum heap of the service. With a larger heap Node collects garbage late, and uncollected memory looks like a
 * leak. With this limit a leak ends the process.
 */
const heapMegabytes = 192
/**
 * The maximum growth from the second quarter of the run to the last. The first quarter does not count, because memory
 * normally grows in the first minutes.
 */
const growthMegabytesMax = minutes < 10 ? 256 : 64
/**
 * The maximum growth per hour: the slope of a line fitted to the last three quarters of the run. A run of less than 30
 * minutes is too short for this limit.
 */
const slopeMegabytesMax = minutes < 30 ? Infinity : 100
const descriptorsMoreMax = 20
/** The maximum number of parts of one table. ClickHouse slows down inserts at a thousand. */
const partsMax = 300
const seed = newSeed()
let rig: Rig

beforeAll(async () => {
  rig = await openRig({ kind: 'soak', settings: { NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` } })
}, 180_000)
afterAll(() => rig.close(), 90_000)

type Sample = { second: number; megabytes: number; descriptors: number; parts: number }

async function sample(startedAt: number): Promise<Sample> {
  const process = `/proc/${rig.service.pid()}`
  const [node] = rig.world.engine('ADMIN').nodes
  const query = `SELECT max(parts) AS parts FROM (SELECT toUInt32(count()) AS parts FROM system.parts
    WHERE active AND database = '${rig.world.name}' GROUP BY table)`
  const [row] = (await (await node?.query({ query, format: 'JSONEachRow' }))?.json<{ parts: number }>()) ?? []
  return {
    second: (performance.now() - startedAt) / 1000,
    megabytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`${process}/status`, 'utf8'))?.[1]) / 1000,
    descriptors: readdirSync(`${process}/fd`).length,
    parts: row?.parts ?? 0,
  }
}

const middle = (samples: readonly Sample[], of: 'megabytes' | 'descriptors'): number =>
  samples.map((one) => one[of]).toSorted((one, other) => one - other)[Math.floor(samples.length / 2)] ?? 0

/** The slope of the fitted line, in megabytes per hour. */
function slope(samples: readonly Sample[]): number {
  const mean = (of: (one: Sample) => number) => samples.reduce((sum, one) => sum + of(one), 0) / samples.length
  const [second, megabytes] = [mean((one) => one.second), mean((one) => one.megabytes)]
  const together = mean((one) => (one.second - second) * (one.megabytes - megabytes))
  return (together / mean((one) => (one.second - second) ** 2)) * 3600
}

it(`${minutes} minutes at half load leak nothing`, { timeout: (minutes + 10) * 60_000 }, async () => {
  const tally = openTally('soak', seed)
  // Each client pauses as long as its last request took. So it sends half as many requests as it could.
  const load = startMixedLoad(rig, { dice: rollDice(seed), tally, rest: (_kind, tookMs) => tookMs })
  const startedAt = performance.now()
  const samples: Sample[] = []
  while (performance.now() - startedAt < minutes * 60_000) {
    samples.push(await sample(startedAt))
    await pause(Math.min(10_000, minutes * 1_000))
  }
  await load.stop()
  await judgeLoad(rig, load, tally)
  const quarter = Math.floor(samples.length / 4)
  const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)]
  const grown = middle(late, 'megabytes') - middle(early, 'megabytes')
  const parts = Math.max(...samples.map((one) => one.parts))
  const { change, batch, answer, file } = load.done
  console.log(
    `${minutes} minutes: ${change} changes, ${batch} batches, ${answer} answers, ${file} files; memory ` +
      `${Math.round(middle(early, 'megabytes'))} then ${Math.round(middle(late, 'megabytes'))} MB, ` +
      `${slope(samples.slice(quarter)).toFixed(1)} MB an hour; descriptors ${middle(early, 'descriptors')} then ` +
      `${middle(late, 'descriptors')}; at most ${parts} parts of a table`,
  )
  tally.report(change + batch + answer + file)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
  expect(grown).toBeLessThan(growthMegabytesMax)
  expect(slope(samples.slice(quarter))).toBeLessThan(slopeMegabytesMax)
  expect(middle(late, 'descriptors')).toBeLessThanOrEqual(middle(early, 'descriptors') + descriptorsMoreMax)
  expect(parts).toBeLessThan(partsMax)
})
