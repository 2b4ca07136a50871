import { useState } from 'react'
import type { MetricRequest } from '../api/metric-data.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { answerText } from './answer-text.ts'
import { urlOf, type RequestTarget } from './request-target.ts'
import { languages, snippet, type Language } from './snippets.ts'
import type { MetricData } from './use-metric-data.ts'

type Props = { target: RequestTarget; request: MetricRequest; data: MetricData }
type Tab = Language | 'answer'

const tabs = [...languages, { key: 'answer', title: 'Answer' } as const]

/** Shows the request of the drawing as code, and the response as received. */
export function RequestPanel({ target, request, data }: Props) {
  const [chosen, setChosen] = useState<Tab>('json')
  const { answered } = data
  const { text, note } = chosen === 'answer' ? answerText(data) : { text: snippet(chosen, target, request), note: '' }
  const whole =
    chosen === 'answer' && answered !== null
      ? () => JSON.stringify({ code: 'OK', message: 'Request successful', data: answered.answer }, null, 2)
      : () => text
  return (
    <section className="request" aria-label="The request and the answer">
      <Tabs label="The request and the answer" tabs={tabs} chosen={chosen} onChoose={setChosen}>
        <p className="row">
          <span className="hint">{chosen === 'json' ? `POST ${urlOf(target)}` : note}</span>
          <CopyButton text={whole} what={chosen === 'answer' ? 'the answer' : 'the request'} />
        </p>
        {/* A scrolling element must be reachable with the keyboard. */}
        <pre tabIndex={0} role="region" aria-label={chosen === 'answer' ? 'Answer' : 'Request'}>
          <code>{text}</code>
        </pre>
      </Tabs>
    </section>
  )
}
