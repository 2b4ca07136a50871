import { useRef, useState } from 'react'
import { asApiError, type ApiError } from '../api/api-error.ts'
import { makeChange, previewChange, type Change, type Preview } from '../api/metadata.ts'
import { randomKey } from '../api/random-key.ts'
import type { Session } from '../api/session.ts'

type Step =
  | { readonly kind: 'editing' | 'previewing' | 'making' }
  | { readonly kind: 'previewed'; readonly change: Change; readonly preview: Preview; readonly key: string }
  | { readonly kind: 'made'; readonly agents: number }

export type ChangeSteps = {
  readonly step: Step
  readonly error: ApiError | null
  readonly preview: (change: Change) => void
  readonly make: () => void
  readonly reset: () => void
}

/**
 * Previews and applies a change. The idempotency key is created with the preview. So if a response is lost and the user presses
 * the button again, the change is still applied only once.
 */
export function useChange(session: Session, onChanged: () => void): ChangeSteps {
  const [step, setStep] = useState<Step>({ kind: 'editing' })
  const [error, setError] = useState<ApiError | null>(null)
  // This number increases with every request and every edit. If it has changed when a response arrives, the response belongs
  // to a change that is no longer in the form, and is ignored.
  const latest = useRef(0)
  const show = (next: Step, fault: ApiError | null) => {
    setError(fault)
    setStep(next)
  }
  const run = async (begun: Step, work: () => Promise<Step>, otherwise: Step) => {
    latest.current += 1
    const own = latest.current
    show(begun, null)
    const [next, fault] = await work().then(
      (done) => [done, null] as const,
      (thrown: unknown) => [otherwise, asApiError(thrown)] as const,
    )
    if (latest.current === own) show(next, fault)
  }
  const preview = (change: Change) =>
    void run(
      { kind: 'previewing' },
      async () => ({ kind: 'previewed', change, preview: await previewChange(session, change), key: randomKey() }),
      { kind: 'editing' },
    )
  const make = () => {
    if (step.kind !== 'previewed') return
    const { change, key, preview: seen } = step
    const work = async (): Promise<Step> => {
      await makeChange(session, change, key)
      onChanged()
      return { kind: 'made', agents: seen.matched }
    }
    void run({ kind: 'making' }, work, step)
  }
  const reset = () => {
    latest.current += 1
    show({ kind: 'editing' }, null)
  }
  return { step, error, preview, make, reset }
}
