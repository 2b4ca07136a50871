import { attempt, pause } from './attempt.ts'

/** A change as its client sees it. The client repeats the change until it knows the outcome. */
export type AnsweredPut = {
  readonly status: number
  /** The request id of the attempt that has the outcome. An earlier attempt may have made the change. */
  readonly requestId: string
  /** The number of attempts with an unknown outcome: no response, or a status of 500 or more. */
  readonly unanswered: number
  /** The number of attempts that the service refused because an earlier attempt was still running. */
  readonly conflicts: number
}

export type Put = { readonly url: string; readonly token: string; readonly key: string; readonly body: unknown }

/** Sends a change. Repeats it with the same key until a response gives the outcome. */
export async function putUntilAnswered(put: Put, limitMs = 120_000): Promise<AnsweredPut> {
  const startedAt = performance.now()
  const counts = { unanswered: 0, conflicts: 0 }
  for (let number = 1; performance.now() - startedAt < limitMs; number += 1) {
    const requestId = `${put.key}.${number}`
    const answer = await putOnce(put, requestId)
    if (answer !== null && answer.status < 500 && answer.status !== 409) {
      return { status: answer.status, requestId, ...counts }
    }
    if (answer?.status === 409) counts.conflicts += 1
    else counts.unanswered += 1
    await pause(100)
  }
  throw new Error(`${put.key}: no answer within ${limitMs} ms`)
}

export const putOnce = ({ url, token, key, body }: Put, requestId: string) =>
  attempt(url, {
    method: 'PUT',
    token,
    headers: { 'content-type': 'application/json', 'idempotency-key': key, 'x-request-id': requestId },
    body: JSON.stringify(body),
  })
