import { definePreset } from '../define-preset.ts'
import { defaultPeak } from '../local-window.ts'

export default definePreset({
  key: 'fcc.plan-bands',
  name: 'FCC bands of the plan speed',
  description:
    'How many homes have a median speed in peak hours below 80 %, from 80 to 95 %, and above 95 % of the speed of their plan. The minimum of 5 results is not from the FCC.',
  source: {
    authority: 'Federal Communications Commission (United States)',
    document: 'Ninth Measuring Broadband America Fixed Broadband Report (FCC 20-188, appendix D), chart 5',
  },
  read: '`histogram`: `below` counts the homes below 80 %, `counts[0]` those from 80 to 95 %, `above` those above 95 %. Divide by `agentCount` for shares.',
  metrics: 'speeds',
  needs: [],
  fields: {
    window: defaultPeak,
    relativeTo: 'plan',
    perAgent: { statistic: 'median', minimumResults: 5 },
    histogram: { edges: [80, 95] },
  },
})
