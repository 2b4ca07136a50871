import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

/** Builds of the service without one of the two tenant checks. The isolation tests must fail for each build. */
const mutants: [string, string, string, string][] = [
  [
    'no row-level security on agents',
    'migrations/postgres/0011_policies_and_grants.sql',
    `CREATE POLICY tenant ON agents FOR SELECT TO broadgauge_service USING (panel_id IN (SELECT id FROM panels));`,
    `CREATE POLICY tenant ON agents FOR SELECT TO broadgauge_service USING (true);`,
  ],
  [
    'no row-level security at all',
    'migrations/postgres/0011_policies_and_grants.sql',
    `EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);`,
    `PERFORM 1;`,
  ],
  [
    'panels of all organisations in the statement',
    'src/engine/postgres/access/panels.ts',
    'WHERE owner_id = $1 OR id IN (SELECT panel_id FROM panel_subscriptions WHERE organisation_id = $1)',
    '',
  ],
  [
    'entitlements of all organisations in the statement',
    'src/engine/postgres/access/read-grants.ts',
    `WHERE organisation_id = $1 AND subject = 'test'`,
    `WHERE subject = 'test'`,
  ],
  [
    'exports of all organisations in the statement that reads one',
    'src/engine/postgres/exports/exports.ts',
    `FROM exports WHERE organisation_id = $1 AND id = $2`,
    `FROM exports WHERE $1 > 0 AND id = $2`,
  ],
  [
    'exports of all organisations in the statement that cancels one',
    'src/engine/postgres/exports/exports.ts',
    `           WHERE organisation_id = $1 AND id = $2 AND status <> 'cancelled'`,
    `           WHERE $1 > 0 AND id = $2 AND status <> 'cancelled'`,
  ],
  [
    'no row-level security on exports',
    'migrations/postgres/0011_policies_and_grants.sql',
    'CREATE POLICY tenant ON exports TO broadgauge_service USING (organisation_id = current_organisation());',
    'CREATE POLICY tenant ON exports TO broadgauge_service USING (true);',
  ],
  [
    'a tenant that outlives its transaction',
    'src/engine/postgres/as-tenant.ts',
    'SET LOCAL broadgauge.organisation',
    'SET SESSION broadgauge.organisation',
  ],
  [
    'no scope argument',
    'src/engine/postgres/access/read-grants.ts',
    'findRows<Row>(client, statement, [scope.organisationId])',
    'findRows<Row>(client, statement, [1])',
  ],
]

let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'broadgauge-mutant-'))
  for (const name of ['src', 'test', 'devstack', 'migrations', 'package.json', 'tsconfig.json', 'vitest.config.ts']) {
    cpSync(name, join(copy, name), { recursive: true })
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true }))

/** Runs the isolation tests in the copied sources, on the stores of this run. Returns the exit code. */
async function runIsolationTests(): Promise<number> {
  const { stackName } = inject('run')
  const environment = {
    ...process.env,
    CI: '',
    BROADGAUGE_TEST_STACK: stackName,
    BROADGAUGE_TEST_SHARDS: '',
    BROADGAUGE_DEVSTACK_DIR: process.env['BROADGAUGE_DEVSTACK_DIR'] ?? resolve('.devstack'),
  }
  try {
    await promisify(execFile)(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', 'test/features/tenancy/isolation.test.ts'],
      {
        cwd: copy,
        env: environment,
      },
    )
    return 0
  } catch (error) {
    return (error as { code?: number }).code ?? -1
  }
}

it('the unchanged copy passes, so that a failure below comes from the mutant', { timeout: 60_000 }, async () => {
  expect(await runIsolationTests()).toBe(0)
})

it.each(mutants)('%s is detected', { timeout: 60_000 }, async (_what, path, sound, broken) => {
  const original = readFileSync(path, 'utf8')
  expect(original).toContain(sound)
  writeFileSync(join(copy, path), original.replaceAll(sound, broken))
  try {
    expect(await runIsolationTests()).toBe(1)
  } finally {
    writeFileSync(join(copy, path), original)
  }
})
