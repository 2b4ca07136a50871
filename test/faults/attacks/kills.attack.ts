import { afterAll, beforeAll, expect, it } from 'vitest'
import { killComponent, startComponent } from '../../../devstack/index.ts'
import { pause, until } from '../attempt.ts'
import { newSeed, rollDice, type Dice } from '../dice.ts'
import { judgeLoad } from './judge-load.ts'
import { startMixedLoad, type Kind, type MixedLoad } from './mixed-load.ts'
import { breakables, middleAndMost, untilUsedAgain, type Breakable } from './recovery.ts'
import { openRig, type Rig } from './rig.ts'
import { openTally, sized, type Tally } from './tally.ts'

const kills = sized(10, 100)
const isDeep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
/**
 * The minimum total number of changes and batches. After the planned kills, the test makes one more kill after every
 * `writesPerKill` writes until it reaches this minimum.
 */
const writesMin = isDeep ? 100_000 : 0
const writesPerKill = 1_000
const changers = isDeep ? 16 : 2
/**
 * The pause of a client between two pieces of work. In the deep run, all kinds except changes pause longer, so that
 * changes get more CPU time. Otherwise the writes would take hours. The pause is short enough to measure the recovery.
 */
const rest = (kind: Kind, tookMs: number): number => (isDeep && kind !== 'change' ? Math.min(tookMs, 1_000) : 20)
/** The maximum recovery time. It includes the service's back-off of one or two seconds. */
const recoveryMsMax = 15_000
const seed = newSeed()
let rig: Rig

beforeAll(async () => {
  // The slot of an export whose worker was killed stays taken until its lease expires, so the test needs more slots.
  // The deep run also needs more connections for its concurrent changes.
  const settings = { BROADGAUGE_EXPORTS_MAX: '10', BROADGAUGE_EXPORTS_PER_ORGANISATION_MAX: '10' }
  rig = await openRig({ kind: 'killed', settings: { ...settings, BROADGAUGE_POSTGRES_POOL_MAX: isDeep ? '60' : '20' } })
}, 180_000)
afterAll(() => rig.close(), 90_000)

/**
 * Two durations in milliseconds: `start` from the kill until the process has started again, and `again` from this
 * moment until a request that needs the process has succeeded.
 */
type Recovery = { readonly start: number; readonly again: number }

type Victim = 'service' | Breakable

/** Kills one process and starts it again. Returns when every kind of work has succeeded again. */
async function killOne(victim: Victim, load: MixedLoad, tally: Tally, dice: Dice): Promise<Recovery> {
  if (victim === 'objects') void load.askForFile()
  await pause(dice.between(50, 500))
  if (victim === 'service') await rig.service.kill()
  else await killComponent(rig.stack, victim)
  const killedAt = performance.now()
  await (victim === 'service' ? rig.service.start() : startComponent(rig.stack, victim))
  const start = performance.now() - killedAt
  const [again] = await Promise.all([
    untilUsedAgain(load, victim === 'service' ? 'postgres' : victim, 60_000),
    // Wait for all kinds of work. Otherwise every kill could interrupt the same request, which would then never
    // succeed.
    load.allServed().catch((error: unknown) => tally.breach('Z8', `${victim}: not all work recovered`, String(error))),
  ])
  if (again > recoveryMsMax) tally.breach('Z8', `${victim} is not used again`, `${again} ms after its start`)
  return { start, again }
}

it(
  `kill -9, ${kills} times each, of the service and of every store under load, loses nothing`,
  { timeout: 21_600_000 },
  async () => {
    const tally = openTally('kill -9 of each under a mixed load', seed)
    const dice = rollDice(seed)
    let dying: Victim = 'service'
    const load = startMixedLoad(rig, { dice, tally, serviceDies: () => dying === 'service', changers, rest })
    const { changes, batches } = load.acknowledged
    for (const victim of ['service', ...breakables] as const) {
      dying = victim
      const recoveries: Recovery[] = []
      for (let round = 0; round < kills; round += 1) recoveries.push(await killOne(victim, load, tally, dice))
      if (victim !== 'service' && !rig.service.isRunning()) tally.breach('Z7', `the service ended with ${victim}`, '')
      const starts = middleAndMost(recoveries.map(({ start }) => start))
      console.log(
        `${victim}: its own start ${starts}; used again after another ${middleAndMost(recoveries.map(({ again }) => again))}`,
      )
    }
    let more = 0
    const written = () => changes.size + batches.size
    for (; written() < writesMin; more += 1) {
      const due = written() + writesPerKill
      await until(async () => written() >= due, 300_000)
      dying = dice.pick(['service', ...breakables])
      await killOne(dying, load, tally, dice)
    }
    await load.stop()
    if (!(await load.askForFile())) tally.breach('Z5', 'a file after all of it', 'there is none')
    await judgeLoad(rig, load, tally)
    console.log(`${changes.size} changes and ${batches.size} batches were acknowledged`)
    tally.report(kills * (breakables.length + 1) + more)
    expect(tally.sorts(), `seed ${seed}`).toEqual([])
  },
)
