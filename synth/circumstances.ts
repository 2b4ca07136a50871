import { bind, sql, type Sql } from '../src/base/sql.ts'
import { chance, chanceBelow } from './chance.ts'
import type { Columns } from './select.ts'

/**
 * Down for one to five hours of a day now and then: one line, or all of an ISP in a region. The numbers are parts of one
 * hash, and a difference below zero becomes a large one.
 */
const isDown = (fate: Sql, oneDayIn: number): Sql =>
  sql`(${fate} % ${bind('UInt32', oneDayIn)} = 0)
    * (toUInt8(toHour(starts_at) - intDiv(${fate}, 1000) % 20) <= intDiv(${fate}, 100000) % 5)`

/** When exactly a test ended, how busy the line was, whether it failed, and whether its result is believable. */
export const circumstances: Columns = {
  // Each agent has its own minute of the hour, which it keeps to within five minutes; a heavy tester tests every ten.
  minute: sql`turn % turns + if(is_heavy, intDiv(turn, turns) * 10, ${chanceBelow(sql`54`, 'minute', sql`line`)})`,
  milliseconds: sql`minute * 60000 + ${chanceBelow(sql`300000`, 'moment')}`,
  dtime: sql`fromUnixTimestamp64Milli(toInt64(toUnixTimestamp(starts_at)) * 1000 + milliseconds, 'UTC')`,
  busy: sql`load * (0.8 + 0.4 * ${chance('busy')})`,
  fate_of_line: sql`cityHash64(line, 'outage', toDate(starts_at))`,
  fate_of_area: sql`cityHash64(seed, isp, place, toDate(starts_at))`,
  is_failed: sql`${chance('failure')}
    < 0.0015 + 0.003 * busy + ${isDown(sql`fate_of_line`, 150)} + ${isDown(sql`fate_of_area`, 400)}`,
  // One result in four hundred cannot be true; 1 to 4 say in which way.
  oddity: sql`if(${chance('oddity')} < 0.0025, 1 + ${chanceBelow(sql`4`, 'which oddity')}, 0)`,
}
