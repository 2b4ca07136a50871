import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed } from '../dice.ts'
import { openTally } from './tally.ts'

type Change = readonly [path: string, sound: string, broken: string]

const anyPanel = [
  "sql`panel IN ${bind('Array(UInt32)', panels)}`",
  "sql`length(${bind('Array(UInt32)', panels)}) >= 0`",
] as const
const noPanelsInStatements: Change[] = [
  ['src/compile/samples.ts', ...anyPanel],
  ['src/compile/test-records.ts', ...anyPanel],
]
const noRowPolicies: Change[] = [
  [
    'devstack/clickhouse/users.d/row-policies.xml',
    "has(JSONExtract(getSetting('log_comment'), 'panels', 'Array(UInt32)'), panel)",
    '1',
  ],
]

/** Builds with a wall torn down, and what the matrix of tenants must say of each. */
const builds: [what: string, changes: Change[], leaks: boolean][] = [
  ['without the panels in its statements', noPanelsInStatements, false],
  ['without the engine’s row policies', noRowPolicies, false],
  ['without either, so that the matrix is known to notice', [...noPanelsInStatements, ...noRowPolicies], true],
]
const tally = openTally('mutants under the tenants', newSeed())
let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'broadgauge-mutant-'))
  for (const name of ['src', 'test', 'devstack', 'migrations', 'package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(name, join(copy, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true }))

/** What the matrix says in the copy; empty when it found nothing. */
async function runMatrix(): Promise<string> {
  const environment = {
    ...process.env,
    CI: '',
    // Engines with the copy's configuration, not those of this run.
    BROADGAUGE_TEST_STACK: 'mutant',
    BROADGAUGE_TEST_SHARDS: '',
    BROADGAUGE_FAULTS: '1',
    BROADGAUGE_FAULTS_COUNT: '1',
    BROADGAUGE_FAULTS_REPORT: join(copy, 'tallies'),
    BROADGAUGE_DEVSTACK_DIR: join(copy, '.devstack'),
  }
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', 'test/faults/attacks/tenants.attack.ts']
  return promisify(execFile)(process.execPath, vitest, { cwd: copy, env: environment, maxBuffer: 1e8 }).then(
    () => '',
    (error: { stdout: string; stderr: string }) => `${error.stdout}\n${error.stderr}`,
  )
}

it.each(builds)('a build %s', { timeout: 600_000 }, async (what, changes, leaks) => {
  const originals = changes.map(([path]) => [path, readFileSync(path, 'utf8')] as const)
  for (const [path, sound, broken] of changes) {
    const original = readFileSync(path, 'utf8')
    expect(original).toContain(sound)
    writeFileSync(join(copy, path), original.replaceAll(sound, broken))
  }
  try {
    const said = await runMatrix()
    tally.count(said === '' ? 'leaks nothing' : 'noticed')
    // "Z4" tells a leak from a build that does not run.
    expect(said.includes('Z4'), `${what}: ${said.slice(-3_000)}`).toBe(leaks)
    expect(said === '', said.slice(-3_000)).toBe(!leaks)
    if (leaks) tally.report(builds.length)
  } finally {
    for (const [path, original] of originals) writeFileSync(join(copy, path), original)
  }
})
