import { flag, integer, listOf, number, orNull, record, text, type Schema } from './schema.ts'

const ruleName = text('Name of the rule.')
const ruleVersion = integer('Version of the rule. It increases with every change of the condition.')

export const prefilterRule = record({
  name: ruleName,
  reason: text('Why the rule excludes results.'),
  version: ruleVersion,
})

export const prefilterEffect = record(
  {
    before: integer('Number of results that the point would have without the prefilter.'),
    removed: integer('Number of results that the prefilter excludes: `before` minus `sampleCount`.'),
    unfilteredValue: number('`metricValue` without the prefilter.'),
    agentsLost: integer('Number of agents whose results in the point the prefilter excludes completely.'),
    rules: listOf(
      record({
        name: ruleName,
        version: ruleVersion,
        matched: integer('Number of results that the rule matches.'),
        alone: integer('Number of results that the rule matches and no other rule matches.'),
      }),
    ),
  },
  { description: 'What the prefilter excludes from the point. Present with `include: ["prefilter"]`.' },
)

export const coverage = record(
  {
    agentsOfRange: integer('Number of agents with a result in the series, in the whole range.'),
    agentsSeen: integer('Number of agents with a result in the point.'),
    agentsGone: orNull(
      integer(
        'Number of agents whose last result is before the first day of the point. Null for the aggregations `hour_of_day`, `day_of_week`, `day_of_month` and `total`.',
      ),
    ),
    blocksSeen: integer('Number of blocks of the schedule with a result, for each agent and each local day.'),
    blocksExpected: integer(
      'Number of blocks of the schedule on the days of the point, from the first to the last day of each agent in the range.',
    ),
    share: orNull(number('`blocksSeen` divided by `blocksExpected`.')),
    lateShare: orNull(
      number('Share of the results that were stored more than 24 hours after their time, from 0 to 1.'),
    ),
    newestStored: orNull(
      text('Time at which the newest result of the point was stored, in UTC.', { format: 'date-time' }),
    ),
  },
  {
    description:
      'How much of what the agents could have measured is in the point. Present with `include: ["coverage"]`.',
  },
)

const seconds: Schema = {
  ...listOf(number('Number of seconds.')),
  minItems: 2,
  maxItems: 2,
  description: 'The lowest and the highest time that the query is likely to take.',
}

export const queryEstimate = record(
  {
    rows: integer('Number of rows that ClickHouse would read.'),
    bytes: integer(
      'Number of bytes of these rows in memory, uncompressed. A text counts as an index into a dictionary.',
    ),
    pointsAtMost: orNull(integer('The largest possible number of points. Null for streamed responses.')),
    seconds,
    fits: flag(
      'False if the query could exceed the time limit or the limit of points of a response, or the time limit of an export.',
    ),
    from: text('`rollups` if the query would read some days from rollups, otherwise `results`.', {
      enum: ['rollups', 'results'],
    }),
    cheaper: listOf(
      record({
        change: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Fields of the request, with the values that make the query faster.',
        },
        seconds,
      }),
      { description: 'Changes that would make a query of a second or more faster by a fifth or more.' },
    ),
  },
  { description: 'Estimated cost of a request.' },
)
