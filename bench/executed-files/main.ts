/**
 * How many of our own files a request runs through: `npm run bench -- executed-files`. V8 counts the functions that are called
 * between a request and the end of its answer; a file counts when one of its functions was. The same request is made before, so
 * that what is done once is not counted.
 */
import { Session } from 'node:inspector/promises'
import { importAgents } from '../../src/engine/postgres/operator/import-agents.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import { adminUrl } from '../../src/serve/config.ts'
import { startService } from '../../src/serve/service.ts'
import { openEngines } from '../rig/engines.ts'
import { report } from '../rig/report.ts'

type Asked = { readonly method: string; readonly path: string; readonly body?: object }

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
  { method: 'PUT', path: '/metadata', body: { agent: { agent_id: 'wb-1' }, metadata: { isp: 'Northnet' } } },
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
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const files = result
    .filter(({ url, functions }) => url.startsWith(root) && functions.some(isCalled))
    .map(({ url }) => url.slice(root.length))
    .toSorted()
  console.log(files.join('\n'))
  return { files: files.length, 'limits and audit': files.filter((file) => /limit|audit|slot/.test(file)).length }
}

const isCalled = ({ ranges }: { ranges: { count: number }[] }): boolean => ranges.some(({ count }) => count > 0)
