import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Observe } from '../../base/observe.ts'
import type { PublicRoute, Route } from '../../http/define-route.ts'
import { routes as allRoutes } from '../../http/routes/index.ts'
import { QueryCosts } from '../../execute/query-costs.ts'
import { ingestRequestHandler } from '../../ingest/ingest-request.ts'
import { changeSlots } from '../../limits/change-slots.ts'
import type { Settings } from '../config-schema.ts'
import { countCalls } from '../../jobs/audit/call-counts.ts'
import { createMetrics } from '../telemetry/metrics.ts'
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

/** Starts the service, even if a store is unavailable: `/readyz` reports it, and the service recovers by itself. */
export async function startService(
  settings: Settings,
  log: Observe,
  routes: readonly (Route | PublicRoute)[] = allRoutes,
): Promise<Service> {
  const tls = readTlsFiles(settings)
  const stores = openStores(settings, (observation) => observe(observation))
  const metrics = createMetrics(stores.postgres)
  const callCounts = countCalls(stores.postgres, log)
  const observe: Observe = (observation) => {
    log(observation)
    metrics.observe(observation)
    callCounts.observe(observation)
  }
  const tracing = await openTracing(settings.BROADGAUGE_OTLP_TRACES_URL, observe)
  const { dictionaries, ...jobs } = openJobs(settings, { stores, now, observe, beginTrace: tracing.begin })
  const { tokenUse, dictionaryJob, rolling, exports, queryGuards } = jobs
  const ingest = openIngest(settings, { postgres: stores.postgres, dictionaries, now, observe })
  metrics.follow(queryGuards.load)
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
    ingest: ingestRequestHandler(ingest.write, settings.BROADGAUGE_INGEST_REQUESTS_MAX),
    rollups: rolling.terms,
    costs: new QueryCosts(),
    inChangeSlot: changeSlots(settings.BROADGAUGE_POSTGRES_POOL_MAX),
    onMetadataChange: dictionaryJob.poke,
  }
  const api = { routes, context, onTokenUse: tokenUse.note, ...queryGuards }
  const operations = { stores, isStopping: () => stopping, metrics: metrics.read }
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
    for (const listener of [listeners.api, listeners.ingest]) listener.closeAfterResponses()
    // A load balancer sends requests until it has noticed that /readyz fails.
    await setTimeout(settings.BROADGAUGE_SHUTDOWN_DELAY_SECONDS * 1000)
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
  // Stop this listener last, so that until the end `/readyz` reports "stopping" and metrics can be read.
  await operations.stop(0)
}
