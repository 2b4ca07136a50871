import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { lessAndLess } from '../../src/jobs/repeat.ts'

it('leaves out work that has failed for a while, and does it as before when it is well again', async () => {
  let done = 0
  let isBroken = true
  const work = lessAndLess(async () => {
    done += 1
    if (isBroken) throw new Error('for a reason that lasts')
  })
  await expect(work()).rejects.toThrow('that lasts')
  for (let time = 0; time < 10; time += 1) await work()
  expect(done).toBe(1)
  isBroken = false
  await pause(2_100)
  for (let time = 0; time < 10; time += 1) await work()
  expect(done).toBe(11)
})
