import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { backoff, repeat } from '../../src/jobs/repeat.ts'
import { until } from '../faults/attempt.ts'

it('skips failing work for a while, and runs it normally when it succeeds again', async () => {
  let done = 0
  let isBroken = true
  const work = backoff(async () => {
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

it('pauses after work in proportion to its duration, even if it is woken, and then runs again', async () => {
  const startedAt: number[] = []
  const work = async () => {
    startedAt.push(performance.now())
    await pause(100)
  }
  const poked = repeat(
    work,
    60_000,
    () => {},
    (tookMs) => 3 * tookMs,
  )
  const poking = setInterval(poked.poke, 5)
  await until(async () => startedAt.length >= 3, 20_000)
  clearInterval(poking)
  await poked.close()
  const gaps = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThan(390)
})

it('waits for neither pause nor delay when it is closed', async () => {
  let done = 0
  const work = async () => {
    await pause(100)
    done += 1
  }
  const resting = repeat(
    work,
    60_000,
    () => {},
    (tookMs) => 300 * tookMs,
  )
  await until(async () => done === 1, 20_000)
  const closing = performance.now()
  await resting.close()
  expect(performance.now() - closing).toBeLessThan(10_000)
})
