import { unavailable, type Fault } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'

export type BatchLease = {
  /** Throws once somebody else may have taken the batch over: two who add what each finds missing would add it twice. */
  readonly assertHeld: () => void
  readonly end: () => void
}

/** Keeps a batch ours for as long as this process lives, and no longer: whoever died is replaced after one lease. */
export function keepBatchLease(takenAt: number, renew: () => Promise<boolean>): BatchLease {
  let heldUntil = takenAt + limits.batchLeaseMs
  const keep = async () => {
    const askedAt = performance.now()
    heldUntil = (await renew()) ? askedAt + limits.batchLeaseMs : 0
  }
  // A store that is away for a moment is asked again, and what it last granted ends by itself.
  const timer = setInterval(() => void keep().catch(() => {}), limits.batchLeaseMs / 3)
  return {
    assertHeld: () => {
      if (performance.now() > heldUntil) throw takenOver()
    },
    end: () => clearInterval(timer),
  }
}

export const takenOver = (): Fault => unavailable('the same batch is being stored by somebody else')
