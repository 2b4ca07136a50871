import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { openClickHouse, type ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { asOperator } from '../../engine/postgres/operator/operator.ts'
import { openPostgres } from '../../engine/postgres/postgres.ts'
import type { SynthesisOptions } from '../../../synth/options.ts'
import { registerPanel } from '../../../synth/register-panel.ts'
import type { OnStep, SynthesisStores } from '../../../synth/stores.ts'
import { continueResults, writeResults, type Written } from '../../../synth/write-results.ts'
import { compactDictionaries } from '../../jobs/dictionaries/reconcile-dictionaries.ts'
import type { Settings } from '../config-schema.ts'
import { adminUrl, clickHouseOptions } from '../config.ts'

/** Writes a synthetic panel into the configured stores. See `registerPanel` and `writeResults`. */
export const synthesizePanel = (
  settings: Settings,
  options: SynthesisOptions,
  onStep: OnStep = () => {},
): Promise<Written[]> =>
  withStores(settings, async (stores) => {
    await registerPanel(stores, options, onStep)
    await publishTimelines(settings, stores.dictionaries)
    return writeResults(stores, options, onStep)
  })

/** Writes the results of a synthetic panel after its last day, until `until`; see `continueResults`. */
export const continuePanel = (settings: Settings, options: SynthesisOptions, until: Temporal.Instant): Promise<void> =>
  withStores(settings, (stores) => continueResults(stores, options, until, () => {}))

/** Writes the results of every full hour since the panels' last days, and of each further hour when it is over. */
export async function followPanels(
  settings: Settings,
  panels: readonly SynthesisOptions[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const hour = Temporal.Now.instant().round({ smallestUnit: 'hour', roundingMode: 'floor' })
    for (const panel of panels) if (!signal.aborted) await continuePanel(settings, panel, hour)
    const waitMs = hour.add({ hours: 1 }).epochMilliseconds - Temporal.Now.instant().epochMilliseconds
    await pause(Math.max(0, waitMs), undefined, { signal, ref: true }).catch(() => {})
  }
}

async function withStores<Result>(
  settings: Settings,
  work: (stores: SynthesisStores) => Promise<Result>,
): Promise<Result> {
  const open = (role: 'INGEST' | 'DICTIONARY') =>
    openClickHouse({ ...clickHouseOptions(settings, role), timeoutMs: limits.dictionaryTimeoutMs })
  const [ingest, dictionaries] = [open('INGEST'), open('DICTIONARY')]
  try {
    return await asOperator(adminUrl(settings), (operator) => work({ operator, ingest, dictionaries }))
  } finally {
    await Promise.all([ingest.close(), dictionaries.close()])
  }
}

const observe: Observe = () => {}

/** Publishes the timelines to ClickHouse. Usually an instance does this, but possibly none is running. */
async function publishTimelines(settings: Settings, clickhouse: ClickHouse): Promise<void> {
  const postgres = openPostgres({ url: settings.BROADGAUGE_POSTGRES_URL, connectionsMax: 2, observe })
  try {
    await compactDictionaries({ postgres, clickhouse, observe }, Infinity)
  } finally {
    await postgres.close()
  }
}
