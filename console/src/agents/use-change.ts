import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { makeChange, previewChange, type Change, type Preview } from '../api/metadata.ts'
import { randomKey } from '../api/random-key.ts'
import type { Session } from '../api/session.ts'

type Step =
  | { readonly kind: 'editing' | 'busy' }
  | { readonly kind: 'previewed'; readonly change: Change; readonly preview: Preview; readonly key: string }
  | { readonly kind: 'made'; readonly agents: number }

export type ChangeSteps = {
  readonly step: Step
  readonly error: ApiError | null
  readonly preview: (change: Change) => void
  readonly make: () => void
  readonly reset: () => void
}

/** The key is made with the preview: however often the button is pressed after a lost answer, the change is made once. */
export function useChange(session: Session, onChanged: () => void): ChangeSteps {
  const [step, setStep] = useState<Step>({ kind: 'editing' })
  const [error, setError] = useState<ApiError | null>(null)
  const run = async (work: () => Promise<Step>, otherwise: Step) => {
    setError(null)
    setStep({ kind: 'busy' })
    try {
      setStep(await work())
    } catch (fault) {
      setError(fault instanceof ApiError ? fault : new ApiError(0, 'UNKNOWN_ERROR', String(fault)))
      setStep(otherwise)
    }
  }
  const preview = (change: Change) =>
    void run(
      async () => ({ kind: 'previewed', change, preview: await previewChange(session, change), key: randomKey() }),
      { kind: 'editing' },
    )
  const make = () => {
    if (step.kind !== 'previewed') return
    const { change, key, preview: seen } = step
    void run(async () => {
      await makeChange(session, change, key)
      onChanged()
      return { kind: 'made', agents: seen.matched }
    }, step)
  }
  const reset = () => {
    setError(null)
    setStep({ kind: 'editing' })
  }
  return { step, error, preview, make, reset }
}
