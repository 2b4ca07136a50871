import type { Command } from 'commander'
import { findAnyResult } from '../../../compile/rollup/late-results.ts'
import { findSelected } from '../../../engine/clickhouse/query/ask.ts'
import { tryAdvisoryLock } from '../../../engine/postgres/advisory-locks.ts'
import { findZoneNumbers } from '../../../engine/postgres/values/find-zone-numbers.ts'
import { asOperator, type Operator } from '../../../engine/postgres/operator/operator.ts'
import { readOrganisation } from '../../../engine/postgres/operator/organisations.ts'
import { readPanel } from '../../../engine/postgres/operator/panels.ts'
import {
  findRollupStatus,
  deleteProgress,
  invalidateDays,
  type InvalidatedDays,
} from '../../../engine/postgres/operator/rollups.ts'
import { recordStoredAlone, type RollupStores } from '../../../jobs/rollup/build-rollups.ts'
import { buildRollups } from '../../tasks/build-rollups.ts'
import { retryFor, rollupsAreBusy } from '../../tasks/retry-for.ts'
import { adminUrl } from '../../config.ts'
import { print } from '../../output.ts'
import { withRollupStores } from '../../tasks/rollup-stores.ts'
import { verifyDays, type Verified, type VerifiedPanel } from '../../tasks/verify-rollups.ts'
import { answer, printerOf, settingsOf, type CommandContext } from '../context.ts'
import { dayOf, daysOf } from './rolled-days.ts'

type StatusOptions = { json?: boolean; panel?: string }
type Options = StatusOptions & { from?: string; to?: string }
type BuildOptions = Options & { again?: boolean }

/** Maximum number of days that one verification query covers. */
const stretch = 92

export function addRollupCommands(program: Command, context: CommandContext): void {
  const rollup = program
    .command('rollup')
    .description('manage rollups: daily and hourly aggregates for queries over months and years')
  const add = (name: string, description: string): Command =>
    rollup
      .command(name)
      .description(description)
      .option('--panel <key>', 'use only this panel')
      .option('--json', 'print JSON')
  const addForDays = (name: string, description: string): Command =>
    add(name, description).option('--from <day>', 'first day, YYYY-MM-DD').option('--to <day>', 'last day, YYYY-MM-DD')
  addForDays('build', 'build missing and outdated rollups, and remove replaced ones')
    .option('--again', 'also rebuild days whose rollups are current')
    .action((options: BuildOptions) => build(context, options))
  add('status', 'show the number of days with rollups, by test and panel').action((options: StatusOptions) =>
    answer(context, options, async (operator) => findRollupStatus(operator, await knownPanel(operator, options.panel))),
  )
  addForDays('verify', 'compare rollups with the results that they aggregate').action((options: Options) =>
    verify(context, options),
  )
}

async function build(context: CommandContext, options: BuildOptions): Promise<void> {
  const settings = settingsOf(context)
  const days = await asOperator(adminUrl(settings), async (operator) => {
    const panel = options.panel === undefined ? null : (await readPanel(operator, options.panel)).id
    const { from, to } = daysOf(options)
    const wanted = { from, to, ...(panel === null ? {} : { panel }) }
    return withRollupStores(settings, async (stores) => {
      if (options.again === true) await recordAgain(operator, stores, { test: null, panel, from, to })
      return buildRollups(operator, stores, wanted)
    })
  })
  print(printerOf(context, options), { days }, `${days} days were built.`)
}

/**
 * Does all steps under one lock. Otherwise a job that records late results could restore the records that `deleteProgress`
 * removes.
 */
const recordAgain = (operator: Operator, stores: RollupStores, days: InvalidatedDays): Promise<true> =>
  retryFor(
    () =>
      tryAdvisoryLock(stores.postgres, 'buildRollups', async (client) => {
        await invalidateDays(operator, days)
        await deleteProgress(operator)
        return recordStoredAlone(stores, client)
      }),
    rollupsAreBusy,
  )

async function verify(context: CommandContext, options: Options): Promise<void> {
  const settings = settingsOf(context)
  const { from, to } = daysOf(options)
  const rolled = await asOperator(adminUrl(settings), (operator) => findRolled(operator, options.panel))
  const found = await withRollupStores(settings, async (stores) => {
    const zones = await findZoneNumbers(stores.postgres)
    const verified: Verified[] = []
    for (const { panel, test, firstDay } of rolled) {
      // Days before the first day of the panel's results need no rollups. They have results only if these were inserted without
      // the service.
      const before = { first: from, last: Math.min(firstDay - 1, to) }
      const isMisdated = before.first <= before.last && (await hasResults(stores, test, panel.id, before))
      for (const metric of stores.catalog.metrics.filter((one) => one.test === test)) {
        for (const days of stretchesOf(Math.max(from, firstDay), to))
          verified.push(await verifyDays(stores, zones, panel, metric, days))
        if (isMisdated) verified.push({ ...(await verifyDays(stores, zones, panel, metric, before)), comparisons: 0 })
      }
    }
    return verified
  })
  const comparisons = found.reduce((sum, one) => sum + one.comparisons, 0)
  const differences = found.flatMap((one) => one.differences)
  print(printerOf(context, options), differences, differences.length === 0 ? verdict(comparisons) : undefined)
  if (comparisons > 0 && differences.length === 0) return
  context.exitWith?.(1)
  if (options.json === true || differences.length === 0) return
  const days = differences.map(({ day }) => day).toSorted()
  context.write(
    `Until you build these days again, queries return wrong values: broadgauge rollup build --again --from ${days[0]} --to ${days.at(-1)}\n`,
  )
}

async function hasResults(
  { catalog, clickhouse }: RollupStores,
  key: string,
  panel: number,
  days: Days,
): Promise<boolean> {
  const test = catalog.tests.find((one) => one.key === key)
  if (test === undefined) return false
  return (await findSelected(clickhouse, findAnyResult(clickhouse.database, { test, panel, days }))).length > 0
}

type Days = { readonly first: number; readonly last: number }

const stretchesOf = (from: number, to: number): Days[] =>
  Array.from({ length: Math.max(0, Math.ceil((to - from + 1) / stretch)) }, (_, index) => ({
    first: from + index * stretch,
    last: Math.min(from + (index + 1) * stretch - 1, to),
  }))

const verdict = (comparisons: number): string =>
  comparisons === 0
    ? 'Nothing was compared: no day in this range has a rollup.'
    : `All rollups agree with the results (${comparisons} comparisons).`

type Rolled = { readonly panel: VerifiedPanel; readonly test: string; readonly firstDay: number }

/** Finds the panels and tests that have rollups. The verification queries run in the scope of the panel's owner. */
async function findRolled(operator: Operator, key: string | undefined): Promise<Rolled[]> {
  const found: Rolled[] = []
  for (const { panel, test, first_day } of await findRollupStatus(operator, await knownPanel(operator, key))) {
    const { id, owner } = await readPanel(operator, panel)
    const { id: ownerId } = await readOrganisation(operator, owner)
    found.push({ panel: { key: panel, id, ownerId }, test, firstDay: dayOf(first_day) })
  }
  return found
}

/** Checks that the panel exists. A misspelt key has no rollups, so the verification would find no differences. */
const knownPanel = async (operator: Operator, key: string | undefined): Promise<string | null> =>
  key === undefined ? null : (await readPanel(operator, key)).key
