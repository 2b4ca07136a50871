import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed } from '../dice.ts'
import { copyBuild, type Change, type MutantBuild } from './mutant-build.ts'
import { openTally, type Zero } from './tally.ts'

const people = 'migrations/postgres/0023_people_are_forgotten.sql'
const doors = 'src/http/console-api/mount-session-routes.ts'
const readable = 'WHERE owner_id = $1 OR id IN (SELECT panel_id FROM panel_subscriptions WHERE organisation_id = $1)'

const noOrganisationInLists: Change[] = [
  ['src/engine/postgres/people/own-tokens.ts', 'WHERE tokens.organisation_id = $1 AND', 'WHERE'],
  ['src/engine/postgres/exports/find-exports.ts', 'WHERE organisation_id = $1 AND', 'WHERE $1::integer > 0 AND'],
  ['src/engine/postgres/access/panels.ts', readable, 'WHERE $1::integer > 0'],
  ['src/engine/postgres/metadata/search-agents.ts', readable, 'WHERE $1::integer > 0'],
]
const noRowLevelSecurity: Change[] = [
  ['migrations/postgres/0001_tenancy.sql', 'USING (organisation_id = current_organisation())', 'USING (true)'],
  [
    'migrations/postgres/0001_tenancy.sql',
    'owner_id = current_organisation() OR id IN (SELECT panel_id FROM panel_subscriptions)',
    'true',
  ],
  ['migrations/postgres/0011_exports.sql', 'USING (organisation_id = current_organisation())', 'USING (true)'],
]

/** Builds with a wall torn down, and which zero the attack must name; null: another wall holds. */
const builds: [what: string, changes: Change[], zero: Zero | null][] = [
  ['without the organisation in its lists', noOrganisationInLists, null],
  ['that has no row-level security either', [...noOrganisationInLists, ...noRowLevelSecurity], 'Z4'],
  [
    'that lets every person in where administrators are',
    [[doors, "route.who === 'administrator' &&", 'false &&']],
    'Z4',
  ],
  [
    'that revokes tokens of whomever',
    [[people, 'AND tokens.revoked_at IS NULL\n    AND tokens.organisation_id = current_organisation()', '']],
    'Z4',
  ],
  [
    'that takes changes from pages of other sites',
    [
      [
        'src/http/console-api/refuse-foreign-requests.ts',
        'headers[consoleHeader] === undefined',
        'headers.host === undefined',
      ],
    ],
    'Z4',
  ],
  ['that notes what was in a cookie', [[doors, "'no session, or no longer'", 'String(secret)']], 'Z6'],
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
  // The zero's name tells a leak from a build that does not run.
  expect(zero === null ? said === '' : said.includes(`"${zero} `), `${what}: ${said.slice(-3_000)}`).toBe(true)
})
