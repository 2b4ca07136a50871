import { aggregations, inclusions, type Asked, type MetricRequest } from '../model/request.ts'

const normalisedText = (normalised: boolean): string => `${normalised ? '' : 'not '}normalised`
const splitsText = (count: number): string => `${count} splits`
const percentilesText = (percentiles: MetricRequest['percentiles']): string =>
  `percentiles ${percentiles === 'none' ? 'none' : 'exact'}`
const intervalsText = (intervals: MetricRequest['intervals']): string => `intervals ${intervals ?? 'agents'}`
const fieldsText = (fields: MetricRequest['fields']): string => `${fields === undefined ? 'all' : 'some'} fields`

/** The additions of a request to its points, each paired with every other feature of the request. */
export function inclusionPairs({ request }: Asked): string[] {
  const { chartType, aggregation, normalised, prefilter, splits, percentiles, intervals, fields, include } = request
  if (chartType === 'raw') return (include ?? []).map((one) => `${one} of raw points`)
  const features = [
    aggregation ?? '',
    normalisedText(normalised),
    ...(prefilter ? ['prefiltered'] : []),
    splitsText(splits?.length ?? 0),
    percentilesText(percentiles),
    intervalsText(intervals),
    fieldsText(fields),
  ]
  return (include ?? []).flatMap((one, place, all) => [
    ...features.map((feature) => `${one} with ${feature}`),
    ...all.toSpliced(place, 1).map((other) => `${one} with ${other}`),
    ...(all.length === 1 ? [`${one} alone`] : []),
    ...(all.length === 1 && normalised ? [`${one} alone with normalised`] : []),
  ])
}

const features = [
  ...aggregations,
  ...[true, false].map(normalisedText),
  'prefiltered',
  ...[0, 1, 2, 3, 4].map(splitsText),
  ...(['exact', 'none'] as const).map(percentilesText),
  ...(['agents', 'results'] as const).map(intervalsText),
  ...[undefined, []].map(fieldsText),
]

/** All pairs that the requests must contain. */
export const wantedPairs: string[] = [
  'prefilter of raw points',
  ...inclusions.flatMap((one) => [
    ...features.map((feature) => `${one} with ${feature}`),
    ...inclusions.filter((other) => other !== one).map((other) => `${one} with ${other}`),
    `${one} alone`,
    `${one} alone with normalised`,
  ]),
]
