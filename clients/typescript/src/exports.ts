import { ExportFailedError } from './errors.ts'
import type { Export, MetricExportRequest, MetricRequest, TestDataRequest } from './generated/types.ts'
import { pause, readData, send, type CallOptions, type TransportOptions } from './transport.ts'

export type ExportOptions = CallOptions & {
  readonly format?: NonNullable<MetricExportRequest['format']>
  readonly onProgress?: (state: Export) => void
  readonly idempotencyKey?: string
}

export type ExportClient = {
  /** Requests a file of metric data and waits until it is complete. */
  metricData: (request: MetricRequest, options?: ExportOptions) => Promise<Export>
  /** Requests a file of test data and waits until it is complete. */
  testData: (request: TestDataRequest, options?: ExportOptions) => Promise<Export>
  read: (id: string, options?: CallOptions) => Promise<Export>
  cancel: (id: string, options?: CallOptions) => Promise<void>
}

const longestPauseMs = 5_000

export function exportClient(transport: TransportOptions): ExportClient {
  const read = async (id: string, { signal }: CallOptions = {}): Promise<Export> =>
    readData(await send(transport, { method: 'GET', path: `/downloads/${encodeURIComponent(id)}`, signal }))

  const make = async (path: string, request: object, options: ExportOptions = {}): Promise<Export> => {
    const { format = 'csv', onProgress, signal, idempotencyKey = crypto.randomUUID() } = options
    const body = { ...request, format }
    let state = await readData<Export>(await send(transport, { method: 'POST', path, body, idempotencyKey, signal }))
    for (
      let wait = 250;
      state.status === 'queued' || state.status === 'running';
      wait = Math.min(wait * 1.5, longestPauseMs)
    ) {
      onProgress?.(state)
      await pause(wait, signal)
      state = await read(state.id, { signal })
    }
    if (state.status === 'failed') throw new ExportFailedError(state.id, state.failure)
    onProgress?.(state)
    return state
  }

  return {
    metricData: (request, options) => make('/metric_data_download', request, options),
    testData: (request, options) => make('/test_data_download', request, options),
    read,
    cancel: async (id, { signal } = {}) => {
      const path = `/downloads/${encodeURIComponent(id)}`
      await (await send(transport, { method: 'DELETE', path, signal })).body?.cancel()
    },
  }
}
