import { useState, type FormEvent } from 'react'
import type { Session } from '../api/session.ts'
import { agents } from '../chart/figures.ts'
import { ErrorNotice } from '../parts/notice.tsx'
import { changeOf, emptyDraft, type Draft, type Found } from './change-draft.ts'
import { Choices } from './choices.tsx'
import { PreviewTable } from './preview-table.tsx'
import { useChange } from './use-change.ts'
import { WhatFields } from './what-fields.tsx'
import { WhomFields } from './whom-fields.tsx'

type Props = { session: Session; found: Found | null; onChanged: () => void }

/** First what would happen, then the button that does it. Whatever is edited in between asks for a new preview. */
export function ChangeForm({ session, found, onChanged }: Props) {
  const [draft, setDraft] = useState<Draft>(emptyDraft)
  const [isOpen, setIsOpen] = useState(false)
  const { step, error, preview, make, reset } = useChange(session, onChanged)
  // The agent arrives after the form; until the reader chooses otherwise the form is about it.
  const effective = found !== null && !isOpen ? { ...draft, whom: 'found' as const } : draft
  const change = (changes: Partial<Draft>) => {
    setIsOpen(true)
    setDraft({ ...effective, ...changes })
    reset()
  }
  // Its answer has to find the form as it was sent.
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
        <WhomFields draft={effective} error={error} onChange={change} found={found} isDisabled={isMaking} />
        <WhatFields draft={effective} error={error} onChange={change} isDisabled={isMaking} />
        <p className="row">
          <button type="submit" className="primary" disabled={isMaking || step.kind === 'previewing'}>
            Preview
          </button>
          <span className="hint">
            Nothing is changed yet: you see how many agents it would be, and what would become of them.
          </span>
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
