import { afterAll, beforeAll, expect, it } from 'vitest'
import { killComponent, startComponent } from '../../../devstack/index.ts'
import { pause } from '../attempt.ts'
import { newSeed, rollDice } from '../dice.ts'
import { judgeLoad } from './judge-load.ts'
import { startMixedLoad } from './mixed-load.ts'
import { breakables, middleAndMost, untilUsedAgain } from './recovery.ts'
import { openRig, type Rig } from './rig.ts'
import { openTally, sized } from './tally.ts'

const kills = sized(10, 100)
/** Work may have lost its turn to a back-off of a second or two. */
const recoveryMsMax = 15_000
const seed = newSeed()
let rig: Rig

beforeAll(async () => {
  rig = await openRig({ kind: 'killed' })
}, 180_000)
afterAll(() => rig.close(), 90_000)

it(`kill -9, ${kills} times each, of the service and of every store under load`, { timeout: 3_600_000 }, async () => {
  const tally = openTally('kill -9 of each under a mixed load', seed)
  const dice = rollDice(seed)
  const load = startMixedLoad(rig, { dice, tally, serviceDies: true })
  for (const victim of ['service', ...breakables] as const) {
    const starts: number[] = []
    const recoveries: number[] = []
    for (let round = 0; round < kills; round += 1) {
      if (victim === 'objects') void load.askForFile()
      await pause(dice.between(50, 500))
      if (victim === 'service') await rig.service.kill()
      else await killComponent(rig.stack, victim)
      const killedAt = performance.now()
      await (victim === 'service' ? rig.service.start() : startComponent(rig.stack, victim))
      starts.push(performance.now() - killedAt)
      const recovery = await untilUsedAgain(load, victim === 'service' ? 'postgres' : victim, 60_000)
      if (recovery > recoveryMsMax) tally.breach('Z8', `${victim} is not used again`, `${recovery} ms after its start`)
      recoveries.push(recovery)
      // Or a piece of work that is always caught by the next one would never be done.
      await load.everybodyServed()
    }
    if (victim !== 'service' && !rig.service.isRunning()) tally.breach('Z7', `the service ended with ${victim}`, '')
    console.log(
      `${victim}: its own start ${middleAndMost(starts)}; used again after another ${middleAndMost(recoveries)}`,
    )
  }
  await load.stop()
  await judgeLoad(rig, load, tally)
  const { changes, deliveries } = load.acknowledged
  console.log(`${changes.size} changes and ${deliveries.size} deliveries were acknowledged`)
  tally.report(kills * (breakables.length + 1))
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
})
