import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../../engine/postgres/operator/operator.ts'

/** For a service that is building, or that has yet to tell the engine of changes. */
const patienceMs = 120_000

export const sumsAreBuilt =
  'Somebody else is building, or the engine has not been told of a change of metadata: is a service running? Try again.'

/** Again and again while the answer is null; after two minutes it says why not. */
export async function patiently<Result>(work: () => Promise<Result | null>, otherwise: string): Promise<Result> {
  for (const deadline = performance.now() + patienceMs; performance.now() < deadline;) {
    const result = await work()
    if (result !== null) return result
    // Shorter than a keeper rests between two builds, or it would always be at it again.
    await pause(100)
  }
  throw new OperatorError(otherwise)
}
