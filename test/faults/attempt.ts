import { call, type Answer, type CallOptions } from '../kit/call.ts'
import { runningMs } from '../kit/running-time.ts'

/** More than the 30 s in which the service promises an answer: whoever needs longer has broken the promise. */
const answerMsMax = 35_000

/** The answer, or null when none came: the connection was cut or it took too long. What was asked for may still happen. */
export async function attempt(url: string, options: CallOptions): Promise<Answer | null> {
  const { promise: tooLate, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, answerMsMax, null)
  try {
    return await Promise.race([call(url, options), tooLate])
  } catch (error) {
    // An answer came, and it was not the envelope.
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

/** How long it took, of the time in which this process could run. */
export async function until(what: () => Promise<boolean>, limitMs: number, pauseMs = 20): Promise<number> {
  const startedAt = runningMs()
  while (!(await what())) {
    if (runningMs() - startedAt > limitMs) throw new Error(`not within ${limitMs} ms`)
    await pause(pauseMs)
  }
  return runningMs() - startedAt
}
