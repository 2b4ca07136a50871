import { typescript } from './typescript-snippet.ts'
import { python } from './python-snippet.ts'

/** The same request for four readers. The token is a variable: what is copied from here ends up in chats and tickets. */
export const languages = [
  { key: 'json', title: 'Request' },
  { key: 'curl', title: 'curl' },
  { key: 'typescript', title: 'TypeScript' },
  { key: 'python', title: 'Python' },
] as const

export type Language = (typeof languages)[number]['key']

/** Where a request goes: the address of the interface, and the path below it. */
export type Target = { readonly base: string; readonly path: '/metric_data' | '/test_data' }

export const urlOf = ({ base, path }: Target): string => `${base.replace(/\/$/, '')}${path}`

export function snippet(language: Language, target: Target, body: object): string {
  return { json: asJson, curl, typescript, python }[language](target, body)
}

const asJson = (_target: Target, body: object): string => JSON.stringify(body, null, 2)

const curl = (target: Target, body: object): string =>
  `curl -H "Authorization: $TOKEN" -H 'Content-Type: application/json' \\\n  '${shellQuoted(urlOf(target))}' -d '${shellQuoted(asJson(target, body))}'`

const shellQuoted = (text: string): string => text.replaceAll("'", `'\\''`)
