import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed } from '../dice.ts'
import { copyBuild, type Change, type MutantBuild } from './mutant-build.ts'
import { openTally } from './tally.ts'

const anyPanel = [
  "sql`panel IN ${bind('Array(UInt32)', panels)}`",
  "sql`length(${bind('Array(UInt32)', panels)}) >= 0`",
] as const
const noPanelsInStatements: Change[] = [
  ['src/compile/metric/samples.ts', ...anyPanel],
  ['src/compile/metric/test-records.ts', ...anyPanel],
  [
    'src/compile/values/search-values.ts',
    "WHERE panel IN ${bind('Array(UInt32)', panels)}",
    "WHERE length(${bind('Array(UInt32)', panels)}) >= 0",
  ],
  // The rollup job is not a caller, and no row policy applies to it. This change limits a rollup to the panels of its
  // plan. Without it, every rollup of this build would contain the results of all tenants.
  [
    'src/compile/rollup/build-rollup.ts',
    '${from}\nGROUP BY ${names(keys)}`',
    "${from}\n  AND panel IN ${bind('Array(UInt32)', plan.panels)}\nGROUP BY ${names(keys)}`",
  ],
]
/**
 * Removes the conditions that restrict rollups to the caller's panels. The list of builds is one of these conditions:
 * PostgreSQL returns only the rollup builds of the caller's own panels.
 */
const noPanelsInRollups: Change[] = [
  ['src/compile/rollup/stored-cells.ts', ...anyPanel],
  [
    'src/compile/rollup/stored-cells.ts',
    "sql`${dayOfBuild} IN ${bind('Array(UInt64)', rolled.daysOfBuilds)}`",
    "sql`${dayOfBuild} >= length(${bind('Array(UInt64)', rolled.daysOfBuilds)}) * 0`",
  ],
  [
    'src/compile/rollup/late-results.ts',
    "WHERE panel IN ${bind('Array(UInt32)', panels)}",
    "WHERE length(${bind('Array(UInt32)', panels)}) >= 0",
  ],
]
const noRowPolicies: Change[] = [
  [
    'devstack/clickhouse/users.d/row-policies.xml',
    "has(JSONExtract(getSetting('log_comment'), 'panels', 'Array(UInt32)'), panel)",
    '1',
  ],
]

/**
 * Builds of the service without one or more of the checks, and what the attack must find in each build. The pattern is
 * null if another check still prevents the leak.
 */
const builds: [what: string, changes: Change[], leaks: RegExp | null][] = [
  ['without the panels in its statements', [...noPanelsInStatements, ...noPanelsInRollups], null],
  ['without the engine’s row policies', noRowPolicies, null],
  [
    'without either over results, to show that the matrix detects it',
    [...noPanelsInStatements, ...noRowPolicies],
    /Z4 .*qz/,
  ],
  ['without either over rollups', [...noPanelsInRollups, ...noRowPolicies], /Z4 .*: rollup of /],
]
const tally = openTally('mutants under the tenants', newSeed())
let copy: MutantBuild

beforeAll(() => {
  copy = copyBuild('test/faults/attacks/tenants.attack.ts')
})
afterAll(() => {
  copy.remove()
  tally.report(builds.length)
})

it.each(builds)('a build %s', { timeout: 1_200_000 }, async (what, changes, leaks) => {
  const said = await copy.attackWith(changes)
  tally.count(said === '' ? 'leaks nothing' : 'noticed')
  // The output must match the pattern. Any output would not be enough: a build that does not run prints an error too.
  expect(leaks === null ? said === '' : leaks.test(said), `${what}: ${said.slice(-3_000)}`).toBe(true)
})
