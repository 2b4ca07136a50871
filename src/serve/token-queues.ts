import { takeTurns } from '../base/take-turns.ts'
import { limits } from '../base/limits.ts'
import { keepPace, type Pace } from './pace.ts'

type Queue = { waiting: number; readonly turns: ReturnType<typeof takeTurns>; readonly pace: Pace }

export type TokenQueues = {
  /** Whether the next one would be refused. */
  readonly isFull: (tokenId: number) => boolean
  readonly inTurn: <Result>(tokenId: number, work: () => Promise<Result>, refusal: () => Error) => Promise<Result>
}

/**
 * A short queue for each token: one at a time is at work, `waitingMax` wait, and the next is refused; so is whoever would
 * wait in vain, by how fast the queue has moved lately.
 */
export function createQueues(waitingMax: number): TokenQueues {
  const queues = new Map<number, Queue>()
  const refuses = ({ waiting, pace }: Queue): boolean =>
    waiting > waitingMax || (waiting > 0 && pace.expectedMs(waiting + 1) > limits.queryWaitMs)
  return {
    isFull: (tokenId) => {
      const queue = queues.get(tokenId)
      return queue !== undefined && refuses(queue)
    },
    inTurn: async (tokenId, work, refusal) => {
      const queue = queues.get(tokenId) ?? { waiting: 0, turns: takeTurns(1), pace: keepPace() }
      queues.set(tokenId, queue)
      if (refuses(queue)) throw refusal()
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
