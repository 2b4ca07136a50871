import type { Dice } from './dice.ts'
import type { Operation } from './linearizability.ts'

/** What GET /metadata/unit/{id} says, as far as these tests write it. */
export type AgentState = { package: string | null; custom: { mark?: string } }

/** One change: its request, and which register it sets to what. */
type Write = { register: string; value: string; body: unknown }

/**
 * One agent as one or two registers whose values are never written twice. Half of the agents are changed field by field
 * and are two registers: a change that put back what it had read of the other field would show there as a lost update.
 * The others are always replaced as a whole and are one register: a state half of one change and half of another would
 * show as a value nobody wrote.
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
