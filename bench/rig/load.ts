import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

/** One request and its outcome. The status is 0 if there was no complete response. */
export type Called = { readonly status: number; readonly milliseconds: number; readonly endedAt: number }

/** Sends a request. It uses any number of connections, which stay open. */
export type Send = (question: Question) => Promise<Called>

export type Question = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly token: string
  readonly body?: unknown
}

export function openSender(baseUrl: string): { send: Send; close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const send: Send = async ({ method, path, token, body }) => {
    const startedAt = performance.now()
    const status = await new Promise<number>((resolve) => {
      const headers = { authorization: token, 'content-type': 'application/json' }
      const sent = request(`${baseUrl}${path}`, { method, headers, agent }, (answer) => {
        text(answer).then(
          () => resolve(answer.complete ? (answer.statusCode ?? 0) : 0),
          () => resolve(0),
        )
      })
      sent.on('error', () => resolve(0))
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
    const endedAt = performance.now()
    return { status, milliseconds: endedAt - startedAt, endedAt }
  }
  return { send, close: () => agent.destroy() }
}

/**
 * Sends requests at a fixed rate, without waiting for responses. Resolves when the last request has been sent; `called` waits
 * for the responses.
 */
export async function openLoop(perSecond: number, seconds: number, ask: (index: number) => Promise<Called>) {
  const calls: Promise<Called>[] = []
  const startedAt = performance.now()
  const total = Math.round(perSecond * seconds)
  while (calls.length < total) {
    const due = Math.min(total, ((performance.now() - startedAt) * perSecond) / 1000)
    while (calls.length < due) calls.push(ask(calls.length))
    await pause(2)
  }
  const endedAt = performance.now()
  return { called: () => Promise.all(calls), seconds: (endedAt - startedAt) / 1000, endedAt }
}

/** Runs `callers` callers. Each sends its next request as soon as it has a response. */
export async function closedLoop(callers: number, seconds: number, ask: (caller: number) => Promise<Called>) {
  const called: Called[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const askOnAndOn = async (caller: number) => {
    while (performance.now() < endsAt) called.push(await ask(caller))
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => askOnAndOn(caller)))
  return { called, seconds: (performance.now() - startedAt) / 1000 }
}

/** Returns the duration that this fraction of the calls does not exceed. */
export function quantile(calls: readonly Called[], share: number): number {
  const sorted = calls.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export const seconds = (fallback: number): number => Number(process.env['BENCH_SECONDS'] ?? fallback)
