import { useEffect, useState } from 'react'
import type { Session } from '../api/session.ts'
import { readBases, type Bases } from '../api/settings.ts'
import { Tabs } from '../parts/tabs.tsx'
import { ThemeChoice } from '../parts/theme-choice.tsx'
import { ByName } from './by-name.tsx'
import { ByToken } from './by-token.tsx'

const ways = [
  { key: 'name', title: 'By name' },
  { key: 'token', title: 'With a token' },
] as const
type Way = (typeof ways)[number]['key']

const wayKey = 'broadgauge.way'

/** Sign-in by name or by token. The choice is stored, the typed text is not. */
export function SignIn({ note, onSignIn }: { note: string; onSignIn: (session: Session) => void }) {
  const [way, setWay] = useState<Way>(localStorage.getItem(wayKey) === 'token' ? 'token' : 'name')
  const [bases, setBases] = useState<Bases>({ dataBaseUrl: location.origin, metadataBaseUrl: location.origin })
  useEffect(() => void readBases().then(setBases), [])
  const choose = (chosen: Way) => {
    localStorage.setItem(wayKey, chosen)
    setWay(chosen)
  }
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>
          <img src="./icon.svg" alt="" width="28" height="28" /> Broadgauge console
        </h1>
        <p>Look at the panel’s data, find the request your program will send, download, and keep agents’ metadata.</p>
        {note !== '' && (
          <p className="notice quiet" role="status">
            {note}
          </p>
        )}
        <Tabs label="How to sign in" tabs={ways} chosen={way} onChoose={choose}>
          {way === 'name' ? (
            <ByName onSignIn={onSignIn} />
          ) : (
            <ByToken bases={bases} onBases={setBases} onSignIn={onSignIn} />
          )}
        </Tabs>
        <ThemeChoice />
      </div>
    </main>
  )
}
