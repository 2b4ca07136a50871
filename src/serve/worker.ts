import type { Observe } from '../base/observe.ts'
import type { Settings } from './config-schema.ts'
import { ConfigError } from './config.ts'
import { openExports } from './open-exports.ts'
import { openTracing } from './open-tracing.ts'
import { closeStores, openStores } from './open-stores.ts'

export type Worker = { readonly stop: (reason: string) => Promise<void> }

/** Writes exports and answers nobody. It starts although a store is away, and recovers. */
export async function startWorker(settings: Settings, observe: Observe): Promise<Worker> {
  if (settings.BROADGAUGE_EXPORTS_MAX === 0)
    throw new ConfigError(['BROADGAUGE_EXPORTS_MAX: a worker that may write none has nothing to do'])
  const stores = openStores(settings, observe)
  const tracing = await openTracing(settings.BROADGAUGE_OTLP_TRACES_URL, observe)
  const exports = openExports(settings, stores, observe, tracing.begin)
  observe({ kind: 'service-started', listeners: {} })
  return {
    stop: async (reason) => {
      observe({ kind: 'service-stopping', reason })
      await exports.close(settings.BROADGAUGE_DRAIN_SECONDS * 1000)
      await closeStores(stores)
      await tracing.close()
    },
  }
}
