import { exportClient, type ExportClient } from './exports.ts'
import type * as Types from './generated/types.ts'
import { metadataClient, type MetadataClient } from './metadata.ts'
import type { TestKey, TestRecords } from './records.ts'
import { rowsAt } from './rows.ts'
import {
  readData,
  readWarnings,
  send,
  type CallOptions,
  type QueryOptions,
  type TransportOptions,
} from './transport.ts'

export type ClientOptions = {
  /** Address of the data interface, as the operator told you. */
  readonly url: string
  readonly token: string
  /** Of the metadata interface, where they differ. */
  readonly metadataUrl?: string
  readonly metadataToken?: string
  /** How often a request is sent again when the service is busy or away. Four times unless you say so. */
  readonly retries?: number
  readonly fetch?: typeof fetch
}

export type AggregateRequest = Omit<Types.MetricRequest, 'chartType' | 'aggregation'> & {
  aggregation: NonNullable<Types.MetricRequest['aggregation']>
}
export type RawRequest = Omit<Types.MetricRequest, 'chartType' | 'aggregation' | 'percentiles'>
export type FilterValue = Types.ListFilterValuesResponse['data'][number]
export type MetricSeries = { metricData: Types.AggregatedPoint[] }

export type Client = {
  metrics: (options?: CallOptions) => Promise<Types.MetricListEntry[]>
  tests: (options?: CallOptions & { kind?: 'unit' | 'mobile' }) => Promise<TestKey[]>
  splits: (options?: CallOptions) => Promise<Types.SplitListEntry[]>
  filters: (options?: CallOptions) => Promise<Types.FilterListEntry[]>
  /** Values of a filter that begin with, or hold, what is searched for. */
  filterValues: (id: string, options?: CallOptions & { search?: string; limit?: number }) => Promise<FilterValue[]>
  /** Aggregated points, one series for each combination of splits. */
  metricData: (request: AggregateRequest, options?: QueryOptions) => Promise<MetricSeries[]>
  /** One point a result, as they arrive. */
  rawMetricData: (request: RawRequest, options?: QueryOptions) => AsyncGenerator<Types.RawPoint>
  /** Stored results of a test, as they arrive. */
  testData: <Test extends TestKey>(
    request: Types.TestDataRequest & { test: Test },
    options?: CallOptions,
  ) => AsyncGenerator<TestRecords[Test]>
  export: ExportClient
  metadata: MetadataClient
}

/** Braces and brackets around a record of test data, and around a raw point. */
const recordDepth = 2
const rawPointDepth = 4

export function createClient(options: ClientOptions): Client {
  const { url, token, metadataUrl = url, metadataToken = token } = options
  const shared = { retries: options.retries ?? 4, fetch: options.fetch ?? globalThis.fetch.bind(globalThis) }
  const data: TransportOptions = { baseUrl: withoutSlash(url), token, ...shared }
  const list = async <Entry>(path: string, { signal }: CallOptions = {}): Promise<Entry[]> =>
    readData(await send(data, { method: 'GET', path, signal }))
  const post = (path: string, body: unknown, { signal }: CallOptions = {}): Promise<Response> =>
    send(data, { method: 'POST', path, body, signal })

  return {
    metrics: (call) => list('/metrics', call),
    tests: ({ kind, ...call } = {}) => list(kind === undefined ? '/tests' : `/tests?kind=${kind}`, call),
    splits: (call) => list('/splits', call),
    filters: (call) => list('/filters', call),
    filterValues: (id, { signal, ...query } = {}) => {
      const given = Object.entries(query)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]): [string, string] => [name, String(value)])
      return list(`/filters/${encodeURIComponent(id)}/values?${new URLSearchParams(given)}`, { signal })
    },
    metricData: async (request, call) =>
      readData(await post('/metric_data', { ...request, chartType: 'aggregate' }, call), call),
    rawMetricData: async function* (request, call) {
      const response = await post('/metric_data', { ...request, chartType: 'raw' }, call)
      yield* rowsAt(readWarnings(response, call), rawPointDepth, call?.signal)
    },
    testData: async function* (request, call) {
      yield* rowsAt(await post('/test_data', request, call), recordDepth, call?.signal)
    },
    export: exportClient(data),
    metadata: metadataClient({ ...data, baseUrl: withoutSlash(metadataUrl), token: metadataToken }),
  }
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
