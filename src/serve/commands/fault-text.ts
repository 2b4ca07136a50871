import type { FieldDetail } from '../../base/fault.ts'
import { choicesText } from './choices-text.ts'

/** An error of the service: a `Fault` of this process, or the response of a service. */
type Failure = {
  readonly message: string
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined
  readonly details?: Readonly<Record<string, FieldDetail>> | undefined
}

/** Commands that list all choices of a field, by the field's path. */
const listings: readonly (readonly [path: RegExp, command: string])[] = [
  [/^metric$/, 'broadgauge choices metric'],
  [/^(splits\[\d+\]|compare\[split\])$/, 'broadgauge choices split'],
  [/^(compare\[)?filters\]?(\[(\d+|any|all|not)\])+\[id\]$/, 'broadgauge choices filter'],
]

/** The text of a failure for the command line: its message, then a line for each invalid field of the request. */
export function faultText({ message, errors = {}, details = {} }: Failure, request?: unknown): string {
  const lines = Object.entries(errors).map(([path, messages]) => {
    const { choices = [], choicesTotal: total, reason } = details[path] ?? {}
    const listing = listings.find(([pattern]) => pattern.test(path))?.[1]
    const help = choices.length === 0 ? [] : [choicesText(valueAt(request, path), choices, { total, listing })]
    return `  ${path}: ${[...messages, reason ?? [], help].flat().join(' ')}`
  })
  return [message, ...lines].join('\n')
}

/** Returns the value of a request at a path such as `filters[0][id]`. */
const valueAt = (request: unknown, path: string): unknown =>
  (path.match(/[^[\]]+/g) ?? []).reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    request,
  )
