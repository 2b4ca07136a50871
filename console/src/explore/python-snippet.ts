import type { RequestTarget } from './request-target.ts'

export const python = ({ base, path }: RequestTarget, body: object): string => `import os
import requests

response = requests.post(
    ${JSON.stringify(`${base.replace(/\/$/, '')}${path}`)},
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
