import { AsyncLocalStorage } from 'node:async_hooks'

/** Names, numbers and counts: no address, body, value of a filter or statement ever goes into a span. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** A piece of work as tracing sees it. */
export type Span = {
  readonly traceId: string
  /** `traceparent` and `tracestate`, for whoever does a part of the work elsewhere. */
  readonly headers: () => Readonly<Record<string, string>>
  readonly begin: (name: string, kind: SpanKind, attributes: SpanAttributes) => Span
  readonly note: (attributes: SpanAttributes) => void
  readonly end: (error?: unknown) => void
}

export type SpanKind = 'server' | 'client' | 'internal' | 'consumer'

/** Begins a trace, or goes on with the one that the headers tell of. */
export type BeginTrace = (
  name: string,
  kind: SpanKind,
  attributes: SpanAttributes,
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => Span

const current = new AsyncLocalStorage<Span>()

/** The piece of work under way; nothing when it is not traced. */
export const currentSpan = (): Span | undefined => current.getStore()

/** What the work under way gives to whoever does a part of it elsewhere. */
export const traceHeaders = (): Record<string, string> => ({ ...current.getStore()?.headers() })

export const inSpan = <Result>(span: Span | null, work: () => Result): Result =>
  span === null ? work() : current.run(span, work)

/** For work that is done for several requests together: it belongs to none of them. */
export const untraced = <Result>(work: () => Result): Result =>
  current.getStore() === undefined ? work() : current.exit(work)

/** Does a part of the work under way as a span of its own. Without tracing it costs one look. */
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
