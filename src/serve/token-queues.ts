import { takeTurns } from '../ingest/take-turns.ts'

type Queue = { waiting: number; readonly turns: ReturnType<typeof takeTurns> }

export type TokenQueues = {
  readonly inTurn: <Result>(tokenId: number, work: () => Promise<Result>, refusal: () => Error) => Promise<Result>
}

/** A short queue for each token: one at a time is at work, `waitingMax` wait, and the next is refused. */
export function createQueues(waitingMax: number): TokenQueues {
  const queues = new Map<number, Queue>()
  return {
    inTurn: async (tokenId, work, refusal) => {
      const queue = queues.get(tokenId) ?? { waiting: 0, turns: takeTurns(1) }
      queues.set(tokenId, queue)
      if (queue.waiting > waitingMax) throw refusal()
      queue.waiting += 1
      try {
        return await queue.turns(work)
      } finally {
        queue.waiting -= 1
        if (queue.waiting === 0) queues.delete(tokenId)
      }
    },
  }
}
