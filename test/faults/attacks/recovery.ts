import type { StackComponent } from '../../../devstack/index.ts'
import { pause } from '../attempt.ts'
import type { MixedLoad } from './mixed-load.ts'

export type Breakable = StackComponent & ('postgres' | 'clickhouse-1' | 'objects')

export const breakables: readonly Breakable[] = ['postgres', 'clickhouse-1', 'objects']

/**
 * Returns the time in milliseconds until the next request that needs the store succeeds. If the store is the object
 * storage, it is the time until a new file is complete.
 */
export async function untilUsedAgain(load: MixedLoad, store: Breakable, limitMs: number): Promise<number> {
  const startedAt = performance.now()
  if (store === 'objects') {
    while (!(await load.askForFile()) && performance.now() - startedAt < limitMs) await pause(100)
  } else {
    const witness = store === 'postgres' ? 'change' : 'answer'
    const before = load.done[witness]
    while (load.done[witness] === before && performance.now() - startedAt < limitMs) await pause(20)
  }
  return performance.now() - startedAt
}

const middle = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0

/** The median and the maximum as text, for example "0.4 s, 1.2 s at most". */
export const middleAndMost = (numbers: readonly number[]): string =>
  `${(middle(numbers) / 1000).toFixed(1)} s, ${(Math.max(0, ...numbers) / 1000).toFixed(1)} s at most`
