import { comparisonsOfMeta } from '../compare-schemas.ts'
import { prefilterRule } from '../explanation-schemas.ts'
import { flag, integer, listOf, record, reference, text, type Schema } from '../schema.ts'
import { shownMetric } from './metrics-schemas.ts'
import { nextOfMeta, pointsOfMeta, totalsOfMeta } from './selection-schemas.ts'

const window = (description: string): Schema =>
  record(
    { weekdays: listOf(integer('1 is Monday.')), hours: listOf(integer('0 to 23.')) },
    { description, optional: ['weekdays', 'hours'] },
  )

/** What `meta` says about all points of a response. */
export const meta = record(
  {
    metric: record(shownMetric, { description: 'Absent if the request has `metrics`.' }),
    metrics: listOf(
      record(
        {
          ...shownMetric,
          prefilter: listOf(prefilterRule, { description: 'Rules of the prefilter, with `include: ["prefilter"]`.' }),
        },
        { optional: ['prefilter'] },
      ),
      { description: 'Instead of `metric`, if the request has `metrics`.' },
    ),
    time: record({
      from: text('First local second of the range that the service used, `YYYY-MM-DDTHH:MM:SS`.'),
      to: text('Last local second of this range; the range includes it.'),
    }),
    wholePeriods: flag('The range was narrowed to whole periods that have ended.', { const: true }),
    request: {
      type: 'object',
      description: 'Present if the request names a preset: the request with the fields of the preset.',
    },
    relativeTo: text('As in the request. The unit of the metric is then `%`.', { enum: ['plan'] }),
    window: window('Hours of the week to which the points are restricted, by the local clock of each agent.'),
    peak: window('Hours of the week that are `peak`, if the request splits or filters by `peak`.'),
    panels: integer('Number of panels of the request.'),
    prefilter: listOf(prefilterRule, {
      description: 'Rules of the prefilter, if the request has `metric` and includes `prefilter`.',
    }),
    coverage: text('Definition of the coverage of a point, if the request includes `coverage`.'),
    about: text('Present if the statistics are over agents, not over results.', { enum: ['agents'] }),
    perAgent: reference('PerAgent'),
    reaching: reference('Reaching'),
    comparisons: comparisonsOfMeta,
    points: pointsOfMeta,
    ...totalsOfMeta,
    next: nextOfMeta,
  },
  {
    optional: [
      'metric',
      'metrics',
      'wholePeriods',
      'request',
      'relativeTo',
      'window',
      'peak',
      'prefilter',
      'coverage',
      'about',
      'perAgent',
      'reaching',
      'comparisons',
      'points',
      'totals',
      'overall',
      'grand',
      'next',
    ],
  },
)
