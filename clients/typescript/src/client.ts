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
  /** Base URL of the data interface. The operator of the service knows it. */
  readonly url: string
  readonly token: string
  /** Base URL of the metadata interface, if it differs from `url`. */
  readonly metadataUrl?: string
  readonly metadataToken?: string
  /** How many times a request is repeated if the service is busy or unavailable. The default is 4. */
  readonly retries?: number
  readonly fetch?: typeof fetch
}

export type AggregateRequest = Omit<Types.MetricRequest, 'chartType' | 'aggregation'> & {
  aggregation: NonNullable<Types.MetricRequest['aggregation']>
}
export type RawRequest = Omit<Types.MetricRequest, 'chartType' | 'aggregation' | Statistics>

/** Members of a request that raw points do not have. */
type Statistics =
  | 'preset'
  | 'percentiles'
  | 'percentileLevels'
  | 'histogram'
  | 'fields'
  | 'intervals'
  | 'include'
  | 'wholePeriods'
  | 'compare'

export type FilterValue = Types.ListFilterValuesResponse['data'][number]
export type MetricSeries = { metricData: Types.AggregatedPoint[] }

export type Client = {
  metrics: (options?: CallOptions) => Promise<Types.MetricListEntry[]>
  /** Returns statistics that authorities publish, as fields of a request. */
  presets: (options?: CallOptions) => Promise<Types.PresetListEntry[]>
  tests: (options?: CallOptions & { kind?: 'unit' | 'mobile' }) => Promise<TestKey[]>
  splits: (options?: CallOptions) => Promise<Types.SplitListEntry[]>
  filters: (options?: CallOptions) => Promise<Types.FilterListEntry[]>
  /** Returns values of a filter that start with the searched text or contain it. */
  filterValues: (id: string, options?: CallOptions & { search?: string; limit?: number }) => Promise<FilterValue[]>
  /** Returns aggregated points, as one series for each combination of split values. */
  metricData: (request: AggregateRequest, options?: QueryOptions) => Promise<MetricSeries[]>
  /** Yields one point per result, as the points arrive. */
  rawMetricData: (request: RawRequest, options?: QueryOptions) => AsyncGenerator<Types.RawPoint>
  /** Yields stored results of a test, as they arrive. */
  testData: <Test extends TestKey>(
    request: Types.TestDataRequest & { test: Test },
    options?: CallOptions,
  ) => AsyncGenerator<TestRecords[Test]>
  /** Returns what a request for points would cost. */
  estimateMetricData: (request: AggregateRequest | RawRequest, options?: CallOptions) => Promise<Types.QueryEstimate>
  /** Returns what a request for stored results would cost. */
  estimateTestData: (request: Types.TestDataRequest, options?: CallOptions) => Promise<Types.QueryEstimate>
  export: ExportClient
  metadata: MetadataClient
}

/** Number of open braces and brackets around a record of test data. `rawPointDepth` is the same for a raw point. */
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
    presets: (call) => list('/presets', call),
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
    estimateMetricData: async (request, call) => {
      const chartType = 'aggregation' in request ? 'aggregate' : 'raw'
      return readData(await post('/metric_data/estimate', { ...request, chartType }, call))
    },
    estimateTestData: async (request, call) => readData(await post('/test_data/estimate', request, call)),
    export: exportClient(data),
    metadata: metadataClient({ ...data, baseUrl: withoutSlash(metadataUrl), token: metadataToken }),
  }
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
