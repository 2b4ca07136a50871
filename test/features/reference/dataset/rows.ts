import type { Dice } from '../../../faults/dice.ts'
import type { Agent, Cell } from '../model/facts.ts'

export type Row = Record<string, Cell>

/** What a test's rows are made from. */
export type Occasion = {
  dice: Dice
  agent: Agent
  endedAt: number
  /** All values are near 1e9 in the metric's unit and differ by one or two. */
  giant: boolean
}

/** The rows one run of a test leaves; all but traceroute leave one. */
export type RowsOf = (occasion: Occasion) => Row[]

/** Slower in the evening, and different from agent to agent. */
export function load({ agent, endedAt }: Occasion): number {
  const hour = new Date(endedAt).getUTCHours()
  return (1 + (agent.id.charCodeAt(agent.id.length - 1) % 7)) * (hour >= 17 && hour < 23 ? 3 : 1)
}
