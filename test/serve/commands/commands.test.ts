import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasTokenForm } from '../../../src/base/token.ts'
import { createProgram } from '../../../src/serve/program.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
const folder = mkdtempSync(join(tmpdir(), 'broadgauge-commands-'))

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

let warnings = ''

async function run(...words: string[]): Promise<string> {
  let text = ''
  warnings = ''
  const program = createProgram({
    environment: world.environment,
    write: (more) => void (text += more),
    warn: (more) => void (warnings += more),
  })
  await program.parseAsync(words, { from: 'user' })
  return text
}

const json = async (...words: string[]): Promise<Record<string, unknown>> =>
  JSON.parse(await run(...words, '--json')) as Record<string, unknown>

function file(name: string, ...lines: string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const count = async (table: string): Promise<number> =>
  (await runSql<{ n: number }>(world.superuserUrl, `SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? -1

describe('org', () => {
  it('creates an organisation with access to everything, or to what is listed', async () => {
    expect(await json('org', 'create', 'acme', '--name', 'Acme Ltd')).toMatchObject({
      key: 'acme',
      tests: ['*'],
      metrics: ['*'],
    })
    expect(await json('org', 'create', 'narrow', '--tests', 'dns, ping', '--metrics', '')).toMatchObject({
      tests: ['dns', 'ping'],
      metrics: [],
    })
    expect(await run('org', 'list')).toMatch(
      /^id +key +name +tests +metrics +frame_origins\n\d+ +acme +Acme Ltd +\* +\* +-\n/,
    )
  })

  it('replaces the origins that may frame links, and refuses what is no origin', async () => {
    await run('org', 'create', 'framed')
    const origins = ['https://www.example.org', 'https://intern.example.org:8443']
    const framed = await json('org', 'frame', 'framed', '--origins', origins.join(', '))
    expect(framed).toMatchObject({ frame_origins: origins })
    for (const wrong of [
      'www.example.org',
      'https://example.org/path',
      'https://a.example;script-src',
      '*',
      "'self'",
    ]) {
      await expect(run('org', 'frame', 'framed', '--origins', wrong)).rejects.toThrow('--origins takes origins')
    }
    await expect(run('org', 'frame', 'unknown', '--origins', '')).rejects.toThrow('no organisation "unknown"')
    expect(await json('org', 'frame', 'framed', '--origins', '')).toMatchObject({ frame_origins: [] })
  })

  it('reports a name that is taken, an invalid name, and an unknown test', async () => {
    await expect(run('org', 'create', 'acme')).rejects.toThrow('organisations_key_key')
    await expect(run('org', 'create', 'No Good')).rejects.toThrow('violates the rule')
    await expect(run('org', 'create', 'x', '--tests', 'htpget')).rejects.toThrow('no such test: htpget')
    await expect(run('org', 'entitle', 'nobody', '--tests', 'all')).rejects.toThrow('There is no organisation "nobody"')
  })

  it('replaces entitlements', async () => {
    expect(await json('org', 'entitle', 'narrow', '--metrics', 'all')).toMatchObject({
      tests: ['dns', 'ping'],
      metrics: ['*'],
    })
  })
})

describe('token', () => {
  it('shows a token once, and stores only its hash and first characters', async () => {
    const created = await json('token', 'create', 'acme', '--scopes', 'data:read,ingest:write', '--label', 'ci')
    const secret = String(created['token'])
    expect(hasTokenForm(secret)).toBe(true)
    const [row] = await runSql<Record<string, unknown>>(world.superuserUrl, 'SELECT * FROM tokens')
    expect(JSON.stringify(row)).not.toContain(secret.slice(8))
    expect(row).toMatchObject({
      visible_part: secret.slice(0, 8),
      scopes: ['data:read', 'ingest:write'],
      expires_at: null,
    })
    expect(await run('token', 'list', 'acme')).toContain(secret.slice(0, 8))
    expect(await run('token', 'list', 'acme')).not.toContain(secret)
  })

  it('accepts an expiry in days or as a time', async () => {
    await run('token', 'create', 'acme', '--scopes', 'data:read', '--expires', '30')
    await run('token', 'create', 'acme', '--scopes', 'data:read', '--expires', '2031-01-31T00:00:00Z')
    const rows = await runSql<{ expires_at: Date }>(
      world.superuserUrl,
      'SELECT expires_at FROM tokens WHERE expires_at IS NOT NULL ORDER BY id',
    )
    expect(rows.map(({ expires_at }) => expires_at.toISOString())[1]).toBe('2031-01-31T00:00:00.000Z')
    await expect(run('token', 'create', 'acme', '--scopes', 'data:read', '--expires', 'soon')).rejects.toThrow(
      '--expires takes',
    )
    await expect(run('token', 'create', 'acme', '--scopes', 'data:write')).rejects.toThrow('--scopes takes')
  })

  it('revokes a token, also twice, and reports an unknown token', async () => {
    expect(await run('token', 'revoke', '1')).toBe('Token 1 is revoked.\n')
    await run('token', 'revoke', '1')
    await expect(run('token', 'list', 'nobody')).rejects.toThrow('There is no organisation')
    await expect(run('token', 'revoke', '99')).rejects.toThrow('There is no token 99')
    await expect(run('token', 'revoke', '1; DROP')).rejects.toThrow('takes a whole number')
  })
})

describe('panel and agent', () => {
  const header = 'agent_id,unit_id,mac_address,kind,base,country'

  it('creates a panel and changes who may read it', async () => {
    await run('panel', 'create', 'uk', '--owner', 'acme')
    await run('panel', 'create', 'us', '--owner', 'acme')
    expect(await json('panel', 'subscribe', 'uk', 'narrow')).toMatchObject({ owner: 'acme', subscribers: ['narrow'] })
    expect(await json('panel', 'unsubscribe', 'uk', 'narrow')).toMatchObject({ subscribers: [] })
    await expect(run('panel', 'subscribe', 'uk', 'acme')).rejects.toThrow('owns the panel')
    await expect(run('panel', 'create', 'x', '--owner', 'nobody')).rejects.toThrow('There is no organisation')
  })

  it('registers agents from a file, and updates them from the next', async () => {
    const first = file('first.csv', `\uFEFF${header}`, 'AB-1,1,00:11:22,whitebox,m1,GB', 'phone,,,mobile,"m,2",', '')
    expect(await json('agent', 'import', 'uk', first)).toEqual({ lines: 2, created: 2, changed: 0 })
    const second = file(
      'second.csv',
      'kind,agent_id,unit_id,mac_address,country,base',
      'whitebox,ab1,1,,,',
      'cpe,new,2,,,',
    )
    expect(await json('agent', 'import', 'uk', second)).toEqual({ lines: 2, created: 1, changed: 1 })
    expect(await json('agent', 'read', 'a-b-1')).toMatchObject({
      agent_id: 'ab1',
      unit_id: '1',
      panel: 'uk',
      number: 1,
    })
    expect((await run('agent', 'list', 'uk', '--limit', '2')).split('\n')).toHaveLength(4)
    expect(warnings).toBe('There are more than these 2 rows; a larger --limit shows them.\n')
    expect(await json('agent', 'list', 'uk')).toHaveLength(await count('agents'))
    expect(warnings).toBe('')
    expect(await json('panel', 'list')).toMatchObject([
      { key: 'uk', kinds: ['cpe', 'mobile', 'whitebox'] },
      { key: 'us' },
    ])
  })

  it('refuses a file with one bad line, names the lines, and writes nothing', async () => {
    const before = await count('agents')
    const bad = file(
      'bad.csv',
      header,
      'ok,10,,whitebox,,',
      'ok2,10,,whitebox,,',
      'O-K,11,,whitebox,,',
      'x,1.5,,whitebox,,',
      'y,12,,toaster,,',
      'other,1,,whitebox,,',
      'phone2,,00-11-22,mobile,,',
    )
    await expect(run('agent', 'import', 'uk', bad)).rejects.toThrow(
      /Nothing was imported[^]*line 3: unit_id: also on line 2[^]*line 4: agent_id: also on line 2[^]*line 5: unit_id[^]*line 6: kind/,
    )
    await expect(
      run('agent', 'import', 'us', file('taken.csv', header, 'ab-1,50,,whitebox,,', 'zz,2,,cpe,,')),
    ).rejects.toThrow(/line 2: agent_id: belongs to another panel[^]*line 3: unit_id: belongs to another agent/)
    await expect(run('agent', 'import', 'uk', file('typo.csv', 'agentid,kind', 'a,web'))).rejects.toThrow(
      'typo.csv: the first line must name the columns',
    )
    await expect(run('agent', 'import', 'uk', file('ragged.csv', header, 'a,1'))).rejects.toThrow('ragged.csv')
    await expect(run('agent', 'import', 'uk', join(folder, 'missing.csv'))).rejects.toThrow('missing.csv')
    const folderOf = (name: string, bytes: Uint8Array) => {
      writeFileSync(join(folder, name), bytes)
      return join(folder, name)
    }
    const latin = Buffer.concat([Buffer.from(`${header}\nx,90,,whitebox,m`), Buffer.from([0xf3]), Buffer.from(',GB\n')])
    await expect(run('agent', 'import', 'uk', folderOf('latin.csv', latin))).rejects.toThrow('latin.csv')
    await expect(
      run('agent', 'import', 'uk', file('twice.csv', 'agent_id,unit_id,unit_id,kind,base,country', 'a,1,2,web,,')),
    ).rejects.toThrow('each once')
    await expect(run('agent', 'import', 'uk', file('less.csv', 'agent_id,unit_id,kind', 'ab1,1,web'))).rejects.toThrow(
      'must name the columns',
    )
    await expect(run('agent', 'import', 'uk', file('quote.csv', header, `"a,1${'x'.repeat(70_000)}`))).rejects.toThrow(
      'quote.csv',
    )
    await expect(run('agent', 'import', 'uk', file('nul.csv', header, 'a\u0000,1,,whitebox,,'))).rejects.toThrow(
      'line 2',
    )
    await expect(run('agent', 'import', 'uk', file('nul2.csv', header, 'ok9,1009,,whitebox,m\u0000,'))).rejects.toThrow(
      'line 2',
    )
    writeFileSync(join(folder, 'empty.csv'), '')
    await expect(run('agent', 'import', 'uk', join(folder, 'empty.csv'))).rejects.toThrow('empty.csv')
    await expect(run('agent', 'import', 'uk', file('header.csv', header))).rejects.toThrow(
      'no rows after the first line',
    )
    await expect(run('agent', 'list', 'nowhere')).rejects.toThrow('There is no panel "nowhere"')
    await expect(run('agent', 'list', 'uk', '--limit', 'all')).rejects.toThrow('--limit takes a whole number')
    expect(await count('agents')).toBe(before)
  })

  it('uses up no agent number for existing agents', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `again-${index},${500_000 + index},,cpe,m,GB`)
    const path = file('again.csv', header, ...lines)
    await run('agent', 'import', 'us', path)
    expect(await run('agent', 'import', 'us', path)).toBe(
      '50 lines: 0 agents registered, 50 agents set to the values of the file\n',
    )
    const numberOf = async (id: string) => Number((await json('agent', 'read', id))['number'])
    for (let round = 0; round < 3; round += 1) await run('agent', 'import', 'us', path)
    await run('agent', 'import', 'us', file('one-more.csv', header, 'one-more,600000,,cpe,,'))
    expect(await numberOf('one-more')).toBe((await numberOf('again-49')) + 1)
  })

  it('lets one of two concurrent imports of the same agent into different panels win, and refuses the other', async () => {
    const path = file(
      'race.csv',
      header,
      ...Array.from({ length: 3_000 }, (_, index) => `race-${index},${700_000 + index},,cpe,m,GB`),
    )
    const outcomes = await Promise.allSettled([run('agent', 'import', 'uk', path), run('agent', 'import', 'us', path)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const refused = outcomes.find((outcome) => outcome.status === 'rejected')
    expect(String(refused?.reason)).toContain('belongs to another panel')
  })

  it('registers 100,000 agents in one import', { timeout: 60_000 }, async () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `bulk-${index},${1_000_000 + index},,cpe,m,GB`)
    expect(await json('agent', 'import', 'us', file('bulk.csv', header, ...lines))).toEqual({
      lines: 100_000,
      created: 100_000,
      changed: 0,
    })
  })
})

describe('package', () => {
  const header = 'isp,package,download_mbps,upload_mbps'
  const today = Temporal.Now.plainDateISO('UTC')

  it('adds ISPs and packages, and records speeds that differ from today on', async () => {
    const first = file('packages.csv', header, 'Acme,Basic,36,5.5', 'Acme,Pro: 1G,1000,', 'Beta,Basic,,')
    expect(await json('package', 'import', first)).toEqual({ lines: 3, created: 3, changed: 0 })
    const second = file('p2.csv', header, 'Acme,Basic,40,6', 'Acme,Pro: 1G,1000,', 'Beta,Basic,,', 'Beta,New,1,1')
    expect(await json('package', 'import', second)).toEqual({ lines: 4, created: 1, changed: 1 })
    expect(await run('package', 'import', second)).toBe('4 lines: 0 packages added, 0 updated\n')
    expect(await json('package', 'list', '--isp', 'Acme')).toMatchObject([
      { isp: 'Acme', package: 'Basic', download_mbps: 40, upload_mbps: 6 },
      { isp: 'Acme', package: 'Pro: 1G', download_mbps: 1000, upload_mbps: null },
    ])
    const basic = { isp: 'Acme', package: 'Basic' }
    const yesterday = today.subtract({ days: 1 }).toString()
    expect(await json('package', 'history', 'Acme:')).toMatchObject([
      { ...basic, from_day: '1970-01-01', to_day: yesterday, download_mbps: 36, upload_mbps: 5.5, replaced: false },
      { ...basic, from_day: today.toString(), to_day: null, download_mbps: 40, upload_mbps: 6, replaced: false },
      { package: 'Pro: 1G', from_day: '1970-01-01', to_day: null, download_mbps: 1000, upload_mbps: null },
    ])
    expect(await json('package', 'history', 'Beta:Basic')).toEqual([])
    await expect(run('package', 'import', file('p3.csv', header, 'A:B,x,,', 'C,y,,', 'C,y,,'))).rejects.toThrow(
      /line 2: isp[^]*line 4: package: also on line 3/,
    )
    expect(await count('isps')).toBe(2)
  })

  it('records a correction from an earlier day on, and gives a package its first speed from the beginning', async () => {
    const recorded = await count('package_speeds')
    const back = file('p4.csv', header, 'Acme,Basic,38,6', 'Beta,Basic,80,')
    expect(await json('package', 'import', back, '--from', '2024-02-29')).toMatchObject({ created: 0, changed: 2 })
    expect(await json('package', 'import', back, '--from', '2024-02-29')).toMatchObject({ created: 0, changed: 0 })
    expect(await json('package', 'history', 'Acme:Basic')).toMatchObject([
      { from_day: '1970-01-01', to_day: '2024-02-28', download_mbps: 36, replaced: false },
      { from_day: today.toString(), to_day: null, download_mbps: 40, replaced: true },
      { from_day: '2024-02-29', to_day: null, download_mbps: 38, replaced: false },
    ])
    expect(await json('package', 'history', 'Beta:Basic')).toMatchObject([
      { from_day: '1970-01-01', download_mbps: 80 },
    ])
    const ranged = file('p5.csv', header, 'Acme,Basic,,')
    expect(await json('package', 'import', ranged)).toMatchObject({ changed: 1 })
    expect(await json('package', 'list', '--isp', 'Acme')).toMatchObject([{ download_mbps: null }, {}])
    expect(await count('package_speeds')).toBe(recorded + 3)
  })

  it('refuses a day in the future or without meaning, and records nothing', async () => {
    const recorded = await count('package_speeds')
    const one = file('p6.csv', header, 'Acme,Basic,1,1')
    const tomorrow = today.add({ days: 1 }).toString()
    await expect(run('package', 'import', one, '--from', tomorrow)).rejects.toThrow('is in the future')
    await expect(run('package', 'import', one, '--from', '2024-02-30')).rejects.toThrow('there is no day 2024-02-30')
    await expect(run('package', 'history', 'Acme')).rejects.toThrow('<isp>:<package>')
    expect(await count('package_speeds')).toBe(recorded)
  })
})

it('accepts days for building and verifying rollups, not for their status', () => {
  const rollup = createProgram({ environment: {}, write: () => {} }).commands.find((one) => one.name() === 'rollup')
  const withDays = rollup?.commands.filter(({ options }) => options.some(({ long }) => long === '--from'))
  expect(withDays?.map((one) => one.name())).toEqual(['build', 'verify'])
})

it('names the setting that a command lacks', async () => {
  const program = createProgram({
    environment: { ...world.environment, BROADGAUGE_POSTGRES_ADMIN_URL: undefined },
    write: () => {},
  })
  await expect(program.parseAsync(['org', 'list'], { from: 'user' })).rejects.toThrow(
    'BROADGAUGE_POSTGRES_ADMIN_URL: is required',
  )
})
