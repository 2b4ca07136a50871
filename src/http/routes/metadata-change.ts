import { Fault } from '../../base/fault.ts'
import { checkIdempotencyKey } from '../../check/idempotency-key.ts'
import { checkNoParameters } from '../../check/query-parameters.ts'
import { addReferenceFaults, checkMetadataChange, isDryRun } from '../../check/metadata/metadata-change.ts'
import { changeAsTenant } from '../../engine/postgres/as-tenant.ts'
import { changeMetadata, resolveReferences } from '../../engine/postgres/metadata/change-metadata.ts'
import { once, readOutcome, type Outcome } from '../../engine/postgres/metadata/idempotency.ts'
import { previewChange } from '../../engine/postgres/metadata/preview-change.ts'
import { ok } from '../../envelope/envelope.ts'
import { defineRoute } from '../define-route.ts'

export default defineRoute(
  'metadata',
  'PUT',
  '/metadata',
  'metadata:write',
  async ({ stores: { postgres }, now, inChangeSlot, onMetadataChange }, caller, given) => {
    const { body, query, headers, requestId, deadline, admission } = given
    checkNoParameters(query)
    const key = checkIdempotencyKey(headers['idempotency-key'], body)
    // Read the stored outcome first: the body of a retry may be too old to be valid now.
    const earlier = isDryRun(body) ? null : await readOutcome(caller, postgres, key)
    if (earlier !== null) return answer(earlier)
    const { change, faults } = checkMetadataChange(body, now())
    const names = await resolveReferences(postgres, change)
    addReferenceFaults(change, names, faults)
    faults.throwIfAny()

    admission.releaseSlot()
    if (change.dryRun) {
      const preview = await inChangeSlot(caller, deadline.signal, () =>
        changeAsTenant(caller, postgres, (client) => previewChange(caller, client, change, names)),
      )
      return answer({ status: preview.matched === 0 ? 404 : 200, body: preview })
    }
    const outcome = await inChangeSlot(caller, deadline.signal, () =>
      changeAsTenant(caller, postgres, (client) =>
        once(caller, client, key, async () => {
          const changed = await changeMetadata(caller, client, change, names, { requestId, body })
          return { status: changed === 0 ? 404 : 200, body: null }
        }),
      ),
    )
    onMetadataChange()
    return answer(outcome)
  },
)

function answer({ status, body }: Outcome) {
  if (status === 404) throw new Fault('NOT_FOUND', { detail: 'no agent of the caller’s own matches the selector' })
  return ok(body ?? undefined)
}
