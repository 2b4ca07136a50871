import { call, type Answer, type CallOptions } from '../kit/call.ts'
import { runningMs } from '../kit/running-time.ts'

/**
 * The service promises a response within 30 s. The test waits a little longer before it reports that there was no
 * response.
 */
const answerMsMax = 35_000

/**
 * Returns the response, or null if the connection broke or the response took too long. Even then, the request may still
 * take effect.
 */
export async function attempt(url: string, options: CallOptions): Promise<Answer | null> {
  const { promise: tooLate, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, answerMsMax, null)
  try {
    return await Promise.race([call(url, options), tooLate])
  } catch (error) {
    // There was a response, but it was not the JSON envelope.
    if (error instanceof SyntaxError) throw error
    return null
  } finally {
    clearTimeout(timer)
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/** Waits until `what` returns true. Returns how long that took, without the time in which the machine was frozen. */
export async function until(what: () => Promise<boolean>, limitMs: number, pauseMs = 20): Promise<number> {
  const startedAt = runningMs()
  while (!(await what())) {
    if (runningMs() - startedAt > limitMs) throw new Error(`not within ${limitMs} ms`)
    await pause(pauseMs)
  }
  return runningMs() - startedAt
}
