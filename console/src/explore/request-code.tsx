import { useState } from 'react'
import { CopyButton } from '../parts/copy-button.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { languages, snippet, urlOf, type Language, type Target } from './snippets.ts'

/** A request that a program can send as it stands. */
export function RequestCode({ target, request }: { target: Target; request: object }) {
  const [chosen, setChosen] = useState<Language>('json')
  const text = snippet(chosen, target, request)
  return (
    <section className="request" aria-label="The request">
      <Tabs label="The request" tabs={languages} chosen={chosen} onChoose={setChosen}>
        <p className="row">
          <span className="hint">{chosen === 'json' ? `POST ${urlOf(target)}` : ''}</span>
          <CopyButton text={() => text} what="the request" />
        </p>
        <pre tabIndex={0} role="region" aria-label="Request">
          <code>{text}</code>
        </pre>
      </Tabs>
    </section>
  )
}
