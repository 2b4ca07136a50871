import { afterAll, beforeAll, expect, it } from 'vitest'
import { killComponent } from '../../../devstack/index.ts'
import { pause } from '../attempt.ts'
import { newSeed, rollDice } from '../dice.ts'
import { judgeLoad } from './judge-load.ts'
import { startMixedLoad } from './mixed-load.ts'
import { breakables, middleAndMost, untilUsedAgain } from './recovery.ts'
import { openRig, type Rig } from './rig.ts'
import { openTally, sized } from './tally.ts'

const pauses = sized(5, 20)
const seed = newSeed()
let rig: Rig

beforeAll(async () => {
  // The most verbose level, because the test searches the whole output for secrets.
  rig = await openRig({ kind: 'pauses', settings: { BROADGAUGE_LOG_LEVEL: 'trace' } })
}, 180_000)
afterAll(() => rig.close(), 90_000)

it(
  `each store pauses ${pauses} times for 1 to 10 s under load, and nothing is lost`,
  { timeout: 3_600_000 },
  async () => {
    const tally = openTally('pauses of each store', seed)
    const dice = rollDice(seed)
    const load = startMixedLoad(rig, { dice, tally })
    for (const store of breakables) {
      const recoveries: number[] = []
      for (let round = 0; round < pauses; round += 1) {
        if (store === 'objects') void load.askForFile()
        await pause(dice.between(100, 1_000))
        await killComponent(rig.stack, store, 'SIGSTOP')
        // Even if there are only a few pauses, their lengths are spread over the whole range.
        await pause(1_000 + ((round + dice.between(0, 99) / 100) / pauses) * 9_000)
        await killComponent(rig.stack, store, 'SIGCONT')
        const recovery = await untilUsedAgain(load, store, 30_000)
        if (recovery > 15_000) tally.breach('Z8', `${store} is not used again`, `${recovery} ms after it went on`)
        recoveries.push(recovery)
        // Wait for all kinds of work. Otherwise every pause could interrupt the same request, which would then never
        // succeed.
        await load.allServed()
      }
      console.log(`${store}: used again after ${middleAndMost(recoveries)}`)
    }
    await load.stop()
    await judgeLoad(rig, load, tally)
    tally.report(pauses * breakables.length)
    expect(tally.sorts(), `seed ${seed}`).toEqual([])
  },
)
