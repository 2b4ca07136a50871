import type { Observe } from '../../base/observe.ts'
import type { Settings } from '../config-schema.ts'
import { ConfigError } from '../config.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { openExports } from './open-exports.ts'
import { openOperations } from './open-listeners.ts'
import { openTracing } from './open-tracing.ts'
import { closeStores, openStores } from './open-stores.ts'

export type Worker = {
  /** URL of the listener for health and metrics. */
  readonly operations: string
  readonly stop: (reason: string) => Promise<void>
}

/**
 * Starts a worker, which only writes exports and serves health and metrics. It starts even if a store is unavailable, and
 * recovers by itself.
 */
export async function startWorker(settings: Settings, log: Observe): Promise<Worker> {
  if (settings.BROADGAUGE_EXPORTS_MAX === 0)
    throw new ConfigError(['BROADGAUGE_EXPORTS_MAX: a worker that may write none has nothing to do'])
  const stores = openStores(settings, (observation) => observe(observation))
  const metrics = createMetrics(stores.postgres)
  const observe: Observe = (observation) => {
    log(observation)
    metrics.observe(observation)
  }
  let stopping = false
  const operationsParts = { stores, isStopping: () => stopping, metrics: metrics.read, observe }
  // Open the listener before the first export is claimed: a worker that cannot bind its port must not begin an export.
  const operations = await openOperations(settings, operationsParts).catch(async (error: unknown) => {
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
