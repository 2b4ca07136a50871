import {
  ROOT_CONTEXT,
  SpanKind as Kinds,
  SpanStatusCode,
  defaultTextMapGetter,
  defaultTextMapSetter,
  trace,
  type Context,
  type Tracer,
} from '@opentelemetry/api'
import { ExportResultCode, W3CTraceContextPropagator, type ExportResult } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace'
import { Fault } from '../../base/fault.ts'
import type { Observe } from '../../base/observe.ts'
import type { BeginTrace, Span, SpanAttributes, SpanKind } from '../../engine/tracing.ts'
import { version } from '../../http/openapi/version.ts'

const kinds: Record<SpanKind, Kinds> = {
  server: Kinds.SERVER,
  client: Kinds.CLIENT,
  internal: Kinds.INTERNAL,
  consumer: Kinds.CONSUMER,
}
/** Both the interval and the timeout for sending spans. If the queue is full, spans are dropped. */
const batchMs = 1_000
const timeoutMs = 5_000

export type Tracing = { readonly begin: BeginTrace | null; readonly close: () => Promise<void> }

const propagator = new W3CTraceContextPropagator()

/**
 * Sends spans in batches, with OTLP over HTTP. It registers nothing globally, because one process may run several services. If
 * the receiver is unavailable, spans are lost and the loss is logged. Requests are not affected.
 */
export function exportTraces(url: string, observe: Observe): Tracing {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'broadgauge', 'service.version': version }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportingFailures(exporter, observe),
        scheduledDelayMillis: batchMs,
        exportTimeoutMillis: timeoutMs,
      }),
    ],
  })
  const tracer = provider.getTracer('broadgauge', version)
  return {
    begin: (name, kind, attributes, headers) =>
      begin(tracer, propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter), name, kind, attributes),
    close: () =>
      provider.shutdown().catch((error: unknown) => observe({ kind: 'store-error', store: 'traces', error })),
  }
}

function begin(tracer: Tracer, parent: Context, name: string, kind: SpanKind, attributes: SpanAttributes): Span {
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent)
  const context = trace.setSpan(parent, span)
  return {
    traceId: span.spanContext().traceId,
    headers: () => {
      const headers: Record<string, string> = {}
      propagator.inject(context, headers, defaultTextMapSetter)
      return headers
    },
    begin: (...given) => begin(tracer, context, ...given),
    note: (noted) => void span.setAttributes(noted),
    end: (error) => {
      if (error !== undefined) span.setAttribute('error.type', kindOf(error)).setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

/** Returns the kind of an error. It never returns the message, which may contain a caller's input. */
const kindOf = (error: unknown): string =>
  error instanceof Fault ? error.code : error instanceof Error ? error.name : typeof error

const reportingFailures = (exporter: OTLPTraceExporter, observe: Observe): SpanExporter => ({
  export: (spans: ReadableSpan[], done: (result: ExportResult) => void) =>
    exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.FAILED)
        observe({ kind: 'store-error', store: 'traces', error: result.error ?? new Error('not taken') })
      done(result)
    }),
  forceFlush: () => exporter.forceFlush(),
  shutdown: () => exporter.shutdown(),
})
