import type { Command } from 'commander'
import { agentKinds } from '../../../catalog/agent-kinds.ts'
import { catalog } from '../../../catalog/catalog.ts'
import { asOperator, OperatorError, type Operator } from '../../../engine/postgres/operator/operator.ts'
import { createOrganisation, findOrganisations } from '../../../engine/postgres/operator/organisations.ts'
import { readSyntheticPanel } from '../../../engine/postgres/operator/synthetic-panels.ts'
import { market } from '../../../../synth/market.ts'
import type { SynthesisOptions } from '../../../../synth/options.ts'
import { adminUrl } from '../../config.ts'
import { print, showSteps } from '../../output.ts'
import { synthesizePanel } from '../../tasks/synthesize-panel.ts'
import { keyList, printerOf, settingsOf, wholeNumber, type CommandContext } from '../context.ts'

type Options = Record<'agents' | 'days' | 'seed' | 'panel' | 'tests' | 'kinds', string> &
  Partial<Record<'owner' | 'name' | 'until' | 'isp', string>> & { json?: boolean }

/** Owns panels nobody was named for. */
const ownerOfNobodys = 'synthetic'

export function addSynthCommand(program: Command, context: CommandContext): void {
  program
    .command('synth')
    .description(
      'write a believable panel: agents, their timelines, and results of every test; the same seed, the same rows',
    )
    .requiredOption('--agents <number>', 'how many agents')
    .requiredOption('--days <number>', 'how many days of results')
    .option('--seed <number>', 'what chance is made from', '1')
    .option('--until <day>', 'the last day, UTC (default: yesterday)')
    .option('--panel <key>', 'the panel; run again with the same options to complete it', 'synthetic')
    .option('--owner <organisation>', `who owns it (default: the organisation "${ownerOfNobodys}", created if missing)`)
    .option('--name <name>', 'name of the panel for people (default: the key)')
    .option('--tests <keys>', 'tests to write results of: keys, comma-separated, or "all"', 'all')
    .option('--kinds <kinds>', `kinds of agent: ${agentKinds.join(', ')}`, agentKinds.join())
    .option('--isp <name>', 'only customers of this ISP of the synthetic market')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const settings = settingsOf(context)
      const synthesis = await asOperator(adminUrl(settings), (operator) => synthesisOptions(operator, options))
      const written = await synthesizePanel(settings, synthesis, showSteps())
      print(printerOf(context, options), written)
    })
}

async function synthesisOptions(operator: Operator, options: Options): Promise<SynthesisOptions> {
  const { panel, owner = ownerOfNobodys, name = panel, isp = null } = options
  const lastDay = await lastDayOf(operator, options)
  const days = atLeastOne('--days', options.days)
  const synthesis = {
    panel,
    owner,
    name,
    seed: wholeNumber('--seed', options.seed),
    agents: atLeastOne('--agents', options.agents),
    firstDay: lastDay.subtract({ days: days - 1 }),
    lastDay,
    kinds: known('--kinds', options.kinds, agentKinds, (kind) => kind),
    tests: known('--tests', options.tests, catalog.tests, ({ key }) => key),
    isp,
  }
  const isps = new Set(market.filter(({ technology }) => technology !== 'mobile').map((offer) => offer.isp))
  if (isp !== null && !isps.has(isp)) throw new OperatorError(`--isp takes one of ${[...isps].join(', ')}`)
  if (options.owner === undefined) await createOwner(operator)
  return synthesis
}

/** Whoever completes a panel a day later means the days it has. */
async function lastDayOf(operator: Operator, { panel, until }: Options): Promise<Temporal.PlainDate> {
  try {
    if (until !== undefined) return Temporal.PlainDate.from(until)
  } catch (error) {
    throw new OperatorError(`--until takes a day such as 2026-01-31, not "${until}"`, error)
  }
  const present = await readSyntheticPanel(operator, panel)
  const yesterday = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
  return present === null ? yesterday : Temporal.PlainDate.from(String(present.record['lastDay']))
}

async function createOwner(operator: Operator): Promise<void> {
  const present = await findOrganisations(operator)
  if (present.some(({ key }) => key === ownerOfNobodys)) return
  await createOrganisation(operator, { key: ownerOfNobodys, name: 'Synthetic panels', tests: ['*'], metrics: ['*'] })
}

function known<Item>(name: string, text: string, list: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const wanted = keyList(text)
  const unknown = wanted.filter((key) => key !== '*' && !list.some((item) => keyOf(item) === key))
  if (unknown.length > 0 || wanted.length === 0) {
    throw new OperatorError(`${name} takes ${list.map(keyOf).join(', ')}, comma-separated`)
  }
  return list.filter((item) => wanted.includes('*') || wanted.includes(keyOf(item)))
}

function atLeastOne(name: string, text: string): number {
  const number = wholeNumber(name, text)
  if (number === 0) throw new OperatorError(`${name} takes a number from 1`)
  return number
}
