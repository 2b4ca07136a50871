import type { ServerResponse } from 'node:http'
import { unavailable } from '../base/fault.ts'

export type Deadline = {
  /** Aborts at the deadline, or when the caller disconnects. */
  readonly signal: AbortSignal
  readonly leftMs: () => number
}

const spentMs = new WeakMap<ServerResponse, number>()

/**
 * Runs work that happens before the body is read. The duration of this work counts towards the first-byte deadline; the time
 * to read the body does not.
 */
export async function towardsFirstByte(response: ServerResponse, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  await work()
  spentMs.set(response, performance.now() - startedAt)
}

/**
 * Throws a 503 if `work` takes too long. Fastify's own `handlerTimeout` and `request.signal` end when the request's body ends,
 * so they do not work for a POST.
 */
export async function withinFirstByteDeadline<Result>(
  response: ServerResponse,
  deadlineMs: number,
  work: (deadline: Deadline) => Promise<Result>,
): Promise<Result> {
  const dueAt = performance.now() + deadlineMs - (spentMs.get(response) ?? 0)
  const leftMs = () => Math.max(0, dueAt - performance.now())
  const controller = new AbortController()
  const abort = () => controller.abort()
  const tooLate = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    abort()
    tooLate.reject(unavailable(`no answer after ${deadlineMs} ms`))
  }, leftMs())
  response.once('close', abort)
  // If the caller left during authentication, `close` has already been emitted and is not emitted again.
  if (response.destroyed) abort()
  try {
    return await Promise.race([work({ signal: controller.signal, leftMs }), tooLate.promise])
  } finally {
    clearTimeout(timer)
    response.off('close', abort)
  }
}
