import type { Command } from 'commander'
import { findAnyResult } from '../../../compile/rollup/late-results.ts'
import { findSelected } from '../../../engine/clickhouse/query/ask.ts'
import { tryAdvisoryLock } from '../../../engine/postgres/advisory-locks.ts'
import { findZoneNumbers } from '../../../engine/postgres/values/find-zone-numbers.ts'
import { asOperator, type Operator } from '../../../engine/postgres/operator/operator.ts'
import { readOrganisation } from '../../../engine/postgres/operator/organisations.ts'
import { readPanel } from '../../../engine/postgres/operator/panels.ts'
import { findRollupStatus, forgetNoted, spoilDays, type SpoiltDays } from '../../../engine/postgres/operator/rollups.ts'
import { noteAlone, type RollupStores } from '../../../jobs/rollup/build-rollups.ts'
import { buildRollups } from '../../tasks/build-rollups.ts'
import { patiently, sumsAreBuilt } from '../../tasks/patiently.ts'
import { adminUrl } from '../../config.ts'
import { print } from '../../output.ts'
import { withRollupStores } from '../../tasks/rollup-stores.ts'
import { verifyDays, type Verified, type VerifiedPanel } from '../../tasks/verify-rollups.ts'
import { answer, printerOf, settingsOf, type CommandContext } from '../context.ts'
import { dayOf, daysOf } from './rolled-days.ts'

type StatusOptions = { json?: boolean; panel?: string }
type Options = StatusOptions & { from?: string; to?: string }
type BuildOptions = Options & { again?: boolean }

/** Days asked for at once. */
const stretch = 92

export function addRollupCommands(program: Command, context: CommandContext): void {
  const rollup = program.command('rollup').description('sums of old days, for questions over months and years')
  const add = (name: string, description: string): Command =>
    rollup
      .command(name)
      .description(description)
      .option('--panel <key>', 'this panel only')
      .option('--json', 'print JSON')
  const addForDays = (name: string, description: string): Command =>
    add(name, description).option('--from <day>', 'from this day on, YYYY-MM-DD').option('--to <day>', 'up to this day')
  addForDays('build', 'put days together that are not yet, and remove sums that were replaced')
    .option('--again', 'also days that are good already')
    .action((options: BuildOptions) => build(context, options))
  add('status', 'how many days have sums, by test and panel').action((options: StatusOptions) =>
    answer(context, options, async (operator) => findRollupStatus(operator, await knownPanel(operator, options.panel))),
  )
  addForDays('verify', 'compare sums with the results they are of').action((options: Options) =>
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
      if (options.again === true) await lookAnew(operator, stores, { test: null, panel, from, to })
      return buildRollups(operator, stores, wanted)
    })
  })
  print(printerOf(context, options), { days }, `${days} days were built.`)
}

/** All at once, and while nobody notes: whoever has begun to would put back what is to be forgotten. */
const lookAnew = (operator: Operator, stores: RollupStores, days: SpoiltDays): Promise<true> =>
  patiently(
    () =>
      tryAdvisoryLock(stores.postgres, 'buildRollups', async (client) => {
        await spoilDays(operator, days)
        await forgetNoted(operator)
        return noteAlone(stores, client)
      }),
    sumsAreBuilt,
  )

async function verify(context: CommandContext, options: Options): Promise<void> {
  const settings = settingsOf(context)
  const { from, to } = daysOf(options)
  const rolled = await asOperator(adminUrl(settings), (operator) => findRolled(operator, options.panel))
  const found = await withRollupStores(settings, async (stores) => {
    const zones = await findZoneNumbers(stores.postgres)
    const verified: Verified[] = []
    for (const { panel, test, firstDay } of rolled) {
      // Of days before its first a panel has no sums and needs none, unless results were put there past the service.
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
    `Build them again: broadgauge rollup build --again --from ${days[0]} --to ${days.at(-1)}. Until then they answer wrongly.\n`,
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
    ? 'Nothing was compared: no day has sums there.'
    : `All sums are those of their results, in ${comparisons} comparisons.`

type Rolled = { readonly panel: VerifiedPanel; readonly test: string; readonly firstDay: number }

/** Panels and tests with sums, each asked for on behalf of the panel's owner. */
async function findRolled(operator: Operator, key: string | undefined): Promise<Rolled[]> {
  const found: Rolled[] = []
  for (const { panel, test, first_day } of await findRollupStatus(operator, await knownPanel(operator, key))) {
    const { id, owner } = await readPanel(operator, panel)
    const { id: ownerId } = await readOrganisation(operator, owner)
    found.push({ panel: { key: panel, id, ownerId }, test, firstDay: dayOf(first_day) })
  }
  return found
}

/** A misspelt key would have no sums, and so no wrong ones. */
const knownPanel = async (operator: Operator, key: string | undefined): Promise<string | null> =>
  key === undefined ? null : (await readPanel(operator, key)).key
