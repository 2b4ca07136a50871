import { bytesOf, type FlatFormat } from './bytes.ts'
import { exportClient, type ExportClient } from './exports.ts'
import type * as Types from './generated/types.ts'
import { metadataClient, type MetadataClient } from './metadata.ts'
import { questionClient, type QuestionClient } from './questions.ts'
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

export type AggregateRequest = Omit<Types.MetricRequest, 'chartType' | 'aggregation' | 'format'> & {
  aggregation: NonNullable<Types.MetricRequest['aggregation']>
}
export type RawRequest = Omit<Types.MetricRequest, 'chartType' | 'aggregation' | 'format' | Statistics>
export type TestDataRequest = Omit<Types.TestDataRequest, 'format'>

/** `limit` is the number of points or records of a page. */
export type Paged = { limit: number }

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
  /** Yields the pages of a response. Fails with `CURSOR_EXPIRED` if the metadata changes in between. */
  metricDataPages: (request: AggregateRequest & Paged, options?: QueryOptions) => AsyncGenerator<MetricSeries[]>
  /** Yields one point per result, as the points arrive. */
  rawMetricData: (request: RawRequest, options?: QueryOptions) => AsyncGenerator<Types.RawPoint>
  /** Yields stored results of a test, as they arrive. */
  testData: <Test extends TestKey>(
    request: TestDataRequest & { test: Test },
    options?: CallOptions,
  ) => AsyncGenerator<TestRecords[Test]>
  /** Yields pages of stored results, for programs that cannot hold a stream. */
  testDataPages: <Test extends TestKey>(
    request: TestDataRequest & Paged & { test: Test },
    options?: CallOptions,
  ) => AsyncGenerator<TestRecords[Test][]>
  /** Yields the bytes of points as CSV, NDJSON or Arrow, as they arrive. */
  metricDataAs: (
    format: FlatFormat,
    request: AggregateRequest | RawRequest,
    options?: QueryOptions,
  ) => AsyncGenerator<Uint8Array>
  /** Yields the bytes of stored results as CSV, NDJSON or Arrow, as they arrive. */
  testDataAs: (format: FlatFormat, request: TestDataRequest, options?: CallOptions) => AsyncGenerator<Uint8Array>
  /** Returns what a request for points would cost. */
  estimateMetricData: (request: AggregateRequest | RawRequest, options?: CallOptions) => Promise<Types.QueryEstimate>
  /** Returns what a request for stored results would cost. */
  estimateTestData: (request: TestDataRequest, options?: CallOptions) => Promise<Types.QueryEstimate>
  export: ExportClient
  metadata: MetadataClient
  questions: QuestionClient
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

  const estimate = async (request: AggregateRequest | RawRequest, call?: CallOptions): Promise<Types.QueryEstimate> =>
    readData(await post('/metric_data/estimate', withChartType(request), call))
  /** Estimates a request first if the caller wants to know of expensive ones. Without an estimate, the request is sent. */
  const ask = async (request: AggregateRequest | RawRequest, call?: QueryOptions, more?: object): Promise<Response> => {
    if (call?.onExpensive !== undefined) {
      const found = await estimate(request, call).catch(() => null)
      if (found !== null && isExpensive(found)) await call.onExpensive(found)
    }
    return post('/metric_data', { ...withChartType(request), ...more }, call)
  }

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
    metricData: async (request, call) => readData(await ask(request, call), call),
    rawMetricData: async function* (request, call) {
      const response = await ask(request, call, { chartType: 'raw' })
      yield* rowsAt(readWarnings(response, call), rawPointDepth, call?.signal)
    },
    testData: async function* (request, call) {
      yield* rowsAt(await post('/test_data', request, call), recordDepth, call?.signal)
    },
    metricDataPages: (request, call) =>
      pagesOf(async (after, onNext) =>
        readData(await ask({ ...request, ...after }, call), { ...call, onMeta: both(onNext, call?.onMeta) }),
      ),
    testDataPages: (request, call) =>
      pagesOf(async (after, onMeta) => readData(await post('/test_data', { ...request, ...after }, call), { onMeta })),
    metricDataAs: async function* (format, request, call) {
      const response = await ask(request, call, { format })
      yield* bytesOf(readWarnings(response, call), format, call?.signal)
    },
    testDataAs: async function* (format, request, call) {
      yield* bytesOf(await post('/test_data', { ...request, format }, call), format, call?.signal)
    },
    estimateMetricData: estimate,
    estimateTestData: async (request, call) => readData(await post('/test_data/estimate', request, call)),
    export: exportClient(data),
    metadata: metadataClient({ ...data, baseUrl: withoutSlash(metadataUrl), token: metadataToken }),
    questions: questionClient(data),
  }
}

const both = (one: (meta: Types.Meta) => void, other: QueryOptions['onMeta']) => (meta: Types.Meta) => {
  one(meta)
  other?.(meta)
}

/** Reads page after page until there is no cursor of a next page. */
async function* pagesOf<Page>(
  read: (after: { after?: string }, onNext: (meta: { next?: string | null }) => void) => Promise<Page>,
): AsyncGenerator<Page> {
  const cursor: { next: string | null } = { next: null }
  do {
    const after = cursor.next === null ? {} : { after: cursor.next }
    yield await read(after, ({ next = null }) => void (cursor.next = next))
  } while (cursor.next !== null)
}

const withChartType = (request: AggregateRequest | RawRequest) => ({
  ...request,
  chartType: 'aggregation' in request ? 'aggregate' : 'raw',
})

/** A request that could take longer than this is expensive. */
const expensiveSeconds = 10

const isExpensive = ({ fits, seconds: [, high] }: Types.QueryEstimate): boolean => !fits || high > expensiveSeconds

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
