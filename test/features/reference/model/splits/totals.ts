import { windowsOf } from '../clock.ts'
import { idsOf } from '../filters/filter.ts'
import type { MetricRequest } from '../request.ts'
import type { Rules } from '../rules.ts'

/**
 * The request whose points are about all results of a request together. Without a split by `peak`, a window that defined
 * `peak` would filter.
 */
export function pooledRequest(request: MetricRequest, rules: Rules): MetricRequest {
  const { window, splits: _splits, ...pooled } = request
  const stillDefines = idsOf(request.filters ?? []).includes('peak')
  const kept = stillDefines ? window : windowsOf(request, rules).filter
  return kept === undefined ? pooled : { ...pooled, window: kept }
}
