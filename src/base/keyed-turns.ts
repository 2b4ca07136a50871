import { takeTurns } from './take-turns.ts'

export type TurnQueue = NonNullable<Parameters<typeof takeTurns>[1]>

/** Turns of each key by themselves, `atOnceMax` of a key at a time. A key nobody waits for is forgotten. */
export function keyedTurns(
  atOnceMax: number,
  queue?: TurnQueue,
): <Result>(key: number | string, work: () => Promise<Result>) => Promise<Result> {
  const keys = new Map<number | string, { present: number; readonly turns: ReturnType<typeof takeTurns> }>()
  return async (key, work) => {
    const own = keys.get(key) ?? { present: 0, turns: takeTurns(atOnceMax, queue) }
    keys.set(key, own)
    own.present += 1
    try {
      return await own.turns(work)
    } finally {
      own.present -= 1
      if (own.present === 0) keys.delete(key)
    }
  }
}
