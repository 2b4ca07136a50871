import { bind, identifier, join, literal, numberLiteral, sql, type Sql } from '../src/base/sql.ts'
import { agentKinds } from '../src/catalog/agent-kinds.ts'
import type { TestDefinition } from '../src/catalog/define-test.ts'
import { agentTraits } from './agents.ts'
import { chance, hash } from './chance.ts'
import { isHourOf, localHours } from './clock.ts'
import type { Synthesis } from './define-synthesis.ts'
import { lineTraits } from './lines.ts'
import { numberOf } from './lists.ts'
import type { Population } from './options.ts'
import type { Portion, Range } from './portions.ts'
import { adding, needed } from './select.ts'

export type Destination = { readonly database: string; readonly panelId: number }

/**
 * Agents and the times at which they test, with the columns that the expressions `used` use. An agent tests once in each block
 * of the test's schedule, a heavy tester once in every hour, and the panel's outlier six times in every hour. `written_until`
 * is the time of the agent's last row in this portion, so that a second run stores no duplicates.
 */
export function slots(
  { test, everyHours, turns, heavily, afterSeconds }: Synthesis,
  population: Population,
  portion: Portion,
  to: Destination,
  used: readonly Sql[],
): Sql {
  // In a test of every hour, all hours are the hour of their block.
  const isDue = test.schedule.length === 25 ? sql`true` : isHourOf(test.key, 'block')
  const conditions = [
    heavily ? sql`(is_heavy OR ${isDue})` : isDue,
    everyHours === 1 ? sql`true` : sql`(local_hour + line) % ${bind('UInt8', everyHours)} = 0`,
    sql`toDate(starts_at) >= from_day AND toDate(starts_at) < until_day`,
    sql`hour_number >= joined_hour AND hour_number < left_hour`,
    sql`NOT (${isOffline})`,
    // An agent runs all tests of an hour or none, except those that it gives up. Phones and browsers run fewer at night.
    sql`(${heavily ? sql`is_outlier` : sql`false`}
      OR ${chance('present', sql`line + hour_number`)} < attendance * if(kind > 2, ${wakefulness}, 1))`,
    // An agent gives up a test if the household uses the line for too long. Speed tests wait instead.
    heavily || afterSeconds === 0 || afterSeconds === 'end of the hour'
      ? sql`true`
      : sql`${chance(`given up ${test.key}`, sql`line + hour_number`)} >= 0.001 + 0.007 * load`,
  ]
  // The range starts an hour early, because a test in the last hour of the day before may end after midnight.
  const start = portion.from.subtract({ hours: 1 })
  const all = [...used, ...conditions, sql`is_outlier`]
  const scheduled = sql`
    SELECT * FROM (${agents(test, population, portion, to, all)}) AS agents
      JOIN (${localHours(population.geography, start, portion.to, test.schedule, all)}) AS hours USING (zone)
    WHERE ${join(conditions, '\n  AND ')}`
  const results = sql`range(toUInt32(${numberLiteral(turns)}${heavily ? sql` * if(is_outlier, 6, 1)` : sql``}))`
  const numbered =
    heavily || turns > 1
      ? sql`SELECT *, turn FROM (${scheduled}) ARRAY JOIN ${results} AS turn`
      : sql`SELECT *, 0 AS turn FROM (${scheduled})`
  return sql`SELECT *, ${hash(sql`line + hour_number * 16 + turn`, test.key)} AS draw FROM (${numbered})`
}

/** How often phones and browsers test, by local hour, relative to the mean of the day. Some people get up earlier than others. */
const wakefulHours = [
  0.55, 0.42, 0.36, 0.33, 0.34, 0.42, 0.62, 0.88, 1.08, 1.14, 1.15, 1.17, 1.22, 1.2, 1.17, 1.18, 1.22, 1.28, 1.32, 1.34,
  1.33, 1.27, 1.08, 0.8,
]
const wakefulness = numberOf(wakefulHours, (share) => share, sql`1 + (local_hour + 23 + line % 3) % 24`)

const absence = hash(sql`line + intDiv(hour_number + line % 672, 672)`, 'absence')
const unplugged = hash(sql`line + intDiv(hour_number + line % 24, 24)`, 'unplugged')
const hourOfUnplugging = sql`toUInt8((hour_number + line % 24) % 24 - intDiv(${unplugged}, 100) % 17)`

/**
 * True while an agent is off: unplugged for up to seven hours, or absent for hours to two weeks because of a holiday or a
 * move. An absence begins in the first half of a period of 28 days, so that it ends in the same period; each agent has its own
 * periods. Before the start, the difference of the times is negative; because it is unsigned, it wraps to a large number.
 */
const isOffline = sql`${absence} % 100 < 28
      AND toUInt16((hour_number + line % 672) % 672 - intDiv(${absence}, 100) % 336)
        < [4, 9, 15, 30, 60, 110, 190, 330][1 + intDiv(${absence}, 1000000) % 8]
      OR ${unplugged} % 13 = 0 AND ${hourOfUnplugging} <= intDiv(${unplugged}, 10000) % 7`

/** True in the first hour after an agent was unplugged. */
export const isPluggedIn = sql`(${unplugged} % 13 = 0 AND ${hourOfUnplugging} = 1 + intDiv(${unplugged}, 10000) % 7)`

/** The agents of a portion with the traits of their lines. Each agent has one row per package that it has had. */
function agents(
  { key: table, kinds }: TestDefinition,
  population: Population,
  portion: Portion,
  to: Destination,
  used: readonly Sql[],
): Sql {
  const dictionary = literal(`${to.database}.agents`)
  const { firstAgent, lastAgent } = portion
  const numbers = sql`numbers(${bind('UInt64', firstAgent)}, ${bind('UInt64', lastAgent - firstAgent + 1)})`
  const traits = needed(lineTraits, used)
  const all = adding(
    needed(agentTraits(population), [...used, ...Object.values(traits), tenures, sql`zone`, sql`kind`]),
    sql`
    SELECT ${bind('UInt32', to.panelId)} AS panel, toUInt32(number) AS agent,
      dictGet(${dictionary}, 'agent_id', agent) AS agent_id,
      ${bind('UInt64', population.seed)} AS seed, cityHash64(seed, agent_id) AS line,
      -- The first agent of a panel runs its speed tests every ten minutes, 24 times as often as others.
      toUInt32OrZero(right(agent_id, 7)) = 1 AS is_outlier,
      -- Some agents run them in every hour, four times as often as others.
      is_outlier OR ${chance('heavy', sql`line`)} < 0.015 AS is_heavy
    FROM ${numbers}
    WHERE dictGet(${dictionary}, 'panel_id', agent) = panel`,
  )
  const written = sql`
    SELECT agent, max(dtime) AS written_until FROM ${identifier(to.database)}.${identifier(table)}
    WHERE panel = ${bind('UInt32', to.panelId)} AND ${isWithin(portion)}
      AND agent BETWEEN ${bind('UInt32', firstAgent)} AND ${bind('UInt32', lastAgent)}
    GROUP BY agent`
  const positions = kinds.map((kind) => agentKinds.indexOf(kind) + 1)
  return adding(
    traits,
    sql`
    SELECT *, tenure.1 AS offer, tenure.2 AS from_day, tenure.3 AS until_day
    FROM (SELECT * FROM (${all}) AS members LEFT JOIN (${written}) AS written USING (agent)) ARRAY JOIN ${tenures} AS tenure
    WHERE has(${bind('Array(UInt8)', positions)}, kind)`,
  )
}

/** The packages that an agent has had while it was on the panel, as (offer, first day, end day). */
const tenures = sql`arrayFilter(tenure -> tenure.2 < tenure.3, [
      (first_offer, joined_on, least(moved_on, left_on)), (second_offer, greatest(moved_on, joined_on), left_on)
    ])`

/** True if the time of a row (`dtime`) is in the time range of the portion. */
export const isWithin = ({ from, to }: Range): Sql => sql`dtime >= ${instant(from)} AND dtime < ${instant(to)}`

const instant = ({ epochMilliseconds }: Temporal.Instant): Sql =>
  sql`fromUnixTimestamp64Milli(${bind('Int64', epochMilliseconds)}, 'UTC')`
