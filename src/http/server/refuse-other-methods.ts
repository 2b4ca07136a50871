import type { FastifyInstance } from 'fastify'
import { Fault } from '../../base/fault.ts'

export type Place = { url: string; constraints?: { host: string } }

/** Answers 405 to every method a path does not have, before the body is read. */
export function refuseOtherMethods(app: FastifyInstance, place: Place, methods: readonly string[]): void {
  const allowed = new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))
  const refusal = async () => {
    throw new Fault('METHOD_NOT_ALLOWED', { headers: { allow: [...allowed].toSorted().join(', ') } })
  }
  app.route({
    ...place,
    method: app.supportedMethods.filter((method) => !allowed.has(method)),
    onRequest: refusal,
    handler: refusal,
  })
}
