import { useEffect, useState } from 'react'
import { findWays, type Way } from '../api/people.ts'

/**
 * Links to the identity providers of organisations, if the operator has configured any. A link redirects the browser to the
 * provider and back.
 */
export function OtherWays() {
  const [ways, setWays] = useState<readonly Way[]>([])
  useEffect(() => void findWays().then(setWays, () => {}), [])
  if (ways.length === 0) return null
  return (
    <p className="row">
      {ways.map(({ key, title }) => (
        <a key={key} className="button" href={`api/sign-in/${encodeURIComponent(key)}`}>
          Sign in with {title}
        </a>
      ))}
    </p>
  )
}
