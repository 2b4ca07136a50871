import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Answer, CallOptions } from '../../kit/call.ts'

/** More than the 30 s in which the service promises an answer: whoever needs longer has broken the promise. */
const answerMsMax = 35_000

/** What came instead of an answer. Only one that streams may be cut, and only when it has begun. */
type NoAnswer = {
  readonly status: 'hung up without an answer' | 'cut' | 'too late' | 'not the envelope'
  readonly text: string
}

export type Outcome = Answer | NoAnswer

const agent = new Agent({ keepAlive: true })

/**
 * One request, and how it ended: a hang-up before the head of an answer is told from a cut after it. Not by `fetch`, which
 * forgets the head when the connection is reset just behind it.
 */
export async function ask(
  url: string,
  { method = 'GET', token = '', headers = {}, body }: CallOptions,
  patienceMs = answerMsMax,
): Promise<Outcome> {
  const signal = AbortSignal.timeout(patienceMs)
  const all = { accept: 'application/json', authorization: token, ...headers }
  const began = Promise.withResolvers<IncomingMessage | null>()
  const request = httpRequest(url, { method, agent, signal, headers: all })
  request.once('response', began.resolve)
  request.on('error', () => began.resolve(null))
  request.end(body)
  const response = await began.promise
  if (response === null)
    return {
      status: signal.aborted ? 'too late' : 'hung up without an answer',
      text: `${request.socket?.bytesRead} bytes`,
    }
  const text = await readText(response)
  const status = response.statusCode ?? 0
  if (text === null) return { status: signal.aborted ? 'too late' : 'cut', text: `amid an answer ${status}` }
  const envelope = readEnvelope(text)
  if (envelope === null) return { status: 'not the envelope', text: `${status} ${text}` }
  return { status, headers: new Headers(response.headers as Record<string, string>), text, body: envelope }
}

/** Null where it was cut. */
async function readText(response: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer)
  } catch {
    return null
  }
  return response.complete ? Buffer.concat(chunks).toString() : null
}

function readEnvelope(text: string): Record<string, unknown> | null {
  try {
    const read = JSON.parse(text) as Record<string, unknown> | null
    return typeof read?.['code'] === 'string' && typeof read['message'] === 'string' ? read : null
  } catch {
    return null
  }
}
