import type { PresetDefinition } from '../define-preset.ts'
import acccBusyHours from './accc.busy-hours.ts'
import acccUnderperforming from './accc.underperforming.ts'
import berecNormallyAvailable from './berec.normally-available.ts'
import caf8080 from './caf.80-80.ts'
import fccConsistentSpeed from './fcc.consistent-speed.ts'
import fccLossBands from './fcc.loss-bands.ts'
import fccPlanBands from './fcc.plan-bands.ts'

export const presets: readonly PresetDefinition[] = [
  fccConsistentSpeed,
  fccPlanBands,
  fccLossBands,
  caf8080,
  berecNormallyAvailable,
  acccBusyHours,
  acccUnderperforming,
]
