import { definePreset } from '../define-preset.ts'
import { defaultPeak } from '../local-window.ts'

export default definePreset({
  key: 'fcc.loss-bands',
  name: 'FCC bands of packet loss',
  description:
    'How many homes have a packet loss in peak hours below 0.4 %, from 0.4 to 1 %, and above 1 %. The loss of a home is the share of all its packets. The minimum of 5 results is not from the FCC.',
  source: {
    authority: 'Federal Communications Commission (United States)',
    document: 'Ninth Measuring Broadband America Fixed Broadband Report (FCC 20-188, appendix D), chart 8',
  },
  read: '`histogram`: `below` counts the homes below 0.4 %, `counts[0]` those from 0.4 to 1 %, `above` those above 1 %. Divide by `agentCount` for shares.',
  metrics: ['packetLoss'],
  needs: [],
  fields: {
    window: defaultPeak,
    perAgent: { statistic: 'mean', minimumResults: 5 },
    histogram: { edges: [0.4, 1] },
  },
})
