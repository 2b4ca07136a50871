import type { AgentStatisticKey, ThresholdForm } from './point-fields.ts'

/** The fields of a metric request that a preset can fill, as in the body of a request. */
type PresetFields = {
  readonly window?: { readonly weekdays?: readonly number[]; readonly hours: readonly number[] }
  readonly relativeTo?: 'plan'
  readonly perAgent?: {
    readonly statistic: AgentStatisticKey
    readonly level?: number
    readonly atLeast?: number
    readonly minimumResults: number
  }
  readonly reaching?: Partial<Readonly<Record<ThresholdForm, number>>>
  readonly percentileLevels?: readonly number[]
  readonly histogram?: { readonly edges: readonly number[] }
}

/** A statistic that an authority publishes, as fields of a metric request. */
export type PresetDefinition = {
  /** The value of `preset` in a request, and the name of the file. */
  readonly key: string
  readonly name: string
  readonly description: string
  readonly source: { readonly authority: string; readonly document: string }
  /** The members of a point that have the statistic. */
  readonly read: string
  /** Keys of the metrics that the preset is for. `speeds` are the metrics for which packages have a speed. */
  readonly metrics: 'speeds' | readonly string[]
  /** Fields that the request must have itself, because the source states no value. */
  readonly needs: readonly 'perAgent'[]
  readonly fields: PresetFields
}

export const definePreset = <const Definition extends PresetDefinition>(definition: Definition): Definition =>
  definition
