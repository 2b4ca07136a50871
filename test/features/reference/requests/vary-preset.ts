import type { Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import { isInside } from '../model/clock.ts'
import { metrics } from '../model/metrics.ts'
import { knownPresets, type Preset } from '../model/presets.ts'
import type { MetricRequest } from '../model/request.ts'
import type { Sample } from '../model/select.ts'
import { Deck } from './deck.ts'
import { boundNear } from './vary-agents.ts'

export type PresetDecks = { dice: Dice; presets: Deck<Preset> }

export const newPresetDecks = (dice: Dice): PresetDecks => ({ dice, presets: new Deck(dice, knownPresets) })

const isAboutAgents = ({ perAgent, needsPerAgent }: Preset): boolean => perAgent !== undefined || needsPerAgent

/** A preset that the metric and the statistics of the request allow, or undefined. */
export function drawPreset(
  { dice, presets }: PresetDecks,
  metric: string,
  { include = [], fields, percentiles }: Pick<MetricRequest, 'include' | 'fields' | 'percentiles'>,
): Preset | undefined {
  const isSpeed = metrics[metric]?.plan !== undefined
  const hasPercentiles = percentiles !== 'none' && (fields?.includes('percentiles') ?? true)
  const isAboutResults = include.includes('prefilter') || include.includes('coverage')
  const fits = (preset: Preset): boolean =>
    (preset.metrics === 'speeds' ? isSpeed : preset.metrics.includes(metric)) &&
    !(isAboutResults && isAboutAgents(preset)) &&
    (hasPercentiles || preset.percentileLevels === undefined)
  // Few requests have a metric that is not a speed and has a preset. Only one preset fits points about results.
  const percent = isAboutResults ? 35 : isSpeed ? 75 : 100
  return knownPresets.some(fits) && chance(dice, percent) ? presets.draw(fits) : undefined
}

/** The samples that the window of a preset keeps, or all if it keeps none. */
export function anchorsOf(samples: readonly Sample[], preset: Preset | undefined): readonly Sample[] {
  const { window } = preset ?? {}
  if (window === undefined) return samples
  const inside = samples.filter(({ located }) => isInside(window, located.localMs))
  return inside.length === 0 ? samples : inside
}

export function varyPreset(
  { dice }: PresetDecks,
  request: MetricRequest,
  preset: Preset | undefined,
  anchor: Sample,
): MetricRequest {
  if (preset === undefined) return request
  const { intervals, ...rest } = request
  const needsPerAgent = preset.needsPerAgent && request.perAgent === undefined && request.agent_agg !== true
  const isAgents = isAboutAgents(preset) || request.perAgent !== undefined
  return {
    ...rest,
    ...(isAgents || intervals === undefined ? {} : { intervals }),
    ...(needsPerAgent ? { perAgent: { statistic: 'share', atLeast: boundNear(dice, anchor) } } : {}),
    preset: preset.key,
  }
}
