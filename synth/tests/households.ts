import { sql } from '../../src/base/sql.ts'
import { chance, logNormal, normal } from '../chance.ts'
import type { Columns } from '../select.ts'

/** The bytes that the household of a line wants to receive in this hour. Tests that share the line with it use them too. */
export const householdUse: Columns = {
  // Some households use ten times as much as others. Households with a faster line use more.
  household: sql`640000000 * ${logNormal(sql`1`, 'household', sql`line`)} * least(1.6, pow(advertised_down / 12500000, 0.25))`,
  // A household uses six times as much in the evening as at night, when devices only update themselves. It stays at home or
  // away for a few hours.
  stay: sql`line + intDiv(hour_number + line % 3, 3)`,
  // A household is up to an hour earlier or later than others.
  habit: sql`2 * ${chance('habit', sql`line`)} - 1`,
  home_load: sql`load + abs(habit) * (if(habit < 0, load_before, load_after) - load)`,
  wanted: sql`household * (0.1 + 0.9 * home_load * (0.6 + 0.4 * home_load)) * if(${chance('away', sql`stay`)} < 0.1, 0.03, 1.1)
    * exp(0.4 * ${normal('day of use', sql`line + day`)} + 0.55 * ${normal('use', sql`stay`)}
    + 0.5 * ${normal('received', sql`line + hour_number`)}) + 3000000`,
}
