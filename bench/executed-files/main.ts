/**
 * Counts how many of our own files a request executes: `npm run bench -- executed-files`. V8 counts the functions that are
 * called between a request and the end of its response. A file counts if one of its functions was called in each of five
 * rounds. So background jobs, which run only in some rounds, do not count. The same request is sent once before the
 * measurement, so that one-time initialisation does not count either.
 */
import { Session } from 'node:inspector/promises'
import { importAgents } from '../../src/engine/postgres/operator/import-agents.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import { adminUrl } from '../../src/serve/config.ts'
import { startService } from '../../src/serve/wiring/service.ts'
import { openEngines } from '../rig/engines.ts'
import { report } from '../rig/report.ts'

type Asked = { readonly method: string; readonly path: string; readonly body?: object }

const rounds = 5
const day = '2026-01-05'
const requests: readonly Asked[] = [
  {
    method: 'POST',
    path: '/metric_data',
    body: {
      metric: 'ping',
      chartType: 'aggregate',
      aggregation: 'daily',
      normalised: false,
      prefilter: false,
      splits: ['isp'],
      filters: [{ id: 'country', filterType: 'include', filterValues: ['GB'] }],
      time: { from: `${day} 00:00`, to: `${day} 23:59:59` },
    },
  },
  {
    method: 'PUT',
    path: '/metadata',
    body: { agent: { agent_id: 'wb-1' }, metadata: { custom: { region: 'north' } } },
  },
  { method: 'GET', path: '/tests' },
]

const root = new URL('../../src/', import.meta.url).href
const engines = await openEngines('bench-executed-files', 18_300)
const service = await startService(engines.settings, () => {})
const session = new Session()
session.connect()
try {
  const token = await prepare()
  await session.post('Profiler.enable')
  const rows = []
  for (const asked of requests) {
    await ask(token, asked)
    rows.push({ request: `${asked.method} ${asked.path}`, ...(await countFiles(() => ask(token, asked))) })
  }
  report('executed-files', rows)
} finally {
  session.disconnect()
  await service.stop('the bench is over')
  await engines.close()
}

async function prepare(): Promise<string> {
  return asOperator(adminUrl(engines.settings), async (operator) => {
    await createOrganisation(operator, { key: 'acme', name: 'acme', tests: ['*'], metrics: ['*'] })
    await createPanel(operator, { key: 'homes', name: 'homes', owner: 'acme' })
    const row = {
      agent_id: 'wb-1',
      unit_id: '1',
      mac_address: null,
      kind: 'whitebox',
      base: 'x',
      country: 'GB',
    } as const
    await importAgents(operator, 'homes', lines([{ line: 2, row }]), () => {})
    const scopes = ['data:read', 'metadata:write'] as const
    const created = { organisation: 'acme', label: 'bench', scopes: [...scopes], expiresAt: null }
    return (await createToken(operator, created)).token
  })
}

async function* lines<Line>(all: readonly Line[]): AsyncGenerator<Line> {
  yield* all
}

async function ask(token: string, { method, path, body }: Asked): Promise<void> {
  const response = await fetch(`${service.addresses.api}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
}

async function countFiles(work: () => Promise<void>) {
  let files = await executedFiles(work)
  for (let round = 1; round < rounds; round += 1) files = files.intersection(await executedFiles(work))
  console.log([...files].toSorted().join('\n'))
  const ofLimits = [...files].filter((file) =>
    /limit|audit|slot|analytics-query|rate|take-requests|running-queries/.test(file),
  )
  return { files: files.size, 'limits and audit': ofLimits.length }
}

async function executedFiles(work: () => Promise<void>): Promise<Set<string>> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const executed = result.filter(
    ({ url, functions }) =>
      url.startsWith(root) && functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
  )
  return new Set(executed.map(({ url }) => url.slice(root.length)))
}
