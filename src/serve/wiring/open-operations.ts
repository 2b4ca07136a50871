import { listen, type Listener } from '../../http/server/listener.ts'
import { createOperations, type OperationsOptions } from '../../http/server/operations.ts'
import type { Settings } from '../config-schema.ts'

export type OperationsParts = Pick<OperationsOptions, 'stores' | 'isStopping' | 'figures' | 'observe'>

/** Where whoever runs the service sees its health and its figures: a place of its own, without TLS and without traces. */
export async function openOperations(settings: Settings, parts: OperationsParts): Promise<Listener> {
  const app = createOperations({
    ...parts,
    tls: null,
    beginTrace: null,
    bodies: 'json',
    bodyBytesMax: settings.BROADGAUGE_BODY_BYTES_MAX,
    trustProxy: settings.BROADGAUGE_TRUST_PROXY,
  })
  const place = { host: settings.BROADGAUGE_OPS_HOST, port: settings.BROADGAUGE_OPS_PORT }
  return listen(app, { ...place, tls: null, observe: parts.observe })
}
