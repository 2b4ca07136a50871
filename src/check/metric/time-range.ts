import { isObject, messages, type FieldFaults } from '../field-faults.ts'
import { parseAgentLocal, type AgentLocal } from './agent-local-time.ts'
import type { LocalRange } from './periods.ts'

/** Checks an object with `from` and `to`. Returns null if it has faults. */
export function checkTimeRange(
  value: unknown,
  path: string,
  now: Temporal.Instant,
  faults: FieldFaults,
): LocalRange | null {
  if (!isObject(value)) {
    faults.add(path, value === undefined ? messages.missing : messages.type('object'))
    return null
  }
  faults.addUnexpected(value, ['from', 'to'], path)
  const end = (name: 'from' | 'to'): AgentLocal | null => {
    const given = value[name]
    const isTime = typeof given === 'string' || typeof given === 'number'
    const parsed = isTime ? parseAgentLocal(given, now, name) : null
    if (given === undefined) faults.add(`${path}[${name}]`, messages.missing)
    else if (!isTime) faults.add(`${path}[${name}]`, messages.type('string'))
    else if (parsed === null) faults.add(`${path}[${name}]`, 'This value is not a valid datetime.')
    return parsed
  }
  const [from, to] = [end('from'), end('to')]
  if (from === null || to === null) return null
  if (from <= to) return { from, to }
  faults.add(`${path}[to]`, `This value should not be before ${path}[from].`)
  return null
}
