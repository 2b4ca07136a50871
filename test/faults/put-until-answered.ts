import { attempt, pause } from './attempt.ts'

/** A change as a client that does not give up sees it. */
export type AnsweredPut = {
  readonly status: number
  /** Of the attempt that was answered; an earlier one may be the one that took effect. */
  readonly requestId: string
  /** Attempts whose outcome the client could not know: no answer, or one with a status of 500 and more. */
  readonly unanswered: number
  /** Attempts that were told that an earlier one is still running. */
  readonly conflicts: number
}

export type Put = { readonly url: string; readonly token: string; readonly key: string; readonly body: unknown }

/** Sends a change again, with the same key, until somebody says what became of it. */
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
