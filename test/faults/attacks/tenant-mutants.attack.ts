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
  // Who puts sums together is no caller, and no policy holds for it: without this they would be everybody's from the start.
  [
    'src/compile/rollup/build-rollup.ts',
    '${from}\nGROUP BY ${names(keys)}`',
    "${from}\n  AND panel IN ${bind('Array(UInt32)', plan.panels)}\nGROUP BY ${names(keys)}`",
  ],
]
/** PostgreSQL tells a caller's builds from others': that is a wall too. */
const noPanelsInSums: Change[] = [
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

/** Builds with a wall torn down, and what the matrix of tenants must find in each. */
const builds: [what: string, changes: Change[], leaks: RegExp | null][] = [
  ['without the panels in its statements', [...noPanelsInStatements, ...noPanelsInSums], null],
  ['without the engine’s row policies', noRowPolicies, null],
  [
    'without either over results, so that the matrix is known to notice',
    [...noPanelsInStatements, ...noRowPolicies],
    /Z4 .*qz/,
  ],
  ['without either over sums', [...noPanelsInSums, ...noRowPolicies], /Z4 .*: sums of /],
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
  // What was found tells a leak from a build that does not run.
  expect(leaks === null ? said === '' : leaks.test(said), `${what}: ${said.slice(-3_000)}`).toBe(true)
})
