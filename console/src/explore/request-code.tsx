import { useState } from 'react'
import { CopyButton } from '../parts/copy-button.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { urlOf, type RequestTarget } from './request-target.ts'
import { languages, snippet, type Language } from './snippets.ts'

/** Shows the request as code that works unchanged in a program. */
export function RequestCode({ target, request }: { target: RequestTarget; request: object }) {
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
