import { alphaDefault, alphaMax, alphaMin, baseForms } from '../../check/metric/compare.ts'
import { filtersMax } from '../../check/metric/filters/metric-filters.ts'
import { valueLengthMax } from '../../check/metric/filters/filter-values.ts'
import { presetFills } from './per-agent-schemas.ts'
import { absent, flag, has, integer, listOf, number, orNull, record, reference, text, type Schema } from './schema.ts'

const aboveZero: Schema = { exclusiveMinimum: 0 }

const margins: readonly Readonly<Record<'margin' | 'marginPercent', Schema>>[] = [
  {
    margin: orNull(number('Differences below this number do not matter; in the unit of the values.', aboveZero)),
    marginPercent: absent,
  },
  {
    margin: absent,
    marginPercent: number('Differences below this percentage of the value of the base do not matter.', aboveZero),
  },
]

const options: Readonly<Record<string, Schema>> = {
  alpha: orNull(
    number('A difference is distinguishable if its adjusted p-value is below this number.', {
      minimum: alphaMin,
      maximum: alphaMax,
      default: alphaDefault,
    }),
  ),
  match: orNull(text('Only agents that are on both sides count.', { enum: ['agents'] })),
}

const forms = (localTime: (which: string) => Schema): Readonly<Record<(typeof baseForms)[number], Schema>> => ({
  previous: flag('The range of the same length immediately before that of the request.', { const: true }),
  time: record({ from: localTime('Beginning of the base'), to: localTime('End of the base') }),
  filters: listOf(reference('Filter'), {
    description:
      'The base consists of the results that match these filters. The filters of the request do not apply to it.',
    maxItems: filtersMax,
  }),
  split: text('One of the splits of the request: each series is compared with the one that `base` names.'),
})

const baseSeries: Schema = {
  description: 'A value of the split.',
  type: ['string', 'integer'],
  maxLength: valueLengthMax,
}

/** An object with exactly one form of a base, and at most one margin. */
export function compareSchema(localTime: (which: string) => Schema): Schema {
  const known = forms(localTime)
  return {
    description: 'Compares each point with a base. The verdicts account for the agents that both sides share.',
    anyOf: baseForms.flatMap((given) =>
      margins.map((margin) => {
        const members = {
          ...Object.fromEntries(baseForms.map((form) => [form, form === given ? known[form] : absent])),
          base: given === 'split' ? baseSeries : absent,
          ...options,
          ...margin,
        }
        const needed = new Set([
          given,
          ...(given === 'split' ? ['base'] : []),
          ...(margin.margin === absent ? ['marginPercent'] : []),
        ])
        return record(members, { optional: Object.keys(members).filter((name) => !needed.has(name)) })
      }),
    ),
  }
}

const compares = (members: Schema): Schema => has('compare', { type: 'object', ...members })

const clockIds = ['hour_of_day', 'day_of_week', 'peak']
const isByClock: Schema = { type: 'array', contains: has('id', { enum: clockIds }) }
const isByPeak: Schema = { type: 'array', contains: has('id', { const: 'peak' }) }

/** Comparisons that no request can have. `comparable` are the aggregations whose periods can be compared. */
export const contradictionsOfCompare = (comparable: readonly string[]): readonly Schema[] => [
  {
    allOf: [
      { anyOf: [compares(has('previous', { const: true })), compares(has('time', { type: 'object' }))] },
      has('aggregation', { type: 'string', not: { enum: comparable } }),
    ],
  },
  { allOf: [compares(has('split', { type: 'string' })), { not: has('splits', { type: 'array', minItems: 1 }) }] },
  {
    allOf: [
      compares(has('match', { const: 'agents' })),
      has('normalised', { const: true }),
      { not: has('perAgent', { type: 'object' }) },
      { not: has('agent_agg', { const: true }) },
    ],
  },
  {
    allOf: [
      compares(has('filters', { type: 'array' })),
      has('normalised', { const: true }),
      { anyOf: [has('filters', isByClock), compares(has('filters', isByClock))] },
    ],
  },
  {
    allOf: [
      { anyOf: [has('window', { type: 'object' }), presetFills('window')] },
      compares(has('filters', isByPeak)),
      { not: { anyOf: [has('filters', isByPeak), has('splits', { type: 'array', contains: { const: 'peak' } })] } },
    ],
  },
]

const statistic = (description: string): Schema => orNull(number(description))

/** The comparison of a point. */
export const comparison: Schema = record(
  {
    base: number('Value of the base. With `match`, it is the value of the agents that are on both sides.'),
    baseAgents: integer('Number of agents of the base.'),
    sharedAgents: integer('Number of agents that are on both sides.'),
    difference: number('Value minus base.'),
    standardError: statistic('Standard error of the difference, by agents.'),
    low: statistic('Lower bound of the 1 − alpha interval of the difference. Not adjusted.'),
    high: statistic('Upper bound of the 1 − alpha interval of the difference. Not adjusted.'),
    ratio: statistic('Value divided by base; null unless both are positive.'),
    ratioLow: statistic('Lower bound of the 1 − alpha interval of the ratio. Not adjusted.'),
    ratioHigh: statistic('Upper bound of the 1 − alpha interval of the ratio. Not adjusted.'),
    degreesOfFreedom: statistic('Degrees of freedom of the t distribution. Not rounded.'),
    pValue: statistic('Two-sided p-value of this comparison alone.'),
    pAdjusted: statistic('The p-value, adjusted for all comparisons of the response (Holm).'),
    verdict: text('What the adjusted p-value says about the difference.', {
      enum: ['higher', 'lower', 'not_distinguishable', 'equivalent'],
    }),
    better: orNull(flag('Whether the difference is an improvement; null unless the verdict is `higher` or `lower`.')),
  },
  { description: 'How the point differs from its base. Null if one side has no agents, and for the base series.' },
)

/** What `meta` says about all comparisons of a response. */
export const comparisonsOfMeta: Schema = record(
  {
    number: integer('Number of comparisons with a p-value.'),
    adjustment: text('How p-values are adjusted.', { enum: ['holm'] }),
    alpha: number('The `alpha` of the request, or its default.'),
    time: record({
      from: text('First local second of the base, `YYYY-MM-DDTHH:MM:SS`.'),
      to: text('Last local second of the base; the range includes it.'),
    }),
    intervals: text('Explains the intervals and the verdicts of the comparisons.'),
  },
  { optional: ['time'], description: 'Present if the request has `compare`.' },
)
