import { bind, join, literal, sql, type Sql } from '../../../base/sql.ts'
import { peakValues, type ClockElement, type LocalWindow } from '../../../catalog/local-window.ts'
import { localDate } from '../local-time.ts'

const localHour = sql`toUInt8(intDiv(local_second % 86400, 3600))`
/** Monday is 1. */
export const localWeekday = sql`toDayOfWeek(${localDate})`

/** The conditions that keep the results inside the window. */
export const windowConditions = (window: LocalWindow | undefined): readonly Sql[] => [
  ...listed(localHour, window?.hours),
  ...listed(localWeekday, window?.weekdays),
]

const listed = (value: Sql, numbers: readonly number[] | null | undefined): readonly Sql[] =>
  numbers === null || numbers === undefined ? [] : [sql`${value} IN ${bind('Array(UInt8)', numbers)}`]

type ClockValue = { readonly key: Sql; readonly shown: (key: Sql) => Sql }

/** Expressions over the local time of a row. The key of `peak` is 1 inside its window and 0 outside. */
export function clockValue(clock: ClockElement): ClockValue {
  if (clock.element !== 'peak') {
    return { key: clock.element === 'hour_of_day' ? localHour : localWeekday, shown: (key) => key }
  }
  const [outside, inside] = peakValues
  return {
    key: sql`toUInt8(${join(windowConditions(clock.window), ' AND ')})`,
    shown: (key) => sql`if(${key} = 1, ${literal(inside)}, ${literal(outside)})`,
  }
}
