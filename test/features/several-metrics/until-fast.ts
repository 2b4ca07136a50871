import { setTimeout as pause } from 'node:timers/promises'

const attemptsMax = 10

/**
 * Sends a request again if the machine was too slow for it: the service is unavailable, or the query took longer than its time
 * limit. That says nothing about the values of a response.
 */
export async function untilFast<Answer extends { readonly status: number }>(
  send: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send()
    const text = 'text' in answer && typeof answer.text === 'string' ? answer.text : ''
    const isSlow = answer.status === 503 || text.includes('takes longer than its time limit')
    if (!isSlow || attempt === attemptsMax) return answer
    await pause(2_000)
  }
}
