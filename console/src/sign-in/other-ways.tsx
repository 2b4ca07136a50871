import { useEffect, useState } from 'react'
import { findWays, type Way } from '../api/people.ts'

/** Sign-ins of organisations, where the operator has attached any. They lead away and back. */
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
