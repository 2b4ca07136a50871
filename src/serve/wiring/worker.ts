import type { Observe } from '../../base/observe.ts'
import type { Settings } from '../config-schema.ts'
import { ConfigError } from '../config.ts'
import { createFigures } from '../telemetry/figures.ts'
import { openExports } from './open-exports.ts'
import { openOperations } from './open-listeners.ts'
import { openTracing } from './open-tracing.ts'
import { closeStores, openStores } from './open-stores.ts'

export type Worker = {
  /** Where it tells of its health and its figures. */
  readonly operations: string
  readonly stop: (reason: string) => Promise<void>
}

/** Writes exports and answers nobody but the operator. It starts although a store is away, and recovers. */
export async function startWorker(settings: Settings, log: Observe): Promise<Worker> {
  if (settings.BROADGAUGE_EXPORTS_MAX === 0)
    throw new ConfigError(['BROADGAUGE_EXPORTS_MAX: a worker that may write none has nothing to do'])
  const stores = openStores(settings, (observation) => observe(observation))
  const figures = createFigures(stores.postgres)
  const observe: Observe = (observation) => {
    log(observation)
    figures.observe(observation)
  }
  let stopping = false
  const told = { stores, isStopping: () => stopping, figures: figures.read, observe }
  // Before anything is taken from the queue: a worker whose port is taken has begun nothing.
  const operations = await openOperations(settings, told).catch(async (error: unknown) => {
    await closeStores(stores)
    throw error
  })
  const tracing = await openTracing(settings.BROADGAUGE_OTLP_TRACES_URL, observe)
  const exports = openExports(settings, stores, observe, tracing.begin)
  observe({ kind: 'service-started', listeners: { operations: operations.address } })
  return {
    operations: operations.address,
    stop: async (reason) => {
      stopping = true
      observe({ kind: 'service-stopping', reason })
      await exports.close(settings.BROADGAUGE_DRAIN_SECONDS * 1000)
      await operations.stop(0)
      await closeStores(stores)
      await tracing.close()
    },
  }
}
