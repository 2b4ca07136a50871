import type { Clock } from '../../base/clock.ts'
import type { Observe } from '../../base/observe.ts'
import type { PublicRoute, Route } from '../../http/define-route.ts'
import { routes as allRoutes } from '../../http/routes/index.ts'
import { deliveryTaker } from '../../ingest/take-delivery.ts'
import { changeSlots } from '../../limits/change-slots.ts'
import type { Settings } from '../config-schema.ts'
import { countCalls } from '../../jobs/audit/call-counts.ts'
import { createFigures } from '../telemetry/figures.ts'
import { exportContext } from './open-exports.ts'
import { openIngest } from './open-ingest.ts'
import { type Listeners, openListeners, readTlsFiles } from './open-listeners.ts'
import { openTracing } from './open-tracing.ts'
import { closeStores, openStores, servedCatalog } from './open-stores.ts'
import { openJobs } from './open-jobs.ts'

const now: Clock = () => Temporal.Now.instant()

export type Service = {
  readonly addresses: { readonly api: string; readonly ingest: string; readonly operations: string }
  readonly stop: (reason: string) => Promise<void>
}

/** Opens the stores and the listeners. It starts although a store is away: readiness says so, and it recovers. */
export async function startService(
  settings: Settings,
  log: Observe,
  routes: readonly (Route | PublicRoute)[] = allRoutes,
): Promise<Service> {
  const tls = readTlsFiles(settings)
  const stores = openStores(settings, (observation) => observe(observation))
  const figures = createFigures(stores.postgres)
  const callCounts = countCalls(stores.postgres, log)
  const observe: Observe = (observation) => {
    log(observation)
    figures.observe(observation)
    callCounts.observe(observation)
  }
  const tracing = await openTracing(settings.BROADGAUGE_OTLP_TRACES_URL, observe)
  const { dictionaries, ...jobs } = openJobs(settings, { stores, now, observe, beginTrace: tracing.begin })
  const { tokenUse, keeper, rolling, exports, queryKeepers } = jobs
  const ingest = openIngest(settings, { postgres: stores.postgres, dictionaries, now, observe })
  figures.follow(queryKeepers.load)
  let stopping = false
  const closeBackground = async () => {
    await Promise.all([...Object.values(jobs), callCounts].map((job) => job.close()))
    await Promise.all([dictionaries.close(), ingest.close()])
    await closeStores(stores)
    await tracing.close()
  }

  const context = {
    catalog: servedCatalog(settings),
    exports: exportContext(settings, exports.poke),
    stores,
    now,
    ingest: deliveryTaker(ingest.write, settings.BROADGAUGE_INGEST_REQUESTS_MAX),
    rollups: rolling.terms,
    inChangeTurn: changeSlots(settings.BROADGAUGE_POSTGRES_POOL_MAX),
    onMetadataChange: keeper.poke,
  }
  const api = { routes, context, onTokenUse: tokenUse.note, ...queryKeepers }
  const operations = { stores, isStopping: () => stopping, figures: figures.read }
  const listeners = await openListeners(settings, { tls, observe, beginTrace: tracing.begin, api, operations }).catch(
    async (error: unknown) => {
      await closeBackground()
      throw error
    },
  )
  const addresses = addressesOf(listeners)
  observe({ kind: 'service-started', listeners: addresses })

  const stop = async (reason: string) => {
    if (stopping) return
    stopping = true
    observe({ kind: 'service-stopping', reason })
    await stopListeners(listeners, settings.BROADGAUGE_DRAIN_SECONDS * 1000)
    await closeBackground()
  }
  return { addresses, stop }
}

const addressesOf = ({ api, ingest, operations }: Listeners): Service['addresses'] => ({
  api: api.address,
  ingest: ingest.address,
  operations: operations.address,
})

async function stopListeners({ api, ingest, operations }: Listeners, drainMs: number): Promise<void> {
  await Promise.all([api.stop(drainMs), ingest.stop(drainMs)])
  // After the others, so that readiness says "stopping" and figures can be read until the end.
  await operations.stop(0)
}
