import { Fault } from '../../base/fault.ts'
import { checkAgentReference } from '../../check/metadata/metadata-selector.ts'
import { readMetadata } from '../../engine/postgres/metadata/read-metadata.ts'
import { ok } from '../../envelope/envelope.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'metadata',
  'GET',
  '/metadata/:field/:value',
  'metadata:read',
  async ({ stores }, caller, { params }) => {
    const agent = checkAgentReference(params)
    const metadata = agent === null ? null : await readMetadata(caller, stores.postgres, agent)
    if (metadata === null) throw new Fault('NOT_FOUND', { detail: 'no such agent that the caller can see' })
    return ok(metadata)
  },
)
