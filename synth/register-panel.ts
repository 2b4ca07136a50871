import { isDeepStrictEqual } from 'node:util'
import { OperatorError, type Operator } from '../src/engine/postgres/operator/operator.ts'
import { findPanels } from '../src/engine/postgres/operator/panels.ts'
import {
  createSyntheticPanel,
  readSyntheticPanel,
  type SyntheticPanel,
} from '../src/engine/postgres/operator/synthetic-panels.ts'
import { recordOf, type SynthesisOptions } from './options.ts'
import { registerMembers } from './register-members.ts'
import type { OnStep, SynthesisStores } from './stores.ts'

/**
 * Registers a synthetic panel: packages, agents, timelines. A second run with the same options adds what is missing; with
 * other options for the same panel it throws.
 */
export async function registerPanel(stores: SynthesisStores, options: SynthesisOptions, onStep: OnStep): Promise<void> {
  const { operator } = stores
  const present = await readSameSynthesis(operator, options)
  if (present === null) {
    const { panel: key, name, owner } = options
    await createSyntheticPanel(operator, { key, name, owner }, recordOf(options))
  }
  if (present?.isRegistered !== true) await registerMembers(stores, options, onStep)
}

async function readSameSynthesis(operator: Operator, options: SynthesisOptions): Promise<SyntheticPanel | null> {
  const panels = await findPanels(operator)
  const panel = panels.find(({ key }) => key === options.panel)
  if (panel === undefined) return null
  const present = await readSyntheticPanel(operator, options.panel)
  if (present !== null && panel.owner === options.owner && isDeepStrictEqual(present.record, recordOf(options)))
    return present
  const made = present === null ? 'which is not a synthetic one' : `made from ${JSON.stringify(present.record)}`
  throw new OperatorError(
    `There is a panel "${options.panel}" of ${panel.owner} already, ${made}. Give the same options to complete it, or another --panel.`,
  )
}
