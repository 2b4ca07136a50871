import { useState, type FormEvent } from 'react'
import type { Session } from '../api/session.ts'
import { agents } from '../chart/numbers.ts'
import { ErrorNotice } from '../parts/notice.tsx'
import { changeOf, emptyDraft, type Draft, type Found } from './change-draft.ts'
import { Choices } from './choices.tsx'
import { PreviewTable } from './preview-table.tsx'
import { useChange } from './use-change.ts'
import { WhatFields } from './what-fields.tsx'
import { SelectorFields } from './selector-fields.tsx'

type Props = { session: Session; found: Found | null; onChanged: () => void }

/** Shows the preview first, then the button that applies the change. Any edit in between requires a new preview. */
export function ChangeForm({ session, found, onChanged }: Props) {
  const [draft, setDraft] = useState<Draft>(emptyDraft)
  const [isOpen, setIsOpen] = useState(false)
  const { step, error, preview, make, reset } = useChange(session, onChanged)
  // The form is shown before the agent is found. Until the user edits the form, it applies to the agent that was found.
  const effective = found !== null && !isOpen ? { ...draft, whom: 'found' as const } : draft
  const change = (changes: Partial<Draft>) => {
    setIsOpen(true)
    setDraft({ ...effective, ...changes })
    reset()
  }
  // The form must not change between the request and its response.
  const isMaking = step.kind === 'making'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    preview(changeOf(effective, found, new Date()))
  }
  return (
    <details className="change">
      <summary>Change metadata</summary>
      <form onSubmit={submit} aria-label="Change metadata">
        <Choices session={session} search={draft.package || draft.ofPackage} />
        <SelectorFields draft={effective} error={error} onChange={change} found={found} isDisabled={isMaking} />
        <WhatFields draft={effective} error={error} onChange={change} isDisabled={isMaking} />
        <p className="row">
          <button type="submit" className="primary" disabled={isMaking || step.kind === 'previewing'}>
            Preview
          </button>
          <span className="hint">Nothing is changed yet: you see how many agents would change, and how.</span>
        </p>
      </form>
      {error !== null && <ErrorNotice error={error} />}
      {step.kind === 'previewed' && <PreviewTable preview={step.preview} isFailed={error !== null} onMake={make} />}
      {isMaking && (
        <p className="notice quiet" role="status">
          Changing …
        </p>
      )}
      {step.kind === 'made' && (
        <p className="notice good" role="status">
          <strong>Changed.</strong> The preview had {agents(step.agents)}; charts see it within five seconds.
        </p>
      )}
    </details>
  )
}
