import type { Command } from 'commander'
import { agentKinds } from '../../../catalog/agent-kinds.ts'
import { catalog } from '../../../catalog/catalog.ts'
import { asOperator, OperatorError, type Operator } from '../../../engine/postgres/operator/operator.ts'
import { createOrganisation, findOrganisations } from '../../../engine/postgres/operator/organisations.ts'
import { readSyntheticPanel } from '../../../engine/postgres/operator/synthetic-panels.ts'
import { market } from '../../../../synth/market.ts'
import type { SynthesisOptions } from '../../../../synth/options.ts'
import { geographies, type Geography } from '../../../../synth/places.ts'
import type { Settings } from '../../config-schema.ts'
import { adminUrl } from '../../config.ts'
import { print, showSteps } from '../../output.ts'
import { followPanels, synthesizePanel } from '../../tasks/synthesize-panel.ts'
import { keyList, printerOf, settingsOf, wholeNumber, type CommandContext } from '../context.ts'

type Options = Record<'agents' | 'days' | 'seed' | 'panel' | 'tests' | 'kinds' | 'geography', string> &
  Partial<Record<'owner' | 'name' | 'until' | 'isp', string>> & { json?: boolean; follow?: boolean }

/** Key of the organisation that owns a new panel if `--owner` is not given. */
const defaultOwner = 'synthetic'

export function addSynthCommand(program: Command, context: CommandContext): void {
  program
    .command('synth')
    .description(
      'write a synthetic panel: agents, their timelines, and results of every test; the same seed gives the same rows',
    )
    .requiredOption('--agents <number>', 'number of agents')
    .requiredOption('--days <number>', 'number of days with results')
    .option('--seed <number>', 'seed of the random numbers', '1')
    .option('--until <day>', 'last UTC day with results (default: yesterday)')
    .option('--panel <key>', 'key of the panel; to resume, run the command again with the same options', 'synthetic')
    .option(
      '--owner <organisation>',
      `organisation that owns the panel (default: "${defaultOwner}", which is created if missing)`,
    )
    .option('--name <name>', 'display name of the panel (default: the key)')
    .option('--tests <keys>', 'tests of the results: comma-separated keys, or "all"', 'all')
    .option('--kinds <kinds>', `kinds of agents, comma-separated: ${agentKinds.join(', ')}`, agentKinds.join())
    .option('--isp <name>', 'write only customers of this ISP of the synthetic market')
    .option('--geography <name>', `region of the agents: ${geographies.join(' or ')}`, geographies[0])
    .option(
      '--follow',
      'then write the results up to the current hour, and of each further hour, until SIGTERM or SIGINT',
    )
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const settings = settingsOf(context)
      const synthesis = await asOperator(adminUrl(settings), (operator) => synthesisOptions(operator, options))
      const written = await synthesizePanel(settings, synthesis, showSteps())
      print(printerOf(context, options), written)
      if (options.follow === true) await follow(settings, synthesis)
    })
}

/** Ends after the insert that runs when the signal arrives. */
async function follow(settings: Settings, synthesis: SynthesisOptions): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  await followPanels(settings, [synthesis], stopping.signal)
}

async function synthesisOptions(operator: Operator, options: Options): Promise<SynthesisOptions> {
  const { panel, owner = defaultOwner, name = panel, isp = null } = options
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
    geography: geographyOf(options.geography),
  }
  const isps = new Set(market.filter(({ technology }) => technology !== 'mobile').map((offer) => offer.isp))
  if (isp !== null && !isps.has(isp)) throw new OperatorError(`--isp takes one of ${[...isps].join(', ')}`)
  if (options.owner === undefined) await createOwner(operator)
  return synthesis
}

/** The last day with results. An existing panel keeps its last day: a run that completes it a day later must not add a day. */
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

function geographyOf(name: string): Geography {
  const geography = geographies.find((one) => one === name)
  if (geography === undefined) throw new OperatorError(`--geography takes ${geographies.join(' or ')}`)
  return geography
}

async function createOwner(operator: Operator): Promise<void> {
  const present = await findOrganisations(operator)
  if (present.some(({ key }) => key === defaultOwner)) return
  await createOrganisation(operator, { key: defaultOwner, name: 'Synthetic panels', tests: ['*'], metrics: ['*'] })
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
