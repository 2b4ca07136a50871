import { useState } from 'react'

/**
 * Copies a text. The clipboard requires HTTPS or localhost. Without it, the button selects the text, and the user can press
 * Ctrl-C.
 */
export function CopyButton({ text, what }: { text: () => string; what: string }) {
  const [said, setSaid] = useState('')
  const copy = () => {
    const done = navigator.clipboard?.writeText(text()) ?? Promise.reject(new Error('no clipboard'))
    done.then(() => setSaid('Copied')).catch(() => setSaid('Select the text and press Ctrl-C'))
    setTimeout(() => setSaid(''), 2_000)
  }
  return (
    <button type="button" className="copy" onClick={copy}>
      <span role="status">{said === '' ? `Copy ${what}` : said}</span>
    </button>
  )
}
