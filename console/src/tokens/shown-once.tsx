import { CopyButton } from '../parts/copy-button.tsx'

type Props = { label: string; token: string; onClose: () => void }

/** The only time anybody sees it; it is in memory and goes with the notice. */
export const ShownOnce = ({ label, token, onClose }: Props) => (
  <div className="notice good" role="status">
    <strong>The token “{label}” is made.</strong> Copy it now: it is shown only this once, and nobody can look it up.
    <p>
      <code className="secret">{token}</code>
    </p>
    <p className="row">
      <CopyButton text={() => token} what="the token" />
      <button type="button" onClick={onClose}>
        I have it
      </button>
    </p>
  </div>
)
