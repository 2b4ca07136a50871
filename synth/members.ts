import { bind, sql, type Sql } from '../src/base/sql.ts'
import { agentTraits } from './agents.ts'
import type { Population } from './options.ts'
import { adding } from './select.ts'

/**
 * An agent before registration. Numeric fields are positions (from 1) in the lists of kinds, market, places, devices and
 * campaigns.
 */
export type Member = {
  ordinal: number
  agent_id: string
  kind: number
  device: number
  place: number
  first_offer: number
  second_offer: number
  moved_on: string
  corrected_on: string
  campaign: number
  is_unknown: boolean
  is_without_package: boolean
}

/** Returns the members of a population. The first has the number 1. */
export function members(population: Population, first: number, count: number): Sql {
  const traits = adding(
    agentTraits(population),
    sql`
  SELECT toUInt32(number) AS ordinal,
    concat(${bind('String', population.panel)}, '-', leftPad(toString(ordinal), 7, '0')) AS agent_id,
    cityHash64(${bind('UInt64', population.seed)}, agent_id) AS line
  FROM numbers(${bind('UInt64', first)}, ${bind('UInt64', count)})`,
  )
  return sql`
SELECT ordinal, agent_id, kind, device, place, first_offer,
  second_offer,
  toString(moved_on) AS moved_on, toString(corrected_on) AS corrected_on, campaign,
  is_unknown = 1 AS is_unknown, is_without_package = 1 AS is_without_package
FROM (${traits}) ORDER BY ordinal`
}
