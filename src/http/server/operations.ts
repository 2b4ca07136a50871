import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Fault, unavailable } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import { pingClickHouse } from '../../engine/clickhouse/health.ts'
import { pingObjects } from '../../engine/objects/objects.ts'
import { pingPostgres } from '../../engine/postgres/health.ts'
import type { Stores } from '../../engine/stores.ts'
import { ok } from '../../envelope/envelope.ts'
import { send } from '../answer.ts'
import { refuseOtherMethods } from './routing.ts'
import { createServer, type ServerOptions } from './server.ts'

export type OperationsOptions = ServerOptions & {
  stores: Stores
  isStopping: () => boolean
  /** Returns the Prometheus metrics and their content type. */
  metrics: () => Promise<{ contentType: string; text: string }>
}

/**
 * Serves health, readiness and Prometheus metrics, for the operator's network only. Its `/metrics` is not the data interface's
 * list of metrics.
 */
export function createOperations(options: OperationsOptions): FastifyInstance {
  const { stores, isStopping, metrics } = options
  const app = createServer(options)
  app.get('/healthz', async (_request, reply) => send(reply, 200, ok({ status: 'alive' })))
  app.get('/readyz', async (_request, reply) => {
    const states = await storeStates(stores, options.observe)
    // Readiness does not depend on object storage: only exports need it, and all instances share it. If its outage made every
    // instance unready, all other requests would fail too.
    const ready = !isStopping() && states.postgres === 'ready' && states.clickhouse === 'ready'
    if (ready) return send(reply, 200, ok(states))
    const fault = unavailable('not ready')
    return send(reply.headers(fault.headers), fault.status, {
      code: fault.code,
      message: isStopping() ? 'The service is stopping.' : 'A store is not ready.',
      data: states,
    })
  })
  app.get('/metrics', async (_request, reply) => {
    const { contentType, text } = await metrics()
    return reply.header('content-type', contentType).send(text)
  })
  for (const url of ['/healthz', '/readyz', '/metrics']) refuseOtherMethods(app, { url }, ['GET'])
  return app
}

type StoreStates = Record<'postgres' | 'clickhouse' | 'objects', string>

async function storeStates(stores: Stores, observe: Observe): Promise<StoreStates> {
  const [postgres, clickhouse, objects] = await Promise.all([
    state('PostgreSQL', pingPostgres(stores.postgres), observe),
    state('ClickHouse', Promise.all([pingClickHouse(stores.clickhouse), pingClickHouse(stores.streams)]), observe),
    state('Object storage', pingObjects(stores.objects), observe),
  ])
  return { postgres, clickhouse, objects }
}

/** The timeout includes waiting for a connection, connecting and the query. */
async function state(store: string, ping: Promise<unknown>, observe: Observe): Promise<string> {
  const answered = ping.then(
    () => 'ready',
    (error: unknown) => {
      if (error instanceof Fault) return 'unavailable'
      observe({ kind: 'store-error', store, error })
      return 'failing'
    },
  )
  return Promise.race([answered, setTimeout(limits.readinessTimeoutMs, 'unavailable', { ref: false })])
}
