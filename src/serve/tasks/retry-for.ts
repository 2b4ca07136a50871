import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../../engine/postgres/operator/operator.ts'

/** This time is long enough for a running build to end, or for changes to be published to ClickHouse. */
const retryForMs = 120_000

export const rollupsAreBusy =
  'Another build is running, or a metadata change is not published to ClickHouse yet. Check that a service is running, and try again.'

/** Retries while `work` returns null. After two minutes, throws an error with the message `otherwise`. */
export async function retryFor<Result>(work: () => Promise<Result | null>, otherwise: string): Promise<Result> {
  for (const deadline = performance.now() + retryForMs; performance.now() < deadline;) {
    const result = await work()
    if (result !== null) return result
    // This pause must be shorter than the rollup job's pause between two builds. Otherwise the command would never get the
    // lock.
    await pause(100)
  }
  throw new OperatorError(otherwise)
}
