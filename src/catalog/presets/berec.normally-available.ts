import { definePreset } from '../define-preset.ts'
import { defaultPeak } from '../local-window.ts'

export default definePreset({
  key: 'berec.normally-available',
  name: 'BEREC normally available speed',
  description:
    'The share of homes that reach a speed in 90 % of their results in peak hours. The speed is the one that the contract calls normally available. Give it as `perAgent: {"statistic": "share", "atLeast": …}`, in Mbit/s, or in % of the plan speed with `relativeTo`. National rules also use other shares of the time.',
  source: {
    authority: 'Body of European Regulators for Electronic Communications (European Union)',
    document: 'Draft Net Neutrality Regulatory Assessment Methodology, BoR (17) 112, section 6.2.3',
  },
  read: '`reachingShare` with its interval `reachingLow` to `reachingHigh`, in % of the homes.',
  metrics: 'speeds',
  needs: ['perAgent'],
  fields: { window: defaultPeak, reaching: { atLeast: 90 } },
})
