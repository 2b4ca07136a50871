import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Answer, CallOptions } from '../../kit/call.ts'

/**
 * The service promises a response within 30 s. The test waits a little longer before it reports that the response is
 * too late.
 */
const answerMsMax = 35_000

/**
 * What happened instead of a complete response. The service may cut only a streamed response, and only after the
 * response has begun.
 */
type NoAnswer = {
  readonly status: 'hung up without an answer' | 'cut' | 'too late' | 'not the envelope'
  readonly text: string
}

export type Outcome = Answer | NoAnswer

const agent = new Agent({ keepAlive: true })

/**
 * Sends one request and returns how it ended. The result shows whether the connection closed before or after the head
 * of the response. `fetch` cannot show this: it discards the head if the connection is reset right after it.
 */
export async function ask(
  url: string,
  { method = 'GET', token = '', headers = {}, body }: CallOptions,
  retryForMs = answerMsMax,
): Promise<Outcome> {
  const signal = AbortSignal.timeout(retryForMs)
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

/** The text of the response, or null if the connection broke. */
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
