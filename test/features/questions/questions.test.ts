import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { questionLimits } from '../../../src/check/question/content.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openQuestionWorld, question, request, storedQuestions, type QuestionWorld } from './question-world.ts'

let world: QuestionWorld

beforeAll(async () => {
  world = await openQuestionWorld()
})
afterAll(() => world.world.close())

const put = (key: string, body: unknown, headers: Record<string, string> = {}) =>
  world.send('PUT', `/questions/${key}`, { body, headers })
const get = (path: string) => world.send('GET', `/questions${path}`)

const keys = async (): Promise<unknown[]> => ((await get('')).body['data'] as { key: string }[]).map(({ key }) => key)

describe('saving', () => {
  it('creates version 1, adds versions with each change, and keeps the former ones with who and when', async () => {
    const before = Date.now()
    expect((await put('kept', question)).body['data']).toEqual({ key: 'kept', version: 1 })
    const changed = {
      ...question,
      name: 'Speed, weekly',
      chart: { kind: 'bar' },
      tags: ['report'],
      description: 'a\nb',
    }
    expect((await put('kept', changed)).body['data']).toEqual({ key: 'kept', version: 2 })
    const by = { kind: 'token', name: 'test' }
    const current = (await get('/kept')).body['data'] as { changed_at: string }
    expect(current).toEqual({
      ...changed,
      key: 'kept',
      version: 2,
      chart: { kind: 'bar', statistic: 'metricValue' },
      changed_at: expect.any(String),
      changed_by: by,
    })
    expect(Math.abs(Date.parse(current.changed_at) - before)).toBeLessThan(60_000)
    expect((await get('/kept?version=1')).body['data']).toMatchObject({
      version: 1,
      name: 'Speed',
      chart: null,
      tags: [],
    })
    expect((await get('/kept/versions')).body['data']).toEqual([
      { version: 2, name: 'Speed, weekly', changed_at: current.changed_at, changed_by: by },
      { version: 1, name: 'Speed', changed_at: expect.any(String), changed_by: by },
    ])
  })

  it('adds no version if nothing changes, and one if a former version is saved again', async () => {
    await put('same', question)
    expect((await put('same', { ...question, name: ' Speed ', tags: null })).body['data']).toMatchObject({ version: 1 })
    expect((await put('same', { ...question, tags: ['x'] })).body['data']).toMatchObject({ version: 2 })
    expect((await put('same', question)).body['data']).toMatchObject({ version: 3 })
  })

  it('lists the current versions in the order of the keys, without the requests', async () => {
    await put('b-listed', question)
    await put('a-listed', { ...question, tags: ['one'] })
    const listed = (await get('')).body['data'] as { key: string }[]
    expect(listed.map(({ key }) => key)).toEqual(listed.map(({ key }) => key).toSorted())
    expect(listed.find(({ key }) => key === 'a-listed')).toEqual({
      key: 'a-listed',
      version: 1,
      name: 'Speed',
      description: '',
      tags: ['one'],
      changed_at: expect.any(String),
      changed_by: { kind: 'token', name: 'test' },
    })
  })

  it('checks the request as POST /metric_data does, and names all faults at once', async () => {
    const wrong = { ...request, metric: 'nothing', filters: [{ id: 'isp', filterType: 'include' }] }
    const posted = await world.send('POST', '/metric_data', { body: wrong })
    const stored = await storedQuestions(world.world)
    const refused = await put('wrong', { ...question, name: '', request: wrong })
    expect([posted.status, refused.status]).toEqual([422, 422])
    const inside = Object.entries(posted.body['errors'] as object).map(([path, messages]) => [
      `request${path.replace(/^\w+/, '[$&]')}`,
      messages,
    ])
    expect(refused.body['errors']).toEqual({ name: [expect.any(String)], ...Object.fromEntries(inside) })
    expect(Object.keys(refused.body['errors'] as object)).toContain('request[filters][0][filterValues]')
    expect(refused.body['details']).toHaveProperty('request[metric]')
    expect(await storedQuestions(world.world)).toEqual(stored)
  })

  it.each([
    ['a format', { request: { ...request, format: 'csv' } }, ['request[format]']],
    ['a statistic that the points lack', { chart: { kind: 'line', statistic: 'percentiles.3' } }, ['chart[statistic]']],
    [
      'a statistic of raw points',
      { request: { ...request, chartType: 'raw' }, chart: { kind: 'line', statistic: 'median' } },
      ['chart[statistic]'],
    ],
    ['an unknown parameter', { parameters: ['nothing'] }, ['parameters[0]']],
  ])('refuses %s', async (_what, more, paths) => {
    const { status, body } = await put('refused', { ...question, ...more })
    expect([status, Object.keys(body['errors'] as object)]).toEqual([422, paths])
    expect(await keys()).not.toContain('refused')
  })

  it('refuses a key of another form, and parameters in the URL', async () => {
    for (const key of ['Speed', 'a.csv', 'a'.repeat(64), '%2e%2ea', '-']) {
      expect([key, (await put(key, question)).body['errors']]).toEqual([key, { key: [expect.any(String)] }])
    }
    expect((await put('x?name=1', question)).body['errors']).toEqual({ name: [expect.any(String)] })
    expect(await keys()).not.toContain('x')
  })

  it('does not find a key of another form', async () => {
    for (const key of ['Speed', '%00', 'a%2Fb', 'a'.repeat(64), '%ED%A0%80']) {
      const found = [await get(`/${key}`), await get(`/${key}/versions`), await get(`/${key}/data`)]
      const removed = await world.send('DELETE', `/questions/${key}`)
      expect([key, ...[...found, removed].map(({ status }) => status)]).toEqual([key, 404, 404, 404, 404])
    }
  })

  it('keeps relative times and every character of a filter value', async () => {
    const odd = 'a b\\u0041"\u2028\ud83d\ude00'
    const kept = {
      ...request,
      time: { from: '-30 days', to: 'now' },
      filters: [{ id: 'target', filterType: 'include', filterValues: [odd] }],
    }
    expect((await put('odd', { ...question, request: kept })).body).toMatchObject({ code: 'OK' })
    expect((await get('/odd')).body['data']).toMatchObject({ request: kept })
  })
})

describe('an Idempotency-Key', () => {
  it('gives a retry the first outcome, also after a later change, and refuses another request', async () => {
    const key = { 'idempotency-key': 'save-once' }
    const first = await put('once', question, key)
    await put('once', { ...question, name: 'Later' })
    const retried = await put('once', question, key)
    expect([first.body['data'], retried.body['data']]).toEqual([
      { key: 'once', version: 1 },
      { key: 'once', version: 1 },
    ])
    expect((await get('/once')).body['data']).toMatchObject({ version: 2, name: 'Later' })
    const other = await put('once', { ...question, name: 'Other' }, key)
    const elsewhere = await put('once-more', question, key)
    expect([other.status, elsewhere.status]).toEqual([422, 422])
    expect(await keys()).not.toContain('once-more')
  })

  it('gives the retry of a deletion its outcome', async () => {
    await put('gone-once', question)
    const headers = { 'idempotency-key': 'delete-once' }
    const remove = () => world.send('DELETE', '/questions/gone-once', { headers })
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 200])
    expect((await world.send('DELETE', '/questions/gone-once')).status).toBe(404)
  })
})

describe('deleting', () => {
  it('leaves nothing to read, and the key begins again with version 1', async () => {
    await put('deleted', question)
    await put('deleted', { ...question, name: 'Second' })
    expect((await world.send('DELETE', '/questions/deleted')).body).toEqual({
      code: 'OK',
      message: 'Request successful',
    })
    const gone = ['/deleted', '/deleted?version=1', '/deleted/versions', '/deleted/data', '/deleted/data?version=1']
    expect(await Promise.all(gone.map(async (path) => (await get(path)).status))).toEqual(gone.map(() => 404))
    expect(await keys()).not.toContain('deleted')
    const left = await runSql(
      world.world.superuserUrl,
      'SELECT FROM question_versions WHERE question_id NOT IN (SELECT id FROM questions)',
    )
    expect(left).toEqual([])
    expect((await put('deleted', question)).body['data']).toMatchObject({ version: 1 })
    expect((await get('/deleted?version=2')).status).toBe(404)
  })
})

describe('many changes', () => {
  it('at the same time give each change a version of its own', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => put('busy', { ...question, name: `Speed ${index}` })),
    )
    const versions = answers.map(({ body }) => (body['data'] as { version: number }).version)
    expect(versions.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    expect(((await get('/busy/versions')).body['data'] as unknown[]).length).toBe(20)
  })

  it('end at the limits, which leave other questions and organisations alone', async () => {
    const { superuserUrl } = world.world
    const { versionsMax, questionsMax } = questionLimits
    await put('full', question)
    await runSql(superuserUrl, `UPDATE questions SET version = ${versionsMax - 1} WHERE key = 'full'`)
    await runSql(
      superuserUrl,
      `UPDATE question_versions SET version = ${versionsMax - 1} WHERE question_id = (SELECT id FROM questions WHERE key = 'full')`,
    )
    expect((await put('full', { ...question, name: 'Last' })).body['data']).toMatchObject({ version: versionsMax })
    expect((await put('full', { ...question, name: 'Too many' })).body['errors']).toEqual({
      body: [expect.any(String)],
    })
    expect((await put('full', { ...question, name: 'Last' })).status).toBe(200)
    const here = (await keys()).length
    await runSql(
      superuserUrl,
      `WITH made AS (
         INSERT INTO questions (organisation_id, key, version)
         SELECT organisation_id, 'made-' || n, 1 FROM generate_series(1, $1::integer) AS n,
           (SELECT organisation_id FROM questions LIMIT 1) AS one RETURNING id, organisation_id)
       INSERT INTO question_versions (question_id, organisation_id, version, name, description, request, parameters, tags, token_id)
       SELECT id, organisation_id, 1, '', '', '{}', '{}', '{}', (SELECT min(token_id) FROM question_versions) FROM made`,
      [questionsMax - here - 1],
    )
    expect((await put('the-last', question)).status).toBe(200)
    expect((await put('too-many', question)).body['errors']).toEqual({ body: [expect.any(String)] })
    expect((await put('the-last', { ...question, name: 'Changed' })).body['data']).toMatchObject({ version: 2 })
    expect(await keys()).toHaveLength(questionsMax)
    const south = await world.send('PUT', '/questions/of-south', { token: world.tokens.south, body: question })
    expect(south.status).toBe(200)
    await runSql(superuserUrl, `DELETE FROM questions WHERE key LIKE 'made-%'`)
  })
})
