import { definePreset } from '../define-preset.ts'
import { defaultPeak } from '../local-window.ts'

export default definePreset({
  key: 'fcc.consistent-speed',
  name: 'FCC 80/80 consistent speed',
  description:
    'The percentage of the plan speed that 80 % of the homes reach in 80 % of their results in peak hours: percentile 20 over the homes of percentile 20 of each home. The FCC also weights homes by the subscribers of their plan; this preset does not. The minimum of 5 results is not from the FCC.',
  source: {
    authority: 'Federal Communications Commission (United States)',
    document: 'Ninth Measuring Broadband America Fixed Broadband Report (FCC 20-188, appendix D), chart 6',
  },
  read: '`percentiles["20"]`, in % of the plan speed.',
  metrics: 'speeds',
  needs: [],
  fields: {
    window: defaultPeak,
    relativeTo: 'plan',
    perAgent: { statistic: 'percentile', level: 20, minimumResults: 5 },
    percentileLevels: [20],
  },
})
