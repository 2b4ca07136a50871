import { urlOf, type RequestTarget } from './request-target.ts'
import { typescript } from './typescript-snippet.ts'
import { python } from './python-snippet.ts'

/** The same request in four languages. The token is a variable, because users paste these texts into chats and tickets. */
export const languages = [
  { key: 'json', title: 'Request' },
  { key: 'curl', title: 'curl' },
  { key: 'typescript', title: 'TypeScript' },
  { key: 'python', title: 'Python' },
] as const

export type Language = (typeof languages)[number]['key']

export function snippet(language: Language, target: RequestTarget, body: object): string {
  return { json: asJson, curl, typescript, python }[language](target, body)
}

const asJson = (_target: RequestTarget, body: object): string => JSON.stringify(body, null, 2)

const curl = (target: RequestTarget, body: object): string =>
  `curl -H "Authorization: $TOKEN" -H 'Content-Type: application/json' \\\n  '${shellQuoted(urlOf(target))}' -d '${shellQuoted(asJson(target, body))}'`

const shellQuoted = (text: string): string => text.replaceAll("'", `'\\''`)
