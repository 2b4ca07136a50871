import { binChoices, edgesMax, percentileLevelsMax } from '../../../check/metric/distribution.ts'
import { percentileKeys } from '../../../compile/metric/distribution/percentile-levels.ts'
import { absent, integer, listOf, number, orNull, record, text, type Schema } from '../schema.ts'

export const percentileLevels: Schema = orNull(
  listOf(number('Level of a percentile, in percent.', { exclusiveMinimum: 0, exclusiveMaximum: 100 }), {
    description: 'The levels of `percentiles`, instead of the default ones. `median` is not affected.',
    minItems: 1,
    maxItems: percentileLevelsMax,
    uniqueItems: true,
  }),
)

/** Exactly one of the members. The edges must ascend, which a schema cannot say. */
export const histogram: Schema = {
  description:
    'Counts the results of each point in bins, or its agents with `perAgent`. Counts have no weights, also with `normalised`.',
  anyOf: [
    record(
      {
        edges: listOf(number('Edge of a bin, in the unit of the values.'), {
          description: 'The edges of the bins in ascending order.',
          minItems: 1,
          maxItems: edgesMax,
          uniqueItems: true,
        }),
        bins: absent,
      },
      { optional: ['bins'] },
    ),
    record(
      { edges: absent, bins: text('`log`: eight bins for each doubling of the value.', { enum: [...binChoices] }) },
      { optional: ['edges'] },
    ),
  ],
}

/** Combinations that no request can have: levels of percentiles that its points do not have. */
export const levelsWithoutPercentiles: readonly Schema[] = [
  { percentiles: { const: 'none' } },
  { fields: { type: 'array', not: { contains: { const: 'percentiles' } } } },
].map((properties) => ({
  properties: { percentileLevels: { type: 'array' }, ...properties },
  required: ['percentileLevels', ...Object.keys(properties)],
}))

/** A member for each level of the request, or for the default ones. */
export const percentilesByLevel = (description: string, member: Schema): Schema =>
  orNull({
    ...record(Object.fromEntries(percentileKeys({}).map((key) => [key, member])), {
      optional: percentileKeys({}),
      description: `${description} by level: those of \`percentileLevels\`, or these.`,
    }),
    additionalProperties: member,
  })

export const histogramOfPoint = record(
  {
    edges: listOf(number('Edge of a bin, in the unit of the values.')),
    counts: listOf(integer('Number of results, or of agents with `perAgent`.'), {
      description:
        'For each two neighbouring edges: how many values are from the first edge on and below the second. The last of these bins also contains its upper edge.',
    }),
    below: integer('Number of values below the first edge; with `bins`, of values that are not above 0.'),
    above: integer(
      'Number of values above the last edge. If there is only one edge, also of values that are equal to it.',
    ),
  },
  { description: 'Present if the request has `histogram`.' },
)
