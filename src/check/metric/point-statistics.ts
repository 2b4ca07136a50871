import {
  inclusions,
  intervalKinds,
  percentileFields,
  pointFields,
  type Inclusion,
  type IntervalKind,
  type PointField,
} from '../../catalog/point-fields.ts'
import { checkDistribution, type Distribution } from './distribution.ts'
import { faultsMax, isAbsent, messages, type FieldFaults } from '../field-faults.ts'

export const percentileChoices = ['exact', 'sketch', 'none'] as const

/** The statistics that a request asks for. */
export type PointStatistics = {
  /** In the order of the response. */
  readonly fields: readonly PointField[]
  readonly intervals: IntervalKind
  readonly include: readonly Inclusion[]
  /** `none` if the fields contain neither percentiles nor median. */
  readonly percentiles: (typeof percentileChoices)[number]
} & Distribution

const intervalFields: ReadonlySet<PointField> = new Set(['ci90', 'ci95', 'ci99'])

type Asked = Omit<PointStatistics, 'percentiles'> & { readonly compare?: unknown }

/** True if a response needs the statistics of each agent: for intervals, comparisons, or to say how certain a point is. */
export const needsEachAgent = ({ fields, intervals, include, compare }: Asked): boolean =>
  compare !== undefined ||
  include.includes('uncertainty') ||
  (intervals === 'agents' && fields.some((name) => intervalFields.has(name)))

/** True if a statement must group results by agent. Rollups cannot answer a request like this. */
export const groupsByAgent = (request: Asked): boolean =>
  needsEachAgent(request) || explainsPrefilter(request) || hasCoverage(request)

type Included = Pick<PointStatistics, 'include'>

export const explainsPrefilter = ({ include }: Included): boolean => include.includes('prefilter')
export const hasCoverage = ({ include }: Included): boolean => include.includes('coverage')

type Body = Readonly<Record<string, unknown>>

const onlyForPoints = ['fields', 'intervals', 'percentileLevels', 'histogram'] as const

export function checkPointStatistics(body: Body, isRaw: boolean, faults: FieldFaults): PointStatistics {
  if (isRaw) {
    for (const name of onlyForPoints) {
      if (!isAbsent(body[name])) faults.add(name, 'Raw points have no statistics; use the chart type "aggregate".')
    }
  }
  const asked = checkChoice(body, 'percentiles', percentileChoices, faults) ?? 'exact'
  const listed = checkList(body, 'fields', pointFields, faults)
  if (listed?.length === 0) faults.add('fields', 'This list should contain at least one field.')
  if (asked === 'none' && listed !== null) {
    for (const name of percentileFields.filter((one) => listed.includes(one))) {
      faults.add('fields', `The field "${name}" is not computed if "percentiles" is "none".`)
    }
  }
  const fields = pointFields.filter((name) =>
    listed === null ? asked !== 'none' || !percentileFields.includes(name) : listed.includes(name),
  )
  return {
    fields,
    intervals: checkChoice(body, 'intervals', intervalKinds, faults) ?? 'agents',
    include: checkInclude(body, isRaw, faults),
    percentiles: fields.some((name) => percentileFields.includes(name)) ? asked : 'none',
    ...checkDistribution(body, fields.includes('percentiles'), faults),
  }
}

function checkInclude(body: Body, isRaw: boolean, faults: FieldFaults): readonly Inclusion[] {
  const listed = checkList(body, 'include', inclusions, faults)
  if (listed === null) return []
  if (isRaw && listed.some((one) => one !== 'prefilter')) {
    faults.add('include', 'Raw points have no statistics; they can include only "prefilter".')
  }
  if (listed.includes('prefilter') && body['prefilter'] === false) {
    faults.add('include', 'Only a request with "prefilter": true can include "prefilter".')
  }
  return listed
}

function checkChoice<Choice extends string>(
  body: Body,
  name: string,
  choices: readonly Choice[],
  faults: FieldFaults,
): Choice | null {
  const value = body[name]
  if (isAbsent(value)) return null
  const choice = choices.find((one) => one === value)
  if (choice === undefined) faults.addChoice(name, value, () => choices)
  return choice ?? null
}

/** Returns the listed choices in the order of `choices`, or null if the request lists none or the list has faults. */
function checkList<Choice extends string>(
  body: Body,
  name: string,
  choices: readonly Choice[],
  faults: FieldFaults,
): readonly Choice[] | null {
  const value = body[name]
  if (isAbsent(value)) return null
  if (!Array.isArray(value)) {
    faults.add(name, messages.type('array'))
    return null
  }
  const listed = choices.filter((one) => value.includes(one))
  if (listed.length === value.length) return listed
  const seen = new Set<unknown>()
  // A body can contain many thousand items, but a response lists at most `faultsMax` faults.
  for (const [index, item] of value.slice(0, faultsMax).entries()) {
    if (!choices.some((one) => one === item)) faults.addChoice(`${name}[${index}]`, item, () => choices)
    else if (seen.has(item)) faults.add(`${name}[${index}]`, 'This value is repeated.')
    seen.add(item)
  }
  return null
}
