import type { Observe } from '../../base/observe.ts'
import type { Tracing } from '../telemetry/export-traces.ts'

/** If `url` is not given, the process does not load the tracing packages. */
export async function openTracing(url: string | undefined, observe: Observe): Promise<Tracing> {
  if (url === undefined) return { begin: null, close: async () => {} }
  const { exportTraces } = await import('../telemetry/export-traces.ts')
  return exportTraces(url, observe)
}
