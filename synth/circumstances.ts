import { bind, sql, type Sql } from '../src/base/sql.ts'
import { chance, chanceBelow, hash, normal } from './chance.ts'
import type { Columns } from './select.ts'

/**
 * Returns 1 during an outage of `of`, otherwise 0. `of` is the hash of a line, of an ISP in a region, or of an ISP. One day in
 * `oneDayIn` has an outage of one to six hours. The day, the start and the length come from different digits of one hash.
 * Before the start, the difference of the hours is negative; because it is unsigned, it wraps to a large number, and the result
 * is 0.
 */
export const isDown = (of: Sql, purpose: string, oneDayIn: Sql): Sql => {
  const fate = hash(sql`${of} + utc_day`, purpose)
  return sql`(${fate} % ${oneDayIn} = 0)
    * (toUInt8(utc_hour - intDiv(${fate}, 10000) % 19) <= intDiv(${fate}, 1000000) % 6)`
}

/** `rate` is the probability that a test fails on its own. If `besides` is true for a result, the test always fails. */
export type Failures = { readonly rate?: number; readonly besides?: Sql }

/** Expressions for one result: when the test ended, how busy the line was, whether the test failed, whether it is plausible. */
export const circumstances = ({ rate = 0.0006, besides = sql`false` }: Failures = {}): Columns => ({
  // An agent starts its tests within five minutes after its own minute of the hour. The outlier tests every ten minutes.
  minute: sql`if(is_outlier, intDiv(turn, turns) * 10, own_minute)`,
  // If a run has two results (`turns` is 2), the second follows the first after about 16 seconds.
  milliseconds: sql`minute * 60000 + ${chanceBelow(sql`280000`, 'moment', sql`line + hour_number`)}
    + (turn % turns) * (15200 + ${chanceBelow(sql`2500`, 'second')})`,
  dtime: sql`fromUnixTimestamp64Milli(toInt64(toUnixTimestamp(starts_at)) * 1000 + milliseconds, 'UTC')`,
  // Some evenings are busier than others, for an ISP and for its lines in a region.
  busy: sql`least(1.5, load * exp(0.18 * ${normal('day', sql`provider + day`)} + 0.22 * ${normal('evening', sql`area + day`)})
    * (0.8 + 0.3 * ${chance('busy')}))`,
  week: sql`intDiv(day + line % 7, 7)`,
  // A factor for the speed of the line on this day: random by day and by week, and a slow wave over months.
  level: sql`exp(drift * ${normal('day', sql`line + day`)} + resync * ${normal('week', sql`line + week`)})
    * (1 + trend * sin(6.2832 * (day / trend_days + line % 100 / 100)))`,
  // Additional round-trip time in microseconds, from three causes: another route for nine days, interleaving on a copper line
  // for a week, and congestion for a few hours.
  route: hash(sql`area + intDiv(day + isp * 4, 9)`, 'route'),
  detour_time: sql`(route % 14 = 0) * (500 + intDiv(route, 100) % 4000)
    + (resync > 0) * (${hash(sql`line + week`, 'interleaving')} % 12 = 0) * 7000
    + ${isDown(sql`area`, 'congestion', sql`45`)} * 18000 * (0.5 + ${chance('congestion')})`,
  // An outage of the whole ISP affects half of its lines.
  is_out: sql`${isDown(sql`line`, 'outage', sql`outage_days`)} + ${isDown(sql`area`, 'outage', sql`400`)}
    + (line % 2) * ${isDown(sql`provider`, 'outage', sql`200`)} > 0`,
  is_failed: sql`is_out OR (${besides})
    OR ${chance('failure')} < least(0.2, ${bind('Float64', rate)} * failures * (1 + 2 * busy + 6 * busy * evening_dip))`,
  // 0 for a plausible result. 1 to 4 are four kinds of implausible result, as real agents report them; each test defines its
  // own.
  oddity: sql`if(${chance('oddity')} < oddities, 1 + ${chanceBelow(sql`4`, 'which oddity')}, 0)`,
  // Microseconds by which a time server set the agent's clock during the test: 0.2 to 20 seconds.
  clock_step: sql`200000 * exp(4.6 * ${chance('clock step')})`,
})
