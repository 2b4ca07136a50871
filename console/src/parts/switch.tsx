import { useId, type ReactNode } from 'react'

type Props = { label: string; isOn: boolean; onChange: (isOn: boolean) => void; children: ReactNode }

/** A native checkbox with the role `switch` and a description. */
export function Switch({ label, isOn, onChange, children }: Props) {
  const id = useId()
  return (
    <div className="switch">
      <label>
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-describedby={id}
          onChange={(event) => onChange(event.target.checked)}
        />{' '}
        {label}
      </label>
      <div className="hint" id={id}>
        {children}
      </div>
    </div>
  )
}
