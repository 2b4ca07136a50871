import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed } from '../dice.ts'
import { copyBuild, type Change, type MutantBuild } from './mutant-build.ts'
import { openTally } from './tally.ts'

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
let copy: MutantBuild

beforeAll(() => {
  copy = copyBuild('test/faults/attacks/tenants.attack.ts')
})
afterAll(() => copy.remove())

it.each(builds)('a build %s', { timeout: 600_000 }, async (what, changes, leaks) => {
  const said = await copy.attackWith(changes)
  tally.count(said === '' ? 'leaks nothing' : 'noticed')
  // "Z4" tells a leak from a build that does not run.
  expect(said.includes('Z4'), `${what}: ${said.slice(-3_000)}`).toBe(leaks)
  expect(said === '', said.slice(-3_000)).toBe(!leaks)
  if (leaks) tally.report(builds.length)
})
