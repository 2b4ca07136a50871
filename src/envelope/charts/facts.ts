import type { QuestionContent } from '../../check/question/content.ts'
import type { Warning } from '../../base/warning.ts'
import { isObject } from '../../check/field-faults.ts'
import { memberOf, type Answered, type DrawnAnswer } from './drawn-answer.ts'

/** A line below a chart that says what its numbers are about. */
export type Fact = { readonly name: string; readonly text: string }

/** Everything that a reader must know to quote a number of the answer. */
export function factsOf(
  { request }: Pick<QuestionContent, 'request'>,
  { meta, warnings = [] }: Answered & { readonly warnings?: readonly Warning[] },
  drawn: DrawnAnswer,
): readonly Fact[] {
  const points = drawn.series.flatMap((one) => one.points)
  const filters = listOf(request['filters'])
  const time = memberOf(meta, 'time')
  const all: [name: string, text: string | null][] = [
    ['Range', `${minuteOf(time, 'from')} to ${minuteOf(time, 'to')}, local time of the agents`],
    ['Filters', filters.length === 0 ? null : filters.map((one) => filterText(one, true)).join('; ')],
    ['Hours', windowText(memberOf(meta, 'window'))],
    ['Peak', windowText(memberOf(meta, 'peak'))],
    ['Values', valuesText(request, meta)],
    ['Results', countText(points.map(({ results }) => results))],
    ['Agents', rangeText(points.map(({ agents }) => agents))],
    ['Intervals', points.some(({ low }) => low !== null) ? intervalText(request) : null],
    [
      'Partial',
      points.some(({ isPartial }) => isPartial) ? 'hollow marks: the range has only a part of the period' : null,
    ],
    ['Caution', cautionText(points.flatMap(({ caution }) => caution))],
    ...warnings.map(({ message }): [string, string] => ['Warning', message]),
  ]
  return all.flatMap(([name, text]) => (text === null ? [] : [{ name, text }]))
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const minuteOf = (range: unknown, end: 'from' | 'to'): string =>
  String(memberOf(range, end)).slice(0, 16).replace('T', ' ')

const signs: Readonly<Record<string, string>> = {
  include: '=',
  inclusive: '=',
  '1': '=',
  exclude: '≠',
  exclusive: '≠',
  '2': '≠',
  contains: 'contains',
  starts_with: 'begins with',
  ends_with: 'ends with',
  matches: 'matches',
  at_least: '≥',
  above: '>',
  at_most: '≤',
  below: '<',
  is_set: 'has a value',
  is_missing: 'has no value',
}

/** Long lists of values are shortened. */
const valuesShownMax = 8

function filterText(filter: unknown, isOutermost = false): string {
  if (!isObject(filter)) return ''
  const { any, all, not, id, filterType, filterValues } = filter
  if (not !== undefined) return `not (${filterText(not, true)})`
  const group = any ?? all
  if (Array.isArray(group)) {
    const text = group.map((one: unknown) => filterText(one)).join(any === undefined ? ' and ' : ' or ')
    return isOutermost ? text : `(${text})`
  }
  const values = Array.isArray(filterValues) ? filterValues.map(String) : []
  const more = values.length - valuesShownMax
  const shown = [...values.slice(0, valuesShownMax), ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return [String(id), signs[String(filterType)] ?? String(filterType), shown].filter((text) => text !== '').join(' ')
}

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

function windowText(window: unknown): string | null {
  if (!isObject(window)) return null
  const [weekdays, hours] = [window['weekdays'], window['hours']].map((list) =>
    list === undefined ? undefined : listOf(list).map(Number),
  )
  const each = [
    weekdays === undefined
      ? null
      : runs(weekdays)
          .map(([a, b]) => span(days[a - 1] ?? '', days[b - 1] ?? ''))
          .join(', '),
    hours === undefined
      ? null
      : runs(hours)
          .map(([a, b]) => `${clock(a)}:00–${clock(b)}:59`)
          .join(', '),
  ]
  return `${each.filter((text) => text !== null).join(', ')}, local time of the agents`
}

const clock = (hour: number): string => String(hour).padStart(2, '0')

const span = (first: string, last: string): string => (first === last ? first : `${first}–${last}`)

/** Returns the first and last number of each run of consecutive numbers. */
function runs(numbers: readonly number[]): [number, number][] {
  const found: [number, number][] = []
  for (const one of numbers.toSorted((a, b) => a - b)) {
    const last = found.at(-1)
    if (last !== undefined && last[1] === one - 1) last[1] = one
    else found.push([one, one])
  }
  return found
}

function valuesText(request: QuestionContent['request'], meta: unknown): string {
  const { preset } = request
  const { perAgent, relativeTo, request: withPreset } = isObject(meta) ? meta : {}
  const asked = isObject(withPreset) ? withPreset : request
  const parts = [
    typeof preset === 'string' ? `preset ${preset}` : null,
    isObject(perAgent) ? `of each agent: ${membersText(perAgent)}` : null,
    relativeTo === undefined ? null : 'relative to the plan speed',
    asked['normalised'] === true ? 'every hour of the day has the same weight' : null,
    asked['prefilter'] === true ? 'without results that the prefilter excludes' : 'without prefilter',
  ]
  return parts.filter((text) => text !== null).join('; ')
}

const membersText = (members: Readonly<Record<string, unknown>>): string =>
  Object.entries(members)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ')

const intervalText = ({ intervals }: QuestionContent['request']): string =>
  `95 % confidence intervals${intervals === 'results' ? ' for independent results, which are too narrow for a panel' : ''}`

const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')

function countText(counts: readonly (number | null)[]): string | null {
  const known = counts.filter((one) => one !== null)
  return known.length === 0 ? null : `n = ${grouped(known.reduce((sum, one) => sum + one, 0))}`
}

/** Agents of several points are the same ones, so their sum would be misleading. */
function rangeText(counts: readonly (number | null)[]): string | null {
  const known = counts.filter((one) => one !== null)
  const [low, high] = known.reduce<readonly [number, number]>(
    ([least, most], one) => [Math.min(least, one), Math.max(most, one)],
    [Infinity, -Infinity],
  )
  if (known.length === 0) return null
  return low === high ? `${grouped(low)} per point` : `${grouped(low)} to ${grouped(high)} per point`
}

const reasons: Readonly<Record<string, string>> = {
  one_agent: 'one agent',
  few_agents: 'few agents',
  dominated: 'one agent dominates',
  few_failures: 'few failures or few successes',
}

function cautionText(found: readonly string[]): string | null {
  if (found.length === 0) return null
  const counted = [...Map.groupBy(found, (one) => one)].map(
    ([reason, points]) => `${reasons[reason] ?? reason} (${points.length} ${points.length === 1 ? 'point' : 'points'})`,
  )
  return `intervals may be too narrow: ${counted.join(', ')}`
}
