import type { TokenScope } from '../../../src/base/caller.ts'
import type { Rolled } from './tenant-rollups.ts'
import { savedRequest, type Names, type TenantName } from './tenant-world.ts'

export type TenantRequest = {
  /** The operation as the OpenAPI document names it. */
  readonly operation: string
  /** Distinguishes this request from others of the same operation. */
  readonly what: string
  readonly scope: TokenScope | null
  /** A second scope that the token needs. */
  readonly alsoNeeds?: TokenScope
  readonly path: string
  readonly body?: string | undefined
  /** True if the request creates a file. */
  readonly makesFile?: boolean
  /** The tenants whose rollups must be in the response. Undefined if the response needs no rollups. */
  readonly rolled?: Rolled
}

const points = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'total',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-01 00:00', to: '2026-01-31 23:59' },
}
const records = { test: 'httpget', date: { from: '2026', to: '2026' } }

const post = (path: string, what: string, asked: object): TenantRequest => ({
  operation: `POST ${path}`,
  what,
  scope: 'data:read',
  path,
  body: JSON.stringify(asked),
  makesFile: /csv|download/.test(path),
})

/** Requests to every route with the names of one tenant, in every position where a route accepts a name. */
export function tenantRequests(caller: TenantName, names: Names, isOwn: boolean): TenantRequest[] {
  const { agent, unit, mac, panel, key, value, target, exportId } = names
  return [
    ...['metrics', 'presets', 'tests', 'splits', 'filters'].map((path): TenantRequest => ({
      operation: `GET /${path}`,
      what: 'all',
      scope: 'data:read',
      path: `/${path}`,
    })),
    {
      operation: 'GET /response-internal-server-error',
      what: 'all',
      scope: null,
      path: '/response-internal-server-error',
    },
    ...valueRequests(names),
    ...metricRequests(names),
    ...summedRequests(names),
    ...queriedRequests(names),
    ...recordRequests(names),
    ...[{ panel: undefined }, { panel }, { panel: [panel] }].map((more) =>
      post('/test_data', `panel as ${Array.isArray(more.panel) ? 'a list' : typeof more.panel}`, {
        ...records,
        ...more,
      }),
    ),
    ...['/test_data/estimate', '/test_data.csv', '/test_data_download'].map((path) =>
      post(path, 'panel', { ...records, panel }),
    ),
    ...['/metric_data/estimate', '/metric_data.csv', '/metric_data_download'].map((path) =>
      post(path, 'panel', { ...points, panel, splits: ['agent', 'target'] }),
    ),
    ...questionRequests(caller, names, isOwn),
    download('GET', exportId),
    // The caller's own export is not removed, because the test needs it until the end.
    ...(isOwn ? [] : [download('DELETE', exportId)]),
    ...[
      ['agent', agent.replaceAll('-', '')],
      ['unit', String(unit)],
      ['mac', mac],
    ].flatMap(([field, id]) => readRequests(String(field), String(id))),
    ...[
      { agent_id: agent },
      { unit_id: unit },
      { mac_address: mac },
      { custom: { [key]: value } },
      { agent_id: agent, unit_id: unit },
    ].flatMap((selector) => [changeRequest(caller, selector, true), changeRequest(caller, selector, false)]),
    {
      operation: 'POST /ingest/{test}',
      what: 'agent_id',
      scope: 'ingest:write',
      path: '/ingest/ping',
      body: JSON.stringify({
        agent_id: agent,
        dtime: '2026-02-01 00:00:00',
        target: `from-${caller}-${target.length}`,
        successes: 1,
        failures: 0,
      }),
    },
  ]
}

/**
 * A question is read by its key. The key of a saved question is the caller's own, because each organisation has its own keys:
 * a question with the key of another tenant would be a new question of the caller.
 */
function questionRequests(
  caller: TenantName,
  { question, panel, agent, target, link }: Names,
  isOwn: boolean,
): TenantRequest[] {
  const read = (what: string, tail: string, operation = `GET /questions/{key}`): TenantRequest => ({
    operation,
    what,
    scope: 'data:read',
    path: `/questions/${question}${tail}`,
  })
  const data = 'GET /questions/{key}/data'
  return [
    { operation: 'GET /questions', what: 'all', scope: 'data:read', path: '/questions' },
    read('key', ''),
    read('version', '?version=1'),
    read('versions', '/versions', 'GET /questions/{key}/versions'),
    read('links', '/links', 'GET /questions/{key}/links'),
    // A link is its own credential: whose token a visitor sends makes no difference.
    ...(isOwn ? ['', '.csv', '.svg', '.json'] : []).map((suffix): TenantRequest => ({
      operation: `GET /s/{secret}${suffix}`,
      what: 'link',
      scope: null,
      path: `${link.path}${suffix}`,
    })),
    read('run', '/data', data),
    read('version', '/data?version=1&format=csv', data),
    read('parameters', `/data?agent=${agent}&target=${target}`, data),
    {
      operation: 'PUT /questions/{key}',
      what: 'panel',
      scope: 'questions:write',
      path: `/questions/qz-${caller}-saved`,
      body: JSON.stringify({ name: 'saved', request: savedRequest(panel) }),
    },
    // The caller's own question is not deleted, because the test needs it until the end.
    ...(isOwn
      ? []
      : [
          {
            operation: 'DELETE /questions/{key}',
            what: 'key',
            scope: 'questions:write' as const,
            path: `/questions/${question}`,
          },
          {
            operation: 'POST /questions/{key}/links',
            what: 'key',
            scope: 'questions:write' as const,
            alsoNeeds: 'data:read' as const,
            path: `/questions/${question}/links`,
            body: JSON.stringify({ label: 'of another tenant' }),
          },
          ...[question, `qz-${caller}-question`].map((key) => ({
            operation: 'DELETE /questions/{key}/links/{id}',
            what: 'id',
            scope: 'questions:write' as const,
            path: `/questions/${key}/links/${link.id}`,
          })),
        ]),
  ]
}

const download = (method: string, id: string): TenantRequest => ({
  operation: `${method} /downloads/{id}`,
  what: 'id',
  scope: 'data:read',
  path: `/downloads/${id}`,
})

const readRequests = (field: string, id: string): TenantRequest[] =>
  ['', '/history'].map((tail) => ({
    operation: `GET /metadata/{field}/{value}${tail}`,
    what: field,
    scope: 'metadata:read',
    path: `/metadata/${field}/${id}${tail}`,
  }))

const changeRequest = (caller: TenantName, selector: object, dryRun: boolean): TenantRequest => ({
  operation: 'PUT /metadata',
  what: `${Object.keys(selector).join()}${dryRun ? ', tried' : ''}`,
  scope: 'metadata:write',
  path: '/metadata',
  body: JSON.stringify({ agent: selector, metadata: { custom: { mark: `by-${caller}` } }, dry_run: dryRun }),
})

const valueRequests = ({ agent, unit, target, key, value }: Names): TenantRequest[] =>
  [
    ['agent', agent],
    ['unit', String(unit)],
    ['target', target],
    ['base', agent.slice(0, 8)],
    [`custom.${key}`, value],
    [`custom.${key}`, ''],
    ['custom.mark', agent.slice(0, 8)],
  ].map(([id = '', search = '']) => ({
    operation: 'GET /filters/{id}/values',
    what: `${id.replace(key, 'key')} ${search === '' ? 'all' : 'search'}`,
    scope: 'data:read' as const,
    path: `/filters/${encodeURIComponent(id)}/values?limit=20${search === '' ? '' : `&search=${encodeURIComponent(search)}`}`,
  }))

function metricRequests({ agent, unit, target, key, value, panel }: Names): TenantRequest[] {
  const dimensions: [string, string][] = [
    ['agent', agent],
    ['unit', String(unit)],
    ['target', target],
    [`custom.${key}`, value],
  ]
  const filtered = dimensions.flatMap(([id, filterValue]) =>
    ['include', 'exclude'].map((filterType) =>
      post('/metric_data', `${filterType} ${id.replace(key, 'key')}`, {
        ...points,
        filters: [{ id, filterType, filterValues: [filterValue] }],
        splits: ['agent', 'unit', 'target'],
      }),
    ),
  )
  return [
    ...filtered,
    post('/metric_data', 'panel', { ...points, panel }),
    post('/metric_data', 'raw', { ...points, chartType: 'raw', splits: ['base', 'target'] }),
    post('/metric_data', 'split', { ...points, splits: [`custom.${key}`] }),
  ]
}

/** Requests in the query string, in every format, with filters that list a name or match a part of it. */
function queriedRequests({ agent, target, key, value, panel }: Names): TenantRequest[] {
  const range = { metric: 'httpget', aggregation: 'total', prefilter: 'false', from: '2026-01-01', to: '2026-01-31' }
  const ways: [what: string, more: Record<string, string>][] = [
    ['panel', { panel, split: 'agent' }],
    ['include', { 'filter.agent': agent, split: 'target', format: 'csv' }],
    ['starts_with', { 'filter.agent.starts_with': agent.slice(0, 8), split: 'agent', format: 'ndjson' }],
    ['matches', { 'filter.target.matches': `^${target}$`, split: 'target', format: 'arrow' }],
    ['contains', { [`filter.custom.${key}.contains`]: value, split: 'unit' }],
    ['raw', { 'filter.agent.contains': agent.slice(1), chartType: 'raw', format: 'csv' }],
  ]
  return ways.map(([what, more]) => ({
    operation: 'GET /metric_data',
    what,
    scope: 'data:read',
    path: `/metric_data?${String(new URLSearchParams({ ...range, ...more }))}`,
  }))
}

/** Test data with filters, in every format. */
function recordRequests({ agent, unit, target, key, value }: Names): TenantRequest[] {
  const ways: [format: string, filter: object][] = [
    ['json', { id: 'agent', filterType: 'include', filterValues: [agent] }],
    ['csv', { not: { id: 'unit', filterType: 'include', filterValues: [unit] } }],
    ['ndjson', { any: [{ id: 'target', filterType: 'matches', filterValues: [`^${target}$`] }] }],
    ['arrow', { id: `custom.${key}`, filterType: 'starts_with', filterValues: [value] }],
  ]
  return ways.map(([format, filter]) =>
    post('/test_data', `filtered, as ${format}`, { ...records, filters: [filter], format }),
  )
}

/** Every combination of split and filter that has its own rollup grain. */
function summedRequests({ target, panel }: Names): TenantRequest[] {
  const filtered = (filterType: string) => ({ filters: [{ id: 'target', filterType, filterValues: [target] }] })
  const ways: [what: string, rolled: Rolled, more: object][] = [
    ['all', 'all', {}],
    ['by ISP', 'all', { splits: ['isp'], normalised: true }],
    ['by package', 'all', { splits: ['package'], aggregation: 'monthly' }],
    ['by model', 'all', { splits: ['base'], aggregation: 'daily' }],
    ['by model and target', 'all', { splits: ['base', 'target'], normalised: true }],
    ['panel', 'the named', { panel, splits: ['base', 'target'] }],
    ['include', 'the named', { ...filtered('include'), splits: ['base'] }],
    ['exclude', 'the others', { ...filtered('exclude'), splits: ['base', 'target'] }],
  ]
  // A request for whole days reads only rollups. A request that ends in the middle of a day also reads results.
  const upto = { none: '2026-01-30 23:59:59', sketch: '2026-01-31 11:59:59' }
  return ways.flatMap(([what, rolled, more]) =>
    Object.entries(upto).map(([percentiles, to]) => ({
      ...post('/metric_data', `rollups, ${percentiles}: ${what}`, {
        ...points,
        time: { ...points.time, to },
        ...more,
        percentiles,
        // Intervals by agents need the results.
        intervals: 'results',
      }),
      rolled,
    })),
  )
}
