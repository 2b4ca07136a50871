import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ChildService } from '../faults/child-service.ts'

export type Seen = { readonly p99Ms: number; readonly healthMaxMs: number }

/**
 * For `milliseconds`, measures two response times: that of a tenant that sends one small query after another with
 * `ask`, and that of the health probe of the instance.
 */
export async function watchService(
  { operationsAddress }: Pick<ChildService, 'operationsAddress'>,
  ask: () => Promise<number | null>,
  milliseconds: number,
): Promise<Seen> {
  const endsAt = performance.now() + milliseconds
  const timesOf = async (work: () => Promise<number | null>): Promise<number[]> => {
    const times: number[] = []
    while (performance.now() < endsAt) {
      const startedAt = performance.now()
      expect(await work()).toBe(200)
      times.push(performance.now() - startedAt)
      await pause(20)
    }
    return times.toSorted((one, another) => one - another)
  }
  const [asked, probed] = await Promise.all([
    timesOf(ask),
    timesOf(async () => (await fetch(`${operationsAddress}/healthz`)).status),
  ])
  return { p99Ms: asked[Math.floor(0.99 * (asked.length - 1))] ?? 0, healthMaxMs: probed.at(-1) ?? 0 }
}

/**
 * True if the p99 is at most three times the p99 of the quiet period, or at most 25 ms, which no caller notices. The
 * slowest health probe may take 500 ms.
 */
export const isHardlySlower = (quiet: Seen, seen: Seen): boolean =>
  seen.p99Ms <= Math.max(3 * quiet.p99Ms, 25) && seen.healthMaxMs <= 500
