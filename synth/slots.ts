import { bind, identifier, literal, sql, type Sql } from '../src/base/sql.ts'
import { agentKinds } from '../src/catalog/agent-kinds.ts'
import type { TestDefinition } from '../src/catalog/define-test.ts'
import { agentTraits } from './agents.ts'
import { chance } from './chance.ts'
import { localHours } from './clock.ts'
import { presence } from './devices.ts'
import type { Synthesis } from './define-synthesis.ts'
import { lineTraits } from './lines.ts'
import { numberOf } from './lists.ts'
import type { Population } from './options.ts'
import { adding } from './select.ts'

/** A part of a panel's results of one test: agents by number and UTC days, both ends included. */
export type Portion = {
  readonly firstAgent: number
  readonly lastAgent: number
  readonly firstDay: Temporal.PlainDate
  readonly lastDay: Temporal.PlainDate
}

/** Where a panel's rows go. */
export type Destination = { readonly database: string; readonly panelId: number }

/**
 * Agents and the hours at which they test: one in each block of the test's schedule, six of every hour for a heavy
 * tester. Agents that have rows in this portion already are left out, so writing it again doubles nothing.
 */
export function slots(
  { test, everyHours, turns, heavily }: Synthesis,
  population: Population,
  portion: Portion,
  to: Destination,
): Sql {
  const isHeavy = heavily ? sql`is_heavy` : sql`false`
  // An hour early: a test of the last hour of the day before may end after midnight.
  const start = portion.firstDay.toZonedDateTime('UTC').toInstant().subtract({ hours: 1 })
  const end = portion.lastDay.add({ days: 1 }).toZonedDateTime('UTC').toInstant()
  const scheduled = sql`
    SELECT * FROM (${agents(test, population, portion, to)}) AS agents
      JOIN (${localHours(start, end, test.schedule)}) AS hours USING (zone)
    WHERE if(${isHeavy}, true, local_hour = block_begins + cityHash64(line, ${literal(test.key)}, local_day, block) % block_hours)
      AND (local_hour + line) % ${bind('UInt8', everyHours)} = 0
      AND toDate(starts_at) >= from_day AND toDate(starts_at) < until_day`
  const numbered = sql`
    SELECT *, turn, ${bind('UInt8', turns)} AS turns, cityHash64(line, ${literal(test.key)}, starts_at, turn) AS draw
    FROM (${scheduled}) ARRAY JOIN range(${bind('UInt8', turns)} * if(${isHeavy}, 6, 1)) AS turn`
  const isPresent = sql`${chance('present')} < ${numberOf(agentKinds, (kind) => presence[kind], sql`kind`)}`
  return sql`SELECT * FROM (${numbered}) WHERE ${isHeavy} OR ${isPresent}`
}

/** The agents of a portion, once for each package they have had, each with its line. */
function agents(
  { key: table, kinds }: TestDefinition,
  population: Population,
  { firstAgent, lastAgent, firstDay, lastDay }: Portion,
  to: Destination,
): Sql {
  const dictionary = literal(`${to.database}.agents`)
  const numbers = sql`numbers(${bind('UInt64', firstAgent)}, ${bind('UInt64', lastAgent - firstAgent + 1)})`
  const all = adding(
    agentTraits(population),
    sql`
    SELECT ${bind('UInt32', to.panelId)} AS panel, toUInt32(number) AS agent,
      dictGet(${dictionary}, 'agent_id', agent) AS agent_id,
      ${bind('UInt64', population.seed)} AS seed, cityHash64(seed, agent_id) AS line,
      -- The first of every five thousand tests all day long.
      toUInt32OrZero(right(agent_id, 7)) % 5000 = 1 AS is_heavy
    FROM ${numbers}
    WHERE dictGet(${dictionary}, 'panel_id', agent) = panel AND agent NOT IN (
      SELECT agent FROM ${identifier(to.database)}.${identifier(table)}
      WHERE panel = ${bind('UInt32', to.panelId)} AND toDate(dtime) BETWEEN ${dateOf(firstDay)} AND ${dateOf(lastDay)}
        AND agent BETWEEN ${bind('UInt32', firstAgent)} AND ${bind('UInt32', lastAgent)}
    )`,
  )
  const positions = kinds.map((kind) => agentKinds.indexOf(kind) + 1)
  return adding(
    lineTraits,
    sql`
    SELECT *, tenure.1 AS offer, tenure.2 AS from_day, tenure.3 AS until_day
    FROM (${all}) ARRAY JOIN ${tenures} AS tenure
    WHERE has(${bind('Array(UInt8)', positions)}, kind)`,
  )
}

/** Packages an agent has had while it was on the panel: which, from which day, until which. */
const tenures = sql`arrayFilter(tenure -> tenure.2 < tenure.3, [
      (first_offer, joined_on, least(moved_on, left_on)), (second_offer, greatest(moved_on, joined_on), left_on)
    ])`

export const dateOf = (day: Temporal.PlainDate): Sql => sql`toDate(${bind('String', day.toString())})`
