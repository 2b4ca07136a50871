import type { ServerResponse } from 'node:http'
import { unavailable } from '../base/fault.ts'

export type Deadline = {
  /** Aborted at the deadline, and when the caller hangs up. */
  readonly signal: AbortSignal
  readonly leftMs: () => number
}

const spentMs = new WeakMap<ServerResponse, number>()

/** Runs what is done before a body is read: its time counts towards the first byte, that of the body does not. */
export async function towardsFirstByte(response: ServerResponse, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  await work()
  spentMs.set(response, performance.now() - startedAt)
}

/**
 * Runs `work` and throws the 503 when it takes too long. Fastify's own `handlerTimeout` and `request.signal` end with the request's body, so for a POST
 * they mean nothing.
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
  // Who left while the token was looked up is not announced again.
  if (response.destroyed) abort()
  try {
    return await Promise.race([work({ signal: controller.signal, leftMs }), tooLate.promise])
  } finally {
    clearTimeout(timer)
    response.off('close', abort)
  }
}
