import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { openClickHouse, type ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { asOperator } from '../../engine/postgres/operator/operator.ts'
import { openPostgres } from '../../engine/postgres/postgres.ts'
import type { SynthesisOptions } from '../../../synth/options.ts'
import { registerPanel } from '../../../synth/register-panel.ts'
import type { OnStep } from '../../../synth/stores.ts'
import { writeResults, type Written } from '../../../synth/write-results.ts'
import { settleEngine } from '../../jobs/dictionaries/dictionary-keeper.ts'
import type { Settings } from '../config-schema.ts'
import { adminUrl, clickHouseOptions } from '../config.ts'

/** Writes a synthetic panel into the stores of a configuration; see `registerPanel` and `writeResults`. */
export async function synthesizePanel(
  settings: Settings,
  options: SynthesisOptions,
  onStep: OnStep = () => {},
): Promise<Written[]> {
  const open = (role: 'INGEST' | 'DICTIONARY') =>
    openClickHouse({ ...clickHouseOptions(settings, role), timeoutMs: limits.dictionaryTimeoutMs })
  const [ingest, dictionaries] = [open('INGEST'), open('DICTIONARY')]
  try {
    return await asOperator(adminUrl(settings), async (operator) => {
      const stores = { operator, ingest, dictionaries }
      await registerPanel(stores, options, onStep)
      await settle(settings, dictionaries)
      return writeResults(stores, options, onStep)
    })
  } finally {
    await Promise.all([ingest.close(), dictionaries.close()])
  }
}

const observe: Observe = () => {}

/** The engine learns the timelines now, also where no service runs that would tell it. */
async function settle(settings: Settings, clickhouse: ClickHouse): Promise<void> {
  const postgres = openPostgres({ url: settings.BROADGAUGE_POSTGRES_URL, connectionsMax: 2, observe })
  try {
    await settleEngine({ postgres, clickhouse, observe }, Infinity)
  } finally {
    await postgres.close()
  }
}
