import type { Dice } from './dice.ts'
import type { Operation } from './linearizability.ts'

/** The fields of GET /metadata/unit/{id} that these tests write. */
export type AgentState = { package: string | null; custom: { mark?: string } }

/** One change. It has the body of the request, the register that the change sets, and the value. */
type Write = { register: string; value: string; body: unknown }

/**
 * Describes an agent as one or two registers for the linearizability check. No value is written twice.
 * - Half of the agents are changed field by field. Each is two registers. If a change wrote back an old value of the
 *   other field, the check would report a lost update.
 * - The other agents are always replaced as a whole. Each is one register. If a state mixed two changes, the check
 *   would report a value that no client wrote.
 */
export type AgentRegisters = {
  readonly unit: number
  readonly nextWrite: (dice: Dice) => Write
  readonly noteWrite: (write: Write, startedAt: number, endedAt: number) => void
  readonly noteRead: (state: AgentState, startedAt: number, endedAt: number) => void
  readonly histories: ReadonlyMap<string, readonly Operation[]>
}

export function agentRegisters(unit: number, whole: boolean, packages: readonly string[]): AgentRegisters {
  const histories = new Map<string, Operation[]>()
  const unusedPackages = [...packages]
  let marks = 0
  const note = (register: string, operation: Operation) => {
    const history = histories.get(register) ?? []
    history.push(operation)
    histories.set(register, history)
  }

  const nextWrite = (dice: Dice): Write => {
    const packageName = dice.between(0, 1) === 0 ? unusedPackages.pop() : undefined
    const mark = packageName === undefined ? `${unit}-${(marks += 1)}` : undefined
    return {
      register: whole ? 'state' : mark === undefined ? 'package' : 'mark',
      value: whole ? wholeState(packageName ?? null, mark ?? null) : (packageName ?? mark ?? ''),
      body: {
        agent: { unit_id: unit },
        metadata: mark === undefined ? { package: packageName } : { custom: { mark } },
        ...(whole ? { overwrite_all: true } : {}),
      },
    }
  }
  return {
    unit,
    nextWrite,
    noteWrite: ({ register, value }, startedAt, endedAt) =>
      note(register, { kind: 'write', value, startedAt, endedAt }),
    noteRead: ({ package: packageName, custom: { mark = null } }, startedAt, endedAt) => {
      const seen = whole
        ? { state: packageName === null && mark === null ? null : wholeState(packageName, mark) }
        : { package: packageName, mark }
      for (const [register, value] of Object.entries(seen)) note(register, { kind: 'read', value, startedAt, endedAt })
    },
    histories,
  }
}

const wholeState = (packageName: string | null, mark: string | null): string => JSON.stringify([packageName, mark])
