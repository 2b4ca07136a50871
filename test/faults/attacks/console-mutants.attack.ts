import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed } from '../dice.ts'
import { copyBuild, type Change, type MutantBuild } from './mutant-build.ts'
import { openTally, type Zero } from './tally.ts'

const people = 'migrations/postgres/functions/people.sql'
const doors = 'src/http/console-api/mount-session-routes.ts'
const readable = 'WHERE owner_id = $1 OR id IN (SELECT panel_id FROM panel_subscriptions WHERE organisation_id = $1)'

const noOrganisationInLists: Change[] = [
  ['src/engine/postgres/people/own-tokens.ts', 'WHERE tokens.organisation_id = $1 AND', 'WHERE'],
  [
    'src/engine/postgres/exports/exports.ts',
    "WHERE organisation_id = $1 AND status <> 'cancelled'",
    'WHERE $1::integer > 0',
  ],
  ['src/engine/postgres/access/panels.ts', readable, 'WHERE $1::integer > 0'],
]
const noRowLevelSecurity: Change[] = [
  [
    'migrations/postgres/0011_policies_and_grants.sql',
    'USING (organisation_id = current_organisation())',
    'USING (true)',
  ],
  [
    'migrations/postgres/0011_policies_and_grants.sql',
    'owner_id = current_organisation() OR id IN (SELECT panel_id FROM panel_subscriptions)',
    'true',
  ],
]

/**
 * Builds of the service without one or more of the checks, and the forbidden event (docs/reliability.md) that the
 * attack must report for each build. It is null if another check still prevents the leak.
 */
const builds: [what: string, changes: Change[], zero: Zero | null][] = [
  ['without the organisation in its lists', noOrganisationInLists, null],
  ['that has no row-level security either', [...noOrganisationInLists, ...noRowLevelSecurity], 'Z4'],
  [
    "that admits every person to administrators' routes",
    [[doors, "route.who === 'administrator' &&", 'false &&']],
    'Z4',
  ],
  [
    'that revokes tokens of any organisation',
    [[people, 'AND tokens.revoked_at IS NULL\n    AND tokens.organisation_id = current_organisation()', '']],
    'Z4',
  ],
  [
    'that accepts changes from pages of other sites',
    [
      [
        'src/http/console-api/refuse-foreign-requests.ts',
        'headers[consoleHeader] === undefined',
        'headers.host === undefined',
      ],
    ],
    'Z4',
  ],
  ['that logs the content of a cookie', [[doors, "'no session, or no longer'", 'String(secret)']], 'Z6'],
]
const tally = openTally('mutants of the console', newSeed())
let copy: MutantBuild

beforeAll(() => {
  copy = copyBuild('test/faults/attacks/console-tenants.attack.ts')
})
afterAll(() => {
  copy.remove()
  tally.report(builds.length)
})

it.each(builds)('a build %s', { timeout: 600_000 }, async (what, changes, zero) => {
  const said = await copy.attackWith(changes)
  tally.count(said === '' ? 'leaks nothing' : 'noticed')
  // The output must name the forbidden event, such as Z4. Any output would not be enough: a build that does not run
  // prints an error too.
  expect(zero === null ? said === '' : said.includes(`"${zero} `), `${what}: ${said.slice(-3_000)}`).toBe(true)
})
