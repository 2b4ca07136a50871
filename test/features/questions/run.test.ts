import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeSubscription } from '../../../src/engine/postgres/operator/panels.ts'
import { changeEntitlements } from '../../../src/engine/postgres/operator/organisations.ts'
import { readAuditRecords } from './audit-records.ts'
import { openQuestionWorld, question, request, valuesOf, type QuestionWorld } from './question-world.ts'

let world: QuestionWorld

beforeAll(async () => {
  world = await openQuestionWorld()
  await save('speed', question)
})
afterAll(() => world.world.close())

async function save(key: string, body: object): Promise<void> {
  const { status, text } = await world.send('PUT', `/questions/${key}`, { body })
  expect([status, text]).toEqual([200, expect.any(String)])
}

const run = (path: string, token?: string) =>
  world.send('GET', `/questions/${path}`, token === undefined ? {} : { token })

const fetched = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${world.base}/questions/${path}`, { headers: { authorization: world.tokens.north, ...headers } })

describe('running a question', () => {
  it('gives the answer of POST /metric_data', async () => {
    const posted = await world.send('POST', '/metric_data', { body: request })
    const answer = await run('speed/data')
    expect(answer.body).toEqual(posted.body)
    expect(valuesOf(answer)).toEqual([75, 76])
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)))
    expect(answer.headers.get('transfer-encoding')).toBeNull()
  })

  it('gives the same numbers in CSV, NDJSON and Arrow as POST /metric_data, with a length', async () => {
    for (const format of ['csv', 'ndjson', 'arrow']) {
      const posted = await fetch(`${world.base}/metric_data?format=${format}`, {
        method: 'POST',
        headers: { authorization: world.tokens.north, 'content-type': 'application/json' },
        body: JSON.stringify(request),
      })
      const answer = await fetched(`speed/data?format=${format}`)
      const bytes = await answer.bytes()
      expect([format, Buffer.compare(bytes, await posted.bytes())]).toEqual([format, 0])
      expect(answer.headers.get('content-type')).toBe(posted.headers.get('content-type'))
      expect(answer.headers.get('content-disposition')).toBe(posted.headers.get('content-disposition'))
      expect(Number(answer.headers.get('content-length'))).toBe(bytes.length)
    }
    const accepted = await fetched('speed/data', { accept: 'text/csv' })
    expect(await accepted.text()).toMatch(/^"dtime","metricValue",.*\r\n"2026-01-05",75,/)
  })

  it('takes the time range and the named filters from the query string', async () => {
    expect(valuesOf(await run('speed/data?from=2026-01-06'))).toEqual([76])
    expect(valuesOf(await run('speed/data?to=2026-01-05'))).toEqual([75])
    expect(valuesOf(await run('speed/data?target=paris'))).toEqual([100, 101])
    expect(valuesOf(await run('speed/data?target=paris&target=london&from=2026-01-06'))).toEqual([76])
    expect(valuesOf(await run('speed/data?target=paris&country=FR'))).toEqual([])
  })

  it('replaces the filter that the request has by a parameter', async () => {
    const filters = [{ id: 'target', filterType: 'include', filterValues: ['paris'] }]
    await save('of-paris', { ...question, request: { ...request, filters } })
    expect(valuesOf(await run('of-paris/data'))).toEqual([100, 101])
    expect(valuesOf(await run('of-paris/data?target=london'))).toEqual([50, 51])
  })

  it('refuses every other parameter, and those with wrong values by their names', async () => {
    const refused: [string, string[]][] = [
      ['isp=Northnet', ['isp']],
      ['metric=latency', ['metric']],
      ['filter.target=paris', ['filter.target']],
      ['panel=north-homes', ['panel']],
      ['from=2026-01-05&from=2026-01-06', ['from']],
      ['from=soon', ['from']],
      ['from=2026-02-01', ['from']],
      ['format=xlsx', ['format']],
      ['version=0', ['version']],
      ['%66rom=x&x', ['x']],
    ]
    for (const [query, fields] of refused) {
      const { status, body } = await run(`speed/data?${query}`)
      expect([query, status, Object.keys(body['errors'] ?? {})]).toEqual([query, 422, fields])
    }
  })

  it('moves relative times with the clock', async () => {
    const { body: saved } = await world.send('POST', '/metric_data', {
      body: { ...request, time: { from: '-3 days', to: 'now' }, include: ['meta'] },
    })
    await save('recent', {
      ...question,
      request: { ...request, time: { from: '-3 days', to: 'now' }, include: ['meta'] },
    })
    const { body } = await run('recent/data')
    expect(body['meta']).toMatchObject({ time: expect.any(Object) })
    expect(dayOf(body)).toBe(dayOf(saved))
    expect(dayOf((await run('recent/data?from=-10%20days')).body)).toBe(
      String(Temporal.PlainDate.from(dayOf(body)).subtract({ days: 7 })),
    )
  })
})

const dayOf = ({ meta }: Record<string, unknown>): string => (meta as { time: { from: string } }).time.from.slice(0, 10)

describe('raw points', () => {
  it('are complete before they are sent, in every format', async () => {
    await save('every-result', { ...question, request: { ...request, chartType: 'raw' } })
    const posted = await world.send('POST', '/metric_data', { body: { ...request, chartType: 'raw' } })
    const answer = await run('every-result/data')
    expect(valuesOf(answer)).toHaveLength(4)
    expect(answer.body).toEqual(posted.body)
    expect(answer.headers.get('content-length')).toBe(String(answer.text.length))
    for (const format of ['csv', 'ndjson', 'arrow']) {
      const { headers, status } = await fetched(`every-result/data?format=${format}`, { 'accept-encoding': 'gzip' })
      expect([format, status, Number(headers.get('content-length')) > 50]).toEqual([format, 200, true])
    }
  })
})

describe('former versions', () => {
  it('answer as they did', async () => {
    await save('versioned', question)
    const first = await run('versioned/data')
    await save('versioned', {
      ...question,
      request: { ...request, aggregation: 'total' },
      parameters: ['country'],
    })
    expect(valuesOf(await run('versioned/data'))).toEqual([75.5])
    expect((await run('versioned/data?version=1')).body).toEqual(first.body)
    expect(valuesOf(await run('versioned/data?version=1&target=paris'))).toEqual([100, 101])
    expect((await run('versioned/data?version=2&target=paris')).status).toBe(422)
    expect((await run('versioned/data?version=3')).status).toBe(404)
  })
})

describe('the rights of the caller', () => {
  it('are those of the moment: a panel that is gone makes the request invalid, as POST /metric_data says', async () => {
    const lend = (subscribed: boolean) =>
      world.world.operate((operator) =>
        changeSubscription(operator, { panel: 'south-homes', organisation: 'north', subscribed }),
      )
    await lend(true)
    const ofPanel = { ...request, panel: ['south-homes'], aggregation: 'total' }
    await save('lent', { ...question, request: ofPanel })
    expect(valuesOf(await run('lent/data'))).toEqual([75.5])
    await lend(false)
    const posted = await world.send('POST', '/metric_data', { body: ofPanel })
    const answer = await run('lent/data')
    expect([answer.status, posted.status]).toEqual([422, 422])
    const [field = ''] = Object.keys(posted.body['errors'] as object)
    expect(field).toBe('panel[0]')
    expect(answer.body['errors']).toEqual({
      'request[panel][0]': (posted.body['errors'] as Record<string, unknown>)[field],
    })
    expect((await world.send('GET', '/questions/lent')).status).toBe(200)
  })

  it('end with the entitlement to the metric', async () => {
    const entitle = (metrics: string[]) =>
      world.world.operate((operator) => changeEntitlements(operator, 'north', { metrics }))
    await entitle(['latency'])
    const { status, body } = await run('speed/data')
    await entitle(['*'])
    expect([status, Object.keys(body['errors'] as object)]).toEqual([422, ['request[metric]']])
    expect((await run('speed/data')).status).toBe(200)
  })
})

it('records a run in the audit trail as a query, with the question and the request as it ran', async () => {
  const before = (await readAuditRecords(world.world)).length
  await run('speed/data?version=1&target=paris&from=2026-01-06')
  const records = (await readAuditRecords(world.world)).slice(before)
  expect(records).toHaveLength(1)
  expect(records[0]).toMatchObject({
    endpoint: 'GET /questions/:key/data',
    range_from: '2026-01-06T00:00:00',
    body: {
      question: 'speed',
      version: 1,
      request: {
        ...request,
        time: { from: '2026-01-06', to: '2026-01-31' },
        filters: [{ id: 'target', filterType: 'include', filterValues: ['paris'] }],
      },
    },
  })
})
