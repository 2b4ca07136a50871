import { toError } from './errors.ts'
import type { Meta, QueryEstimate, Warning } from './generated/types.ts'

export type TransportOptions = {
  /** Base URL of the interface, without a slash at the end. */
  readonly baseUrl: string
  readonly token: string
  /** How many times a request is repeated if the service is busy or unavailable. */
  readonly retries: number
  readonly fetch: typeof fetch
}

export type CallOptions = { readonly signal?: AbortSignal | undefined }

export type QueryOptions = CallOptions & {
  /**
   * Called with the warnings that the service sends with a successful response, for example: no result has this filter value.
   */
  readonly onWarnings?: (warnings: readonly Warning[]) => void
  /** Called with `meta` of a successful response, if the request asks for it. Raw points have no `meta`. */
  readonly onMeta?: (meta: Meta) => void
  /**
   * If present, the client estimates a request before it sends it. Called with the estimate if the request could take longer
   * than ten seconds or does not fit the limits of the service. If the function throws, the request is not sent.
   */
  readonly onExpensive?: (estimate: QueryEstimate) => void | Promise<void>
}

type Call = CallOptions & {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string
}

/**
 * Status codes after which a retry can succeed: 409 with `Retry-After` (the same change is still running), 429 (too many requests), 502 and 504 (a
 * proxy cannot reach the service), 503 (a store is unavailable).
 */
const isTemporary = ({ status, headers }: Response): boolean =>
  [429, 502, 503, 504].includes(status) || (status === 409 && headers.has('retry-after'))

/**
 * Sends a request and repeats it until there is a final response. Repeating is safe for every request of this client: reads
 * change nothing, and writes carry an idempotency key.
 */
export async function send(transport: TransportOptions, call: Call): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const isLast = attempt >= transport.retries
    const response = await once(transport, call).catch((error: unknown) => {
      if (isLast || call.signal?.aborted) throw error
      return null
    })
    if (response?.ok) return response
    if (response !== null && (isLast || !isTemporary(response))) throw await toError(response)
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

/** The delay before the next attempt: the time in `Retry-After`, or an increasing delay with jitter. */
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

/** Returns `data` of a response that fits into memory. */
export async function readData<Data>(response: Response, { onWarnings, onMeta }: QueryOptions = {}): Promise<Data> {
  const {
    data,
    meta,
    warnings = [],
  }: { data: Data; meta?: Meta; warnings?: Warning[] } = JSON.parse(await response.text())
  if (meta !== undefined) onMeta?.(meta)
  if (warnings.length > 0) onWarnings?.(warnings)
  return data
}

/** Reads the warnings of a streamed response from its headers. */
export function readWarnings(response: Response, { onWarnings }: QueryOptions = {}): Response {
  const text = response.headers.get('broadgauge-warnings')
  if (text !== null && onWarnings !== undefined) {
    const warnings: Warning[] = JSON.parse(text)
    onWarnings(warnings)
  }
  return response
}
