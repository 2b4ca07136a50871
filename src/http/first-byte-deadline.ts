import type { ServerResponse } from 'node:http'
import { Fault } from '../base/fault.ts'

/**
 * Runs `work` and answers for it when it takes too long. Its signal is aborted then, and when the caller hangs up.
 * Fastify's own `handlerTimeout` and `request.signal` end with the request's body, so for a POST they mean nothing.
 */
export async function withinFirstByteDeadline<Result>(
  response: ServerResponse,
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const deadline = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    abort()
    const detail = `no answer after ${deadlineMs} ms`
    deadline.reject(new Fault('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '5' }, detail }))
  }, deadlineMs)
  response.once('close', abort)
  // Who left while the token was looked up is not announced again.
  if (response.destroyed) abort()
  try {
    return await Promise.race([work(controller.signal), deadline.promise])
  } finally {
    clearTimeout(timer)
    response.off('close', abort)
  }
}
