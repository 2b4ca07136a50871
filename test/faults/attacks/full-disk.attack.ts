import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startComponent } from '../../../devstack/index.ts'
import { stackDirectory } from '../../../devstack/record/directories.ts'
import { pause } from '../attempt.ts'
import { newSeed, rollDice } from '../dice.ts'
import { judgeLoad } from './judge-load.ts'
import { startMixedLoad } from './mixed-load.ts'
import { untilUsedAgain } from './recovery.ts'
import { openRig, type Rig } from './rig.ts'
import { openTally, sized } from './tally.ts'

const rounds = sized(1, 10)
const seed = newSeed()
/** Sizes of the disks: large enough for a store with a small database, and small enough to fill quickly. */
const disks = { postgres: '400m', 'clickhouse-1': '200m' } as const
const stores = ['postgres', 'clickhouse-1'] as const
/** The maximum time for which the disk stays full. The test frees the disk earlier if the service responds with 503. */
const fullMsMax = 20_000
let rig: Rig

const mount = (size: string, directory: string) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory], { stdio: 'pipe' })

/** True if this process may mount file systems. Otherwise the attack is skipped. */
function mayMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'broadgauge-mount-'))
  try {
    mount('1m', directory)
    execFileSync('umount', [directory])
    return true
  } catch {
    return false
  } finally {
    rmdirSync(directory)
  }
}
const canMount = mayMount()

beforeAll(async () => {
  if (!canMount) return
  rig = await openRig({
    kind: 'full',
    prepare: async (name) => {
      for (const store of stores) {
        const directory = join(stackDirectory(name), store)
        mkdirSync(directory, { recursive: true })
        mount(disks[store], directory)
      }
    },
    cleanUp: async (name) => {
      for (const store of stores) execFileSync('umount', [join(stackDirectory(name), store)])
    },
  })
}, 180_000)
afterAll(async () => {
  if (canMount) await rig.close()
}, 120_000)

/** Fills the disk to the last block. Returns the path of the file that fills it. */
function fill(directory: string): string {
  const path = join(directory, 'filler')
  const file = openSync(path, 'w')
  for (const bytes of [1 << 20, 1 << 12]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes, 1))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  closeSync(file)
  return path
}

it.skipIf(!canMount)(
  `the disks of PostgreSQL and ClickHouse are full ${rounds} times each, and freed`,
  { timeout: 3_600_000 },
  async () => {
    const tally = openTally('full disks', seed)
    const load = startMixedLoad(rig, { dice: rollDice(seed), tally })
    for (const store of stores) {
      for (let round = 0; round < rounds; round += 1) {
        await load.allServed()
        const filler = fill(join(stackDirectory(rig.stack.name), store))
        const refusedBefore = tally.counted('503')
        const filledAt = performance.now()
        while (tally.counted('503') < refusedBefore + 5 && performance.now() - filledAt < fullMsMax) await pause(100)
        tally.count(tally.counted('503') > refusedBefore ? `${store} refused` : `${store} did not notice`)
        rmSync(filler)
        // Start the store again if it has exited, as an operator would.
        await startComponent(rig.stack, store)
        const recovery = await untilUsedAgain(load, store, 60_000)
        if (recovery > 15_000) tally.breach('Z8', `${store} is not used again`, `${recovery} ms after there was room`)
        console.log(`${store}: used again ${Math.round(recovery)} ms after there was room`)
      }
    }
    await load.allServed()
    await load.stop()
    await judgeLoad(rig, load, tally)
    tally.report(rounds * stores.length)
    expect(tally.sorts(), `seed ${seed}`).toEqual([])
    // If the service never responds with 503, no request has met a full disk.
    for (const store of stores) expect(tally.counted(`${store} refused`), store).toBe(rounds)
  },
)
