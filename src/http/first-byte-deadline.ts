import type { ServerResponse } from 'node:http'
import { Fault } from '../base/fault.ts'

const spentMs = new WeakMap<ServerResponse, number>()

/** Runs what is done before a body is read: its time counts towards the first byte, that of the body does not. */
export async function towardsFirstByte(response: ServerResponse, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  await work()
  spentMs.set(response, performance.now() - startedAt)
}

/**
 * Runs `work` and answers for it when it takes too long. Its signal is aborted then, and when the caller hangs up; it may
 * ask how long it has left. Fastify's own `handlerTimeout` and `request.signal` end with the request's body, so for a POST
 * they mean nothing.
 */
export async function withinFirstByteDeadline<Result>(
  response: ServerResponse,
  deadlineMs: number,
  work: (signal: AbortSignal, leftMs: () => number) => Promise<Result>,
): Promise<Result> {
  const dueAt = performance.now() + deadlineMs - (spentMs.get(response) ?? 0)
  const leftMs = () => Math.max(0, dueAt - performance.now())
  const controller = new AbortController()
  const abort = () => controller.abort()
  const deadline = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    abort()
    const detail = `no answer after ${deadlineMs} ms`
    deadline.reject(new Fault('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '5' }, detail }))
  }, leftMs())
  response.once('close', abort)
  // Who left while the token was looked up is not announced again.
  if (response.destroyed) abort()
  try {
    return await Promise.race([work(controller.signal, leftMs), deadline.promise])
  } finally {
    clearTimeout(timer)
    response.off('close', abort)
  }
}
