import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runSql } from '../../kit/run-sql.ts'
import { readAuditRecords } from '../questions/audit-records.ts'
import { question, request } from '../questions/question-world.ts'
import { basic, openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld

beforeAll(async () => {
  world = await openLinkWorld()
})
afterAll(() => world.world.close())

const listed = async (key = 'speed') => {
  const { body } = await world.send('GET', `/questions/${key}/links`)
  return body['data'] as { id: number; uses: number; last_used_at: string | null; visible_part: string }[]
}

describe('a link', () => {
  it('answers with the data of its question, complete and with a length', async () => {
    const path = await world.share()
    const run = async (format: string) => {
      const response = await fetch(`${world.base}/questions/speed/data?format=${format}`, {
        headers: { authorization: world.tokens.north },
      })
      return response.text()
    }
    for (const format of ['csv', 'json']) {
      const { status, headers, text } = await world.visit(`${path}.${format}`)
      expect([status, text]).toEqual([200, await run(format)])
      expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    }
    const page = await world.visit(path)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-length')).toBe(String(Buffer.byteLength(page.text)))
    expect(page.text).toContain('<h1>Speed</h1>')
    expect(page.text).toContain('75.00')
  })

  it('sends no referrer, sets no cookie and allows no frame', async () => {
    const path = await world.share()
    for (const suffix of ['', '.csv', '.svg', '.json', '.xlsx', '?x']) {
      const { headers } = await world.visit(`${path}${suffix}`)
      if (suffix === '.xlsx') continue
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-store')
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(/^default-src 'none';/)
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(suffix === '.svg' ? /script-src|img-src/ : /script-src|unsafe/)
    }
  })

  it('is stored as a hash and eight characters, and listed without its secret', async () => {
    const path = await world.share({ label: 'of the list' })
    const secret = path.slice('/s/'.length)
    const [newest] = await listed()
    expect(newest).toMatchObject({
      label: 'of the list',
      visible_part: secret.slice(0, 8),
      has_password: false,
      uses: 0,
      last_used_at: null,
      expires_at: null,
      created_by: { kind: 'token' },
    })
    const rows = await runSql(world.world.superuserUrl, 'SELECT * FROM question_links')
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(secret).toMatch(/^bgq_[0-9A-Za-z]{36}$/)
  })

  it('counts its uses, and the audit trail records each with the link, the question and the request', async () => {
    const path = await world.share()
    const [{ id } = { id: 0 }] = await listed()
    const before = (await readAuditRecords(world.world)).length
    await world.visit(path)
    await world.visit(`${path}.csv`)
    await world.visit(`${path}.csv?wrong`)
    const [{ uses, last_used_at } = { uses: 0, last_used_at: null }] = await listed()
    expect([uses, last_used_at]).toEqual([2, expect.any(String)])
    const [page, csv, ...more] = (await readAuditRecords(world.world)).slice(before)
    expect(more).toEqual([])
    expect(page).toMatchObject({
      endpoint: 'GET /s/:secret',
      body: { link: id, question: 'speed', version: 1, request: { ...request, include: ['meta'] } },
    })
    expect(csv).toMatchObject({
      endpoint: 'GET /s/:secret.csv',
      body: { link: id, question: 'speed', version: 1, request },
    })
    expect(JSON.stringify([page, csv])).not.toContain(path.slice('/s/bgq_'.length))
  })

  it('follows the current version of its question', async () => {
    await world.send('PUT', '/questions/moving', { body: { ...question, name: 'First' } })
    const path = await world.share({}, { key: 'moving' })
    const first = await world.visit(`${path}.csv`)
    const total = { ...question, name: 'Second', request: { ...request, aggregation: 'total' } }
    await world.send('PUT', '/questions/moving', { body: total })
    expect((await world.visit(path)).text).toContain('<h1>Second</h1>')
    expect((await world.visit(`${path}.csv`)).text).not.toBe(first.text)
    const old = await fetch(`${world.base}/questions/moving/data?version=1&format=csv`, {
      headers: { authorization: world.tokens.north },
    })
    expect(await old.text()).toBe(first.text)
  })

  it('gives raw points as files, and its page reads no results', async () => {
    const raw = { ...question, request: { ...request, chartType: 'raw' } }
    await world.send('PUT', '/questions/raw', { body: raw })
    const path = await world.share({}, { key: 'raw' })
    const before = (await readAuditRecords(world.world)).length
    expect((await world.visit(path)).text).toContain('single results')
    expect(await readAuditRecords(world.world)).toHaveLength(before)
    const csv = await world.visit(`${path}.csv`)
    expect(csv.text.trim().split('\r\n')).toHaveLength(5)
    expect(csv.headers.get('content-length')).toBe(String(Buffer.byteLength(csv.text)))
  })

  it('has a page also for a question that asks for meta, and says which formats cannot have it', async () => {
    const body = { ...question, request: { ...request, include: ['meta'], wholePeriods: true } }
    await world.send('PUT', '/questions/with-meta', { body })
    const path = await world.share({}, { key: 'with-meta' })
    expect([(await world.visit(path)).status, (await world.visit(`${path}.json`)).status]).toEqual([200, 200])
    const totals = { ...question, request: { ...request, splits: ['target'], totals: true } }
    await world.send('PUT', '/questions/with-totals', { body: totals })
    const other = await world.share({}, { key: 'with-totals' })
    const { status, text } = await world.visit(`${other}.csv`)
    expect([status, Object.keys((JSON.parse(text) as { errors: object }).errors)]).toEqual([422, ['format']])
    expect((await world.visit(other)).status).toBe(200)
  })

  it('shows texts of the question as text', async () => {
    const hostile = '<img src=x onerror=alert(1)>"\'&'
    await world.send('PUT', '/questions/hostile', { body: { ...question, name: hostile, description: hostile } })
    const path = await world.share({}, { key: 'hostile' })
    const { text } = await world.visit(path)
    expect(text).not.toContain('<img src=x')
    expect(text).toContain('<h1>&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;</h1>')
  })

  it('takes no parameter, and no method but GET and HEAD', async () => {
    const path = await world.share()
    expect((await world.visit(`${path}.json?from=2026-01-06`)).status).toBe(422)
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers } = await fetch(`${world.base}${path}.csv`, { method })
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
    expect((await fetch(`${world.base}${path}.csv`, { method: 'HEAD' })).status).toBe(200)
  })

  it('has a limit of its own, which other links and tokens do not feel', async () => {
    const [busy, other] = [await world.share(), await world.share()]
    const answers = await Promise.all(Array.from({ length: 60 }, () => world.visit(`${busy}.json?x`)))
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(10)
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await world.visit(`${other}.json`)).status).toBe(200)
    expect((await world.send('GET', '/questions/speed/data')).status).toBe(200)
  })
})

describe('a link with a password', () => {
  const password = 'correct horse battery'

  it('answers only with the password, with any user name', async () => {
    const path = await world.share({ password })
    for (const headers of [{}, basic('wrong horse battery'), basic(''), { authorization: `Bearer ${password}` }]) {
      const { status, headers: sent, text } = await world.visit(`${path}.csv`, headers)
      expect([status, sent.get('www-authenticate')]).toEqual([401, 'Basic realm="shared question", charset="UTF-8"'])
      expect(JSON.parse(text)).toMatchObject({ code: 'PASSWORD_REQUIRED' })
    }
    expect((await world.visit(`${path}.csv`, basic(password))).status).toBe(200)
    expect((await world.visit(path, basic(password, 'ada'))).status).toBe(200)
    const asked = await world.visit(path, { accept: 'text/html,*/*' })
    expect([asked.status, asked.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8'])
  })

  it('refuses a guesser, but not a visitor who has used the right password', async () => {
    const path = await world.share({ password })
    expect((await world.visit(`${path}.json`, basic(password))).status).toBe(200)
    const statuses = []
    for (let guess = 0; guess < 14; guess += 1) {
      statuses.push((await world.visit(`${path}.json`, basic(`a wrong guess ${guess}`))).status)
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401))
    expect(statuses.slice(11)).toEqual(Array(3).fill(429))
    expect((await world.visit(`${path}.json`, basic(password))).status).toBe(200)
  })
})

describe('creating a link', () => {
  it('refuses wrong fields, and a token that may not read data', async () => {
    const refused: [object, string][] = [
      [{}, 'label'],
      [{ label: ' ' }, 'label'],
      [{ label: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
      [{ label: 'x', expires_at: 'soon' }, 'expires_at'],
      [{ label: 'x', password: 'too short' }, 'password'],
      [{ label: 'x', password: 5 }, 'password'],
      [{ label: 'x', parameters: [] }, 'parameters'],
    ]
    const before = await listed()
    for (const [body, field] of refused) {
      const answer = await world.send('POST', '/questions/speed/links', { body })
      expect([answer.status, Object.keys(answer.body['errors'] ?? {})]).toEqual([422, [field]])
    }
    const writer = await world.send('POST', '/questions/speed/links', {
      token: world.tokens.writer,
      body: { label: 'x' },
    })
    expect(writer.status).toBe(403)
    expect(await listed()).toEqual(before)
  })

  it('stops at a hundred links of a question', async () => {
    await world.send('PUT', '/questions/popular', { body: question })
    await runSql(
      world.world.superuserUrl,
      `INSERT INTO question_links (organisation_id, question_id, label, visible_part, sha256, token_id)
       SELECT organisation_id, q.id, 'x', 'bgq_0000', sha256(n::text::bytea), (SELECT min(id) FROM tokens)
       FROM questions q, generate_series(1, 99) n WHERE key = 'popular'`,
    )
    await world.share({}, { key: 'popular' })
    const { status, body } = await world.send('POST', '/questions/popular/links', { body: { label: 'x' } })
    expect([status, body['errors']]).toEqual([
      422,
      { body: ['A question may have at most 100 links: revoke some first.'] },
    ])
    expect(await listed('popular')).toHaveLength(100)
  })
})
