import { bind, identifier, numberLiteral, sql, type Sql } from '../src/base/sql.ts'
import type { TestDefinition } from '../src/catalog/define-test.ts'
import { chance, chanceBelow, hash, logNormal, normal } from './chance.ts'
import type { Columns } from './select.ts'

/** `rate` is the probability that a test fails on its own. If `besides` is true for a result, the test always fails. */
export type Failures = { readonly rate?: number; readonly besides?: Sql }

/** What determines when an agent runs a test, and how often the test fails. */
export type Runs = {
  readonly test: TestDefinition
  /** When an agent runs the test: seconds after it has begun the tests of the hour. */
  readonly afterSeconds: number | 'end of the hour'
  /** Number of results of an agent each time it tests. The column `turn` numbers them from 0. */
  readonly turns: number
  readonly failures?: Failures
}

type Recurrence = { readonly days: number; readonly shortestMinutes: number; readonly longestMinutes: number }

/**
 * Random events of `of`, the hash of a line, of an ISP, or of an ISP in a region. The time of `of` is divided into windows of
 * `days`, which begin at a random time. The event of a window begins in any second from which it fits, and most events are
 * short. `<name>_fate` is the hash of the window, by which a user of the event decides whether it occurs. `<name>_left` is the
 * part of the event that is still to come: 1 at its start, 0 before and after it. Before the start, the difference of the
 * times is negative; because it is unsigned, it wraps to a large number.
 */
function events(name: string, of: Sql, { days, shortestMinutes, longestMinutes }: Recurrence): Columns {
  const [inside, fate] = [identifier(`${name}_inside`), identifier(`${name}_fate`)]
  const window = numberLiteral(days * 86_400)
  const latest = numberLiteral(days * 86_400 - longestMinutes * 60)
  const growth = bind('Float64', Math.log(longestMinutes / shortestMinutes) / 4096)
  return {
    [`${name}_inside`]: sql`toUInt32((second + ${of}) % ${window})`,
    [`${name}_fate`]: hash(sql`${of} + intDiv(second + ${of}, ${window})`, `fate ${name}`),
    [`${name}_left`]: sql`greatest(0, 1 - toUInt32(${inside} - intDiv(${fate}, 1000000) % ${latest})
      / (${numberLiteral(shortestMinutes * 60)} * exp(${growth} * (intDiv(${fate}, 1099511627776) % 4096))))`,
  }
}

const short: Recurrence = { days: 1, shortestMinutes: 4, longestMinutes: 720 }
const shared: Recurrence = { days: 1, shortestMinutes: 10, longestMinutes: 480 }
const route: Recurrence = { days: 40, shortestMinutes: 180, longestMinutes: 30_000 }
const target: Recurrence = { days: 28, shortestMinutes: 120, longestMinutes: 20_000 }

/**
 * The number of the current period of a line. Periods have random lengths, with a mean of `period_seconds`: each begins at a
 * random time in an interval of this length.
 */
const period = sql`intDiv(second, period_seconds)
    + (second % period_seconds >= ${hash(sql`line + intDiv(second, period_seconds)`, 'period')} % period_seconds)`

/** Milliseconds after the start of the hour. */
function startOf({ test, turns, afterSeconds }: Runs): Columns {
  const slot = sql`if(is_outlier, ${turns === 1 ? sql`turn` : sql`intDiv(turn, ${numberLiteral(turns)})`} * 600000, own_start)`
  // An agent waits until the household does not use the line.
  const begins = sql`toUInt32(${slot} + longest_wait * ${chance('wait', sql`line + hour_number`)}
    + ${numberLiteral(typeof afterSeconds === 'number' ? afterSeconds * 1000 : 0)} * pace) + ${chanceBelow(sql`6000`, `moment of ${test.key}`, sql`line + hour_number`)}`
  // If a run has two results (`turns` is 2), the second follows the first after about 16 seconds.
  const following = sql` + (turn % ${numberLiteral(turns)}) * (15200 + ${chanceBelow(sql`2500`, 'second')})`
  return {
    begins: turns === 1 ? begins : sql`${begins}${following}`,
    ends:
      afterSeconds === 'end of the hour'
        ? sql`3598000 - line % 45000 - ${chanceBelow(sql`6000`, 'report')}`
        : sql`begins`,
  }
}

/** Expressions for one result: when the test ended, how busy the line was, whether the test failed, whether it is plausible. */
export function circumstances(runs: Runs): Columns {
  const { rate = 0.0006, besides } = runs.failures ?? {}
  return {
    ...startOf(runs),
    dtime: sql`fromUnixTimestamp64Milli(toInt64(toUnixTimestamp(starts_at)) * 1000 + ends, 'UTC')`,
    second: sql`toUInt32(toUnixTimestamp(starts_at) + intDiv(begins, 1000))`,
    // Some evenings are busier than others, for an ISP and for its lines in a region.
    busy: sql`least(1.5, load * exp(0.18 * ${normal('day', sql`provider + day`)} + 0.22 * ${normal('evening', sql`area + day`)})
      * (0.7 + 0.5 * ${chance('busy', sql`line + hour_number`)}))`,
    period,
    // Factors for the speed of the line in both directions: random by period, and for downloads a slow wave over months.
    level: sql`exp(variation * ${normal('level', sql`line + period`)})
      * (1 + trend * sin(6.2832 * (day / trend_days + line % 100 / 100)))`,
    level_up: sql`exp(variation * ${normal('level up', sql`line + period`)})`,
    ...events('line', sql`line`, short),
    ...events('area', sql`area`, shared),
    ...events('provider', sql`provider`, shared),
    ...events('route', sql`area`, route),
    ...events('target', sql`line`, target),
    // Additional round-trip time in microseconds, from three causes: another route for hours or weeks, interleaving on a copper
    // line until its modem connects anew, and congestion that grows and abates.
    detour_time: sql`(route_fate % 3 = 0) * (route_left > 0) * (500 + intDiv(route_fate, 100) % 4000)
      + (resync > 0) * (${hash(sql`line + period`, 'interleaving')} % 12 = 0) * (3000 + line % 13000)
      + (area_fate % 40 = 1) * 70000 * area_left * (1 - area_left) * (0.5 + ${chance('congestion')})`,
    // What even the shortest round trip of many waits for: the slots of a shared medium, and satellites that move.
    floor_time: sql`line_jitter * (0.1 + 1.6 * evening_dip * (0.5 + busy)) * ${logNormal(sql`0.7`, 'floor')}`,
    // An outage of an ISP or of a region begins for many lines at once, and ends for one line after the other.
    is_out: sql`(line_fate % outage_days = 0) * (line_left > 0)
      + (${chance('restored', sql`line + area_fate`)} < greatest((area_fate % 130 = 0) * area_left,
        (provider_fate % 70 = 0) * provider_left * (0.3 + intDiv(provider_fate, 100) % 7 / 10))) > 0`,
    is_failed: sql`is_out OR ${besides === undefined ? sql`` : sql`(${besides}) OR `}${chance('failure')}
      < least(0.2, ${bind('Float64', rate)} * failures * (1 + 2 * busy + 6 * busy * evening_dip))`,
    // 0 for a plausible result. 1 to 4 are four kinds of implausible result, as real agents report them; each test defines its
    // own.
    oddity: sql`if(${chance('oddity')} < oddities, 1 + ${chanceBelow(sql`4`, 'which oddity')}, 0)`,
    // Microseconds by which a time server set the agent's clock during the test: 2 milliseconds to a minute.
    clock_step: sql`2000 * exp(10.3 * ${chance('clock step')})`,
  }
}
