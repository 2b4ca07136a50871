import { takeTurns } from '../base/take-turns.ts'
import { limits } from '../base/limits.ts'
import { keepPace, type Pace } from './pace.ts'

type Queue = { waiting: number; readonly turns: ReturnType<typeof takeTurns>; readonly pace: Pace }

export type TokenQueues = {
  readonly inTurn: <Result>(tokenId: number, work: () => Promise<Result>, refusal: () => Error) => Promise<Result>
}

/**
 * A short queue for each token: one at a time is at work, `waitingMax` wait, and the next is refused; so is whoever would
 * wait in vain, by how fast the queue has moved lately.
 */
export function createQueues(waitingMax: number): TokenQueues {
  const queues = new Map<number, Queue>()
  return {
    inTurn: async (tokenId, work, refusal) => {
      const queue = queues.get(tokenId) ?? { waiting: 0, turns: takeTurns(1), pace: keepPace() }
      queues.set(tokenId, queue)
      const isHopeless = queue.waiting > 0 && queue.pace.expectedMs(queue.waiting + 1) > limits.queryWaitMs
      if (queue.waiting > waitingMax || isHopeless) throw refusal()
      if (queue.waiting === 0) queue.pace.begin()
      queue.waiting += 1
      try {
        return await queue.turns(work)
      } finally {
        queue.waiting -= 1
        queue.pace.note()
        if (queue.waiting === 0) queues.delete(tokenId)
      }
    },
  }
}
