import { request as httpRequest, type IncomingMessage } from 'node:http'

export type StreamOptions = { token: string; body: unknown; headers?: Record<string, string>; signal?: AbortSignal }

/** A response whose body may be incomplete. `complete` is true if its last HTTP chunk has arrived. */
export type StreamOutcome = { status: number; headers: IncomingMessage['headers']; bytes: Buffer; complete: boolean }

/** Sends a request and returns the response when its head has arrived. The body is not read yet. */
export function openStream(
  url: string,
  { token, body, headers = {}, signal }: StreamOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: 'POST',
      agent: false,
      ...(signal === undefined ? {} : { signal }),
      headers: { authorization: token, 'content-type': 'application/json', ...headers },
    })
    request.once('response', resolve)
    request.once('error', reject)
    request.end(JSON.stringify(body))
  })
}

/** Reads the body until it ends or the connection breaks. */
export async function readOut(response: IncomingMessage): Promise<StreamOutcome> {
  const chunks: Buffer[] = []
  const done = Promise.withResolvers<void>()
  response.on('data', (chunk: Buffer) => chunks.push(chunk)).resume()
  response.once('end', done.resolve)
  response.once('error', () => done.resolve())
  response.once('close', done.resolve)
  await done.promise
  const { statusCode: status = 0, headers, complete } = response
  return { status, headers, bytes: Buffer.concat(chunks), complete }
}

export const callStream = async (url: string, options: StreamOptions): Promise<StreamOutcome> =>
  readOut(await openStream(url, options))
