import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A span in OTLP's JSON format. */
export type ReceivedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly status: { readonly code: number }
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

export type TraceReceiver = {
  readonly url: string
  /** The bodies of all received requests. */
  readonly received: string[]
  readonly spans: () => ReceivedSpan[]
  readonly close: () => Promise<void>
}

/** Starts a receiver for OTLP over HTTP that stores everything it receives. */
export async function receiveTraces(): Promise<TraceReceiver> {
  const received: string[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    received.push(await text(request))
    response.setHeader('content-type', 'application/json').end('{}')
  }
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    received,
    spans: () => received.flatMap(spansIn),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Message = { resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[] }

const spansIn = (body: string): ReceivedSpan[] =>
  (JSON.parse(body) as Message).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
