import { Fault } from '../../base/fault.ts'
import { checkAgentReference } from '../../check/metadata/metadata-selector.ts'
import { readHistory } from '../../engine/postgres/metadata/read-metadata.ts'
import { ok } from '../../envelope/envelope.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'metadata',
  'GET',
  '/metadata/:field/:value/history',
  'metadata:read',
  async ({ stores }, caller, { params }) => {
    const agent = checkAgentReference(params)
    const spans = agent === null ? [] : await readHistory(caller, stores.postgres, agent)
    if (spans.length === 0) throw new Fault('NOT_FOUND', { detail: 'no such agent that the caller can see' })
    return ok(spans)
  },
)
