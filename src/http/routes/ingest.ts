import { checkIngestRequest } from '../../check/rows/ingest-request.ts'
import { checkNoParameters } from '../../check/query-parameters.ts'
import { ok } from '../../envelope/envelope.ts'
import { defineRoute } from '../define-route.ts'
import { bodyPieces } from '../connection/stream-body.ts'

export default defineRoute(
  'ingest',
  'POST',
  '/ingest/:test',
  'ingest:write',
  async ({ catalog, ingest }, caller, { params, query, headers, body, deadline, admission }) => {
    checkNoParameters(query)
    const request = checkIngestRequest(params['test'], headers, catalog)
    return ok(await ingest(caller, request, bodyPieces(body, admission.confirmCaller), deadline.signal))
  },
)
