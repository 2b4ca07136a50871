import type { Dice } from '../../../faults/dice.ts'
import type { Agent, Cell } from '../model/facts.ts'

export type Row = Record<string, Cell>

/** What the rows of one test run depend on. */
export type Occasion = {
  dice: Dice
  agent: Agent
  endedAt: number
  /** If true, all values are near 1e9 in the unit of the metric and differ by one or two. */
  giant: boolean
}

/** The rows of one test run. Only traceroute has more than one row. */
export type RowsOf = (occasion: Occasion) => Row[]

/** A factor for the load of the line. It is larger in the evening and different for each agent. */
export function load({ agent, endedAt }: Occasion): number {
  const hour = new Date(endedAt).getUTCHours()
  return (1 + (agent.id.charCodeAt(agent.id.length - 1) % 7)) * (hour >= 17 && hour < 23 ? 3 : 1)
}
