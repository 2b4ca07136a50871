import { CopyButton } from '../parts/copy-button.tsx'

type Props = { label: string; token: string; onClose: () => void }

/** Shows a new token. It is only in memory, is shown nowhere else, and is gone when the user closes the notice. */
export const ShownOnce = ({ label, token, onClose }: Props) => (
  <div className="notice good" role="status">
    <strong>The token “{label}” is made.</strong> Copy it now: it is shown only this once, and cannot be looked up
    later.
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
