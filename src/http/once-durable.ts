import { callerLeft } from '../base/fault.ts'
import { traced } from '../engine/tracing.ts'
import type { Route } from './define-route.ts'

/** An answer that is not in the audit trail is not given. Nor is one nobody waits for any more: its rows are let go. */
export async function onceDurable<Answer extends Awaited<ReturnType<Route['handle']>>>(
  answer: Answer,
  durable: () => Promise<void>,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    await traced('audit', 'internal', {}, durable)
    if (signal.aborted) throw callerLeft()
    return answer
  } catch (error) {
    if ('rows' in answer) answer.rows.destroy()
    throw error
  }
}
