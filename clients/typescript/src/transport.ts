import { toError } from './errors.ts'
import type { Warning } from './generated/types.ts'

export type TransportOptions = {
  /** Where the interface is found, without a slash at the end. */
  readonly baseUrl: string
  readonly token: string
  /** How often a request is sent again when the service is busy or away. */
  readonly retries: number
  readonly fetch: typeof fetch
}

export type CallOptions = { readonly signal?: AbortSignal | undefined }

export type QueryOptions = CallOptions & {
  /** Told what the service says of a request although it answered it, such as a filter value that nothing has. */
  readonly onWarnings?: (warnings: readonly Warning[]) => void
}

type Call = CallOptions & {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string
}

/** Too many requests, a store away, a proxy without a service, the same change still under way. */
const isTemporary = (status: number): boolean => [409, 429, 502, 503, 504].includes(status)

/**
 * Sends a request until it is answered for good. Everything sent here may be sent again: reading changes nothing, and what
 * writes carries an idempotency key.
 */
export async function send(transport: TransportOptions, call: Call): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const isLast = attempt >= transport.retries
    const response = await once(transport, call).catch((error: unknown) => {
      if (isLast || call.signal?.aborted) throw error
      return null
    })
    if (response?.ok) return response
    if (response !== null && (isLast || !isTemporary(response.status))) throw await toError(response)
    await response?.body?.cancel()
    await pause(delayOf(response, attempt), call.signal)
  }
}

function once({ baseUrl, token, fetch }: TransportOptions, call: Call): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'application/json' }
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey
  return fetch(`${baseUrl}${call.path}`, {
    method: call.method,
    headers,
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  })
}

/** What `Retry-After` says; otherwise longer from time to time, and not the same for everybody. */
function delayOf(response: Response | null, attempt: number): number {
  const seconds = Number(response?.headers.get('retry-after') ?? Number.NaN)
  if (Number.isFinite(seconds)) return Math.min(seconds, 60) * 1000
  return Math.min(250 * 2 ** attempt, 10_000) * (0.5 + Math.random() / 2)
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** `data` of an answer that fits into memory. */
export async function readData<Data>(response: Response, { onWarnings }: QueryOptions = {}): Promise<Data> {
  const { data, warnings = [] }: { data: Data; warnings?: Warning[] } = JSON.parse(await response.text())
  if (warnings.length > 0) onWarnings?.(warnings)
  return data
}

/** Of an answer that streams, in its head. */
export function readWarnings(response: Response, { onWarnings }: QueryOptions = {}): Response {
  const text = response.headers.get('broadgauge-warnings')
  if (text !== null && onWarnings !== undefined) {
    const warnings: Warning[] = JSON.parse(text)
    onWarnings(warnings)
  }
  return response
}
