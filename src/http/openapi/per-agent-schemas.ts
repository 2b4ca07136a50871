import { thresholdForms, inclusions, type ThresholdForm } from '../../catalog/point-fields.ts'
import type { PresetDefinition } from '../../catalog/define-preset.ts'
import { presets } from '../../catalog/presets/index.ts'
import { minimumResultsMax } from '../../check/metric/per-agent.ts'
import { absent, has, integer, number, orNull, record, text, type RecordSchema, type Schema } from './schema.ts'

const level = (description: string): Schema => number(description, { minimum: 0, maximum: 100 })

const minimumResults = orNull(
  integer('Agents with fewer results than this number are left out.', {
    minimum: 1,
    maximum: minimumResultsMax,
    default: 1,
  }),
)

const ofAgent = (statistics: readonly string[], members: Readonly<Record<string, Schema>>): RecordSchema =>
  record(
    {
      statistic: text('What is computed from the results of each agent.', { enum: [...statistics] }),
      ...members,
      minimumResults,
    },
    { optional: ['minimumResults', ...Object.keys(members).filter((name) => members[name] === absent)] },
  )

const aboutThresholds: Readonly<Record<ThresholdForm, string>> = {
  atLeast: 'Threshold in the unit of the values. Values that are equal or larger reach it.',
  above: 'Threshold in the unit of the values. Larger values reach it.',
  below: 'Threshold in the unit of the values. Smaller values reach it.',
}

/** The members of an object that has exactly one form of a threshold. */
const thresholds = (names: readonly ThresholdForm[]): readonly Readonly<Record<string, Schema>>[] =>
  names.map((given) =>
    Object.fromEntries(names.map((name) => [name, name === given ? number(aboutThresholds[name]) : absent])),
  )

export const perAgent: Schema = {
  description:
    'Computes a statistic of each agent first. The statistics of the points are then over agents; only `sampleCount` counts results. A ratio (`%`) has only `mean`, which is the ratio of the sums of the agent.',
  anyOf: [
    ofAgent(['mean', 'median', 'min', 'max'], {}),
    ofAgent(['percentile'], { level: level('Level of the percentile.') }),
    ...thresholds(['atLeast', 'below']).map((members) => ofAgent(['share'], members)),
    ofAgent(['trimmedMean'], {
      low: level('Results below this percentile of the agent are left out.'),
      high: level('Results above this percentile of the agent are left out. Must be larger than `low`.'),
    }),
  ],
}

export const reaching: Schema = {
  description: 'Adds the share of agents whose statistic reaches a threshold, with its exact interval.',
  anyOf: thresholds(thresholdForms).map((members) =>
    record(members, { optional: Object.keys(members).filter((name) => members[name] === absent) }),
  ),
}

const both = (...all: readonly Schema[]): Schema => ({ allOf: all })

/** Returns the schema of a request whose preset fills the field. */
export const presetFills = (name: keyof PresetDefinition['fields']): Schema =>
  has('preset', { enum: presets.filter(({ fields }) => fields[name] !== undefined).map(({ key }) => key) })

const isGiven = has('perAgent', { type: 'object' })
const isMean = has('agent_agg', { const: true })
const aboutAgents: Schema = { anyOf: [isGiven, isMean, presetFills('perAgent')] }
const includes = (names: readonly string[]): Schema => has('include', { type: 'array', contains: { enum: names } })

/** Schemas of the fields about agents in a request for raw points: only null, or false, is valid. */
export const absentOfRaw: Readonly<Record<string, Schema>> = { perAgent: absent, agent_agg: { enum: [false, null] } }

/** Combinations that no request can have. */
export const contradictions: readonly Schema[] = [
  both(isGiven, isMean),
  both(has('reaching', { type: 'object' }), { not: aboutAgents }),
  both(aboutAgents, has('intervals', { const: 'results' })),
  both(aboutAgents, has('percentiles', { const: 'sketch' })),
  both(aboutAgents, includes(inclusions.filter((name) => name !== 'meta' && name !== 'uncertainty'))),
]

/** Combinations that a request of a file cannot have. */
export const contradictionsOfFiles: readonly Schema[] = [
  has('compare', { type: 'object' }),
  has('having', { type: 'array' }),
  has('order', { type: 'array' }),
  has('limit', { type: 'integer' }),
  has('totals', { const: true }),
  has('after', { type: 'string' }),
  has('reaching', { type: 'object' }),
  presetFills('reaching'),
  both(aboutAgents, includes(['uncertainty'])),
]
