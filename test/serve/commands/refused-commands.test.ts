import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProgram } from '../../../src/serve/program.ts'
import { organisation, panel } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

/** These commands must be refused. Otherwise they would do nothing useful and still report success. */
let world: World
const folder = mkdtempSync(join(tmpdir(), 'broadgauge-refused-'))

beforeAll(async () => {
  world = await openWorld()
  for (const key of ['acme', 'other']) await organisation(world, key)
  await panel(world, 'homes', 'acme', ['whitebox'])
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

async function run(words: string[], more: Record<string, string> = {}): Promise<{ text: string; code: number }> {
  let text = ''
  let code = 0
  const program = createProgram({
    environment: { ...world.environment, ...more },
    write: (part) => void (text += part),
    exitWith: (one) => void (code = one),
  })
  await program.parseAsync(words, { from: 'user' })
  return { text, code }
}

const count = async (table: string): Promise<number> =>
  (await runSql<{ n: number }>(world.superuserUrl, `SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? -1

describe('rollup', () => {
  it.each(['build', 'status', 'verify'])('%s refuses an unknown panel', async (name) => {
    await expect(run(['rollup', name, '--panel', 'hoems'])).rejects.toThrow('There is no panel "hoems"')
  })

  it.each([
    [['--from', '2026-13-01'], 'there is no day 2026-13-01'],
    [['--to', '2026-02-30'], 'there is no day 2026-02-30'],
    [['--to', '2025-02-29'], 'there is no day 2025-02-29'],
    [['--from', '20260101'], 'a day has the form YYYY-MM-DD, not "20260101"'],
    [['--from', '2026-01-02', '--to', '2026-01-01'], '--from 2026-01-02 is later than --to 2026-01-01'],
    [['--from', '2999-01-01'], '--from 2999-01-01 is too late'],
  ])('refuses the days %j', async (days, message) => {
    for (const name of ['build', 'verify']) await expect(run(['rollup', name, ...days])).rejects.toThrow(message)
  })

  it.each([[[]], [['--panel', 'homes']], [['--from', '2024-02-29', '--to', '2024-02-29']]])(
    'verify %j reports that it compared nothing, and exits with 1, if nothing was built',
    async (words) => {
      expect(await run(['rollup', 'verify', ...words])).toEqual({
        text: 'Nothing was compared: no day in this range has a rollup.\n',
        code: 1,
      })
      expect(await run(['rollup', 'verify', ...words, '--json'])).toEqual({ text: '[]\n', code: 1 })
    },
  )
})

it.each([',', '', ' , '])('results duplicates refuses an empty list of tests: --tests "%s"', async (tests) => {
  await expect(run(['results', 'duplicates', '--tests', tests])).rejects.toThrow('--tests names no test')
})

it.each(['0', '2020-01-01T00:00:00Z'])('token create refuses an expired token: --expires %s', async (when) => {
  const before = await count('tokens')
  const create = run(['token', 'create', 'acme', '--scopes', 'data:read', '--expires', when])
  await expect(create).rejects.toThrow(`--expires ${when} is in the past`)
  expect(await count('tokens')).toBe(before)
})

it('token create accepts an expiry before the year 10000, and refuses a later one', async () => {
  const create = (when: string) => run(['token', 'create', 'acme', '--scopes', 'data:read', '--expires', when])
  await create('9999-12-31T23:59:59Z')
  const before = await count('tokens')
  for (const when of ['+010000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00'])
    await expect(create(when)).rejects.toThrow(`--expires ${when} must be before the year 10000`)
  expect(await count('tokens')).toBe(before)
})

describe('user create --provider', () => {
  const create = (organisationKey: string, provider: string, more: Record<string, string> = {}) =>
    run(['user', 'create', organisationKey, `${organisationKey}-${provider}`, '--provider', provider], more)
  const signIn = (): Record<string, string> => {
    const path = join(folder, 'sign-in.json')
    const own = { title: 'A', issuer: 'https://login.example', client_id: 'broadgauge' }
    writeFileSync(path, JSON.stringify([{ ...own, key: 'acme-login', organisation: 'acme' }]))
    return { BROADGAUGE_SIGN_IN_FILE: path }
  }

  it('accepts a provider of the organisation', async () => {
    expect((await create('acme', 'acme-login', signIn())).text).toContain('signs in with the provider acme-login')
  })

  it('refuses a misspelt provider, and one of another organisation', async () => {
    const before = await count('users')
    await expect(create('acme', 'acme-logn', signIn())).rejects.toThrow(
      'BROADGAUGE_SIGN_IN_FILE has no provider "acme-logn" of acme; providers of acme: acme-login',
    )
    await expect(create('other', 'acme-login', signIn())).rejects.toThrow('providers of other: none')
    expect(await count('users')).toBe(before)
  })

  it('accepts any provider if none is configured', async () => {
    expect((await create('other', 'elsewhere')).text).toContain('signs in with the provider elsewhere')
  })
})
