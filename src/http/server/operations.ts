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
  /** The Prometheus figures, and their content type. */
  figures: () => Promise<{ contentType: string; text: string }>
}

/** Health, readiness and figures, for the operator's network only: `/metrics` here is not the caller's `/metrics`. */
export function createOperations(options: OperationsOptions): FastifyInstance {
  const { stores, isStopping, figures } = options
  const app = createServer(options)
  app.get('/healthz', async (_request, reply) => send(reply, 200, ok({ status: 'alive' })))
  app.get('/readyz', async (_request, reply) => {
    const states = await storeStates(stores, options.observe)
    // Object storage decides nothing: only files need it, and all copies have the same one. Taking them all out of service for
    // it would end everything that goes on without.
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
    const { contentType, text } = await figures()
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

/** The deadline is for all of it: waiting for a connection, connecting, asking. */
async function state(store: string, ping: Promise<unknown>, observe: Observe): Promise<string> {
  const answered = ping.then(
    () => 'ready',
    (error: unknown) => {
      if (error instanceof Fault) return 'away'
      observe({ kind: 'store-error', store, error })
      return 'failing'
    },
  )
  return Promise.race([answered, setTimeout(limits.readinessTimeoutMs, 'away', { ref: false })])
}
