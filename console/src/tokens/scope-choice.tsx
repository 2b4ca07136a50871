import type { ApiError } from '../api/api-error.ts'
import { isScope, scopes, type TokenScope } from '../api/own-tokens.ts'
import { FieldErrors } from '../parts/notice.tsx'

type Props = {
  chosen: readonly TokenScope[]
  error: ApiError | null
  onChange: (scopes: readonly TokenScope[]) => void
}

export function ScopeChoice({ chosen, error, onChange }: Props) {
  const toggle = (scope: string) => {
    if (isScope(scope)) onChange([...new Set(chosen).symmetricDifference(new Set([scope]))])
  }
  return (
    <fieldset>
      <legend>It may</legend>
      {Object.entries(scopes).map(([scope, title]) => (
        <label key={scope} className="choice">
          <input type="checkbox" checked={chosen.some((one) => one === scope)} onChange={() => toggle(scope)} /> {title}{' '}
          <code className="hint">{scope}</code>
        </label>
      ))}
      <FieldErrors error={error} path="scopes" />
    </fieldset>
  )
}
