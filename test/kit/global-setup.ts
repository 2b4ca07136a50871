import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { stackDown, stackStatus, stackUp } from '../../devstack/index.ts'
import { fillZones, migratePostgres, underMigrationLock } from '../../src/engine/postgres/schema/migrate.ts'
import { findLeaks } from './find-leaks.ts'
import { onDatabase, runSql } from './run-sql.ts'

declare module 'vitest' {
  interface ProvidedContext {
    run: TestRun
  }
}

/** The part of a run that all test files share: the stores, and a migrated database that each test file copies. */
export type TestRun = {
  /** Prefix of every name the run creates, so that concurrent runs do not collide. */
  prefix: string
  template: string
  stackName: string
  shards: number
  environment: Record<string, string>
  superuserUrl: string
}

/**
 * Uses the stack named by BROADGAUGE_TEST_STACK (default: the developer's own stack). Starts the stack if it is down.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const name = process.env['BROADGAUGE_TEST_STACK'] ?? 'dev'
  const shards = Number(process.env['BROADGAUGE_TEST_SHARDS'] ?? 0)
  // A component that is slow to respond does not count as down: another run may use the stack.
  const wasRunning = (await stackStatus({ name })).some(({ running }) => running)
  if (!wasRunning) process.env[startedHere] = name
  const stack = await stackUp(shards > 0 ? { name, shards } : { name })
  const prefix = `broadgauge_test_${randomBytes(4).toString('hex')}`
  const template = `${prefix}_template`
  const run: TestRun = {
    prefix,
    template,
    stackName: name,
    shards: stack.shards,
    environment: stack.environment,
    superuserUrl: stack.superuserUrl,
  }
  await runSql(stack.superuserUrl, `CREATE DATABASE ${template} OWNER bg_admin`)
  await migrateTemplate(stack.environment, template)
  project.provide('run', run)
  return async () => {
    await runSql(stack.superuserUrl, `DROP DATABASE ${template}`)
    const leaks = await findLeaks(run)
    if (process.env[startedHere] === name && !(await isUsed(stack.superuserUrl))) await stackDown({ name })
    if (leaks.length > 0) throw new Error(`the tests left behind: ${leaks.join(', ')}`)
  }
}

/**
 * Migrates PostgreSQL's schema and inserts the time zones. Tests that need the fact tables of ClickHouse create these
 * tables.
 */
async function migrateTemplate(environment: Record<string, string>, template: string): Promise<void> {
  await underMigrationLock(onDatabase(environment['BROADGAUGE_POSTGRES_ADMIN_URL'] ?? '', template), async (client) => {
    await migratePostgres(client)
    await fillZones(client)
  })
}

/** Vitest runs this file once for each project that has tests with stores, and each time in a module of its own. */
const startedHere = 'BROADGAUGE_TEST_STARTED_STACK'

/** Returns true if another project or another run uses the stack. Each of them has a template until it ends. */
async function isUsed(superuserUrl: string): Promise<boolean> {
  const text = "SELECT datname FROM pg_database WHERE datname LIKE 'broadgauge\\_test\\_%\\_template'"
  return (await runSql(superuserUrl, text)).length > 0
}
