/** The same request for four readers. The token is a variable: what is copied from here ends up in chats and tickets. */
export const languages = [
  { key: 'json', title: 'Request' },
  { key: 'curl', title: 'curl' },
  { key: 'typescript', title: 'TypeScript' },
  { key: 'python', title: 'Python' },
] as const

export type Language = (typeof languages)[number]['key']

export function snippet(language: Language, url: string, body: unknown): string {
  return { json: asJson, curl, typescript, python }[language](url, body)
}

const asJson = (_url: string, body: unknown): string => JSON.stringify(body, null, 2)

const curl = (url: string, body: unknown): string =>
  `curl -H "Authorization: $TOKEN" -H 'Content-Type: application/json' \\\n  '${shellQuoted(url)}' -d '${shellQuoted(asJson(url, body))}'`

const shellQuoted = (text: string): string => text.replaceAll("'", `'\\''`)

const typescript = (url: string, body: unknown): string => `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: { Authorization: process.env.TOKEN ?? '', 'Content-Type': 'application/json' },
  body: JSON.stringify(${asJson(url, body).replaceAll('\n', '\n  ')}),
})
const answer = await response.json()
if (!response.ok) throw new Error(JSON.stringify(answer))
console.log(answer.data)`

const python = (url: string, body: unknown): string => `import os
import requests

response = requests.post(
    ${JSON.stringify(url)},
    headers={"Authorization": os.environ["TOKEN"]},
    json=${pythonLiteral(body, '    ')},
    timeout=60,
)
answer = response.json()
if not response.ok:
    raise RuntimeError(answer)
print(answer["data"])`

function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}    `
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item: unknown) => pythonLiteral(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${pythonLiteral(item, inner)}`)
  const [open, close] = isList ? '[]' : '{}'
  return items.length === 0
    ? `${open}${close}`
    : `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`
}
