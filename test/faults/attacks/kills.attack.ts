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
/** Changes and deliveries, all told; kills go on until there have been as many, one for every so many of them. */
const writesMin = isDeep ? 100_000 : 0
const writesPerKill = 1_000
const changers = isDeep ? 16 : 2
/** Deep, whatever is no change leaves room for changes, or the writes would take hours; briefly enough to see who is back. */
const rest = (kind: Kind, tookMs: number): number => (isDeep && kind !== 'change' ? Math.min(tookMs, 1_000) : 20)
/** Work may have lost its turn to a back-off of a second or two. */
const recoveryMsMax = 15_000
const seed = newSeed()
let rig: Rig

beforeAll(async () => {
  // Places of exports whose writers were killed are taken until their leases end. And many changes at once, when deep.
  const settings = { BROADGAUGE_EXPORTS_MAX: '10', BROADGAUGE_EXPORTS_PER_ORGANISATION_MAX: '10' }
  rig = await openRig({ kind: 'killed', settings: { ...settings, BROADGAUGE_POSTGRES_POOL_MAX: isDeep ? '60' : '20' } })
}, 180_000)
afterAll(() => rig.close(), 90_000)

/** Milliseconds: until the killed one has started, and from then until it is used again. */
type Recovery = { readonly start: number; readonly again: number }

type Victim = 'service' | Breakable

/** Returns when everybody works again. */
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
    // Or a piece of work that is always caught by the next one would never be done.
    load.everybodyServed().catch((error: unknown) => tally.breach('Z8', `${victim}: not everybody`, String(error))),
  ])
  if (again > recoveryMsMax) tally.breach('Z8', `${victim} is not used again`, `${again} ms after its start`)
  return { start, again }
}

it(`kill -9, ${kills} times each, of the service and of every store under load`, { timeout: 21_600_000 }, async () => {
  const tally = openTally('kill -9 of each under a mixed load', seed)
  const dice = rollDice(seed)
  let dying: Victim = 'service'
  const load = startMixedLoad(rig, { dice, tally, serviceDies: () => dying === 'service', changers, rest })
  const { changes, deliveries } = load.acknowledged
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
  const written = () => changes.size + deliveries.size
  for (; written() < writesMin; more += 1) {
    const due = written() + writesPerKill
    await until(async () => written() >= due, 300_000)
    dying = dice.pick(['service', ...breakables])
    await killOne(dying, load, tally, dice)
  }
  await load.stop()
  if (!(await load.askForFile())) tally.breach('Z5', 'a file after all of it', 'there is none')
  await judgeLoad(rig, load, tally)
  console.log(`${changes.size} changes and ${deliveries.size} deliveries were acknowledged`)
  tally.report(kills * (breakables.length + 1) + more)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
})
