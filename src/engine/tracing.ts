import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Attributes of a trace span: names, numbers and counts. A span never contains a URL, a body, a filter value or a statement.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export type Span = {
  readonly traceId: string
  /** Returns the headers `traceparent` and `tracestate`, for another service that continues the trace. */
  readonly headers: () => Readonly<Record<string, string>>
  readonly begin: (name: string, kind: SpanKind, attributes: SpanAttributes) => Span
  readonly note: (attributes: SpanAttributes) => void
  readonly end: (error?: unknown) => void
}

export type SpanKind = 'server' | 'client' | 'internal' | 'consumer'

/** Begins a trace, or continues the trace in the headers. */
export type BeginTrace = (
  name: string,
  kind: SpanKind,
  attributes: SpanAttributes,
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => Span

const current = new AsyncLocalStorage<Span>()

/** Returns the current trace span; undefined if the work is not traced. */
export const currentSpan = (): Span | undefined => current.getStore()

/** Returns the headers of the current trace span, for a request to another service. */
export const traceHeaders = (): Record<string, string> => ({ ...current.getStore()?.headers() })

export const inSpan = <Result>(span: Span | null, work: () => Result): Result =>
  span === null ? work() : current.run(span, work)

/**
 * Runs work outside the current trace. Use it for work that serves several requests together and belongs to none of their
 * traces.
 */
export const untraced = <Result>(work: () => Result): Result =>
  current.getStore() === undefined ? work() : current.exit(work)

/** Runs a part of the current work in a child span. Without a current span, it only runs the work. */
export function traced<Result>(
  name: string,
  kind: SpanKind,
  attributes: SpanAttributes,
  work: (span: Span | null) => Result,
): Result {
  const parent = current.getStore()
  if (parent === undefined) return work(null)
  const span = parent.begin(name, kind, attributes)
  return current.run(span, () => ending(span, work))
}

function ending<Result>(span: Span, work: (span: Span) => Result): Result {
  try {
    const result = work(span)
    if (result instanceof Promise) void result.then(() => span.end(), span.end)
    else span.end()
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}
