import { definePreset } from '../define-preset.ts'

export default definePreset({
  key: 'accc.underperforming',
  name: 'ACCC underperforming services',
  description:
    'The share of homes that almost never reach 75 % of the plan speed: in fewer than 5 % of their results, at any time. The reports that were read call this “almost never”; the 5 % and the minimum of 20 results are not from them. With fewer results, 5 % are less than one result.',
  source: {
    authority: 'Australian Competition and Consumer Commission',
    document: 'Measuring Broadband Australia reports: underperforming services',
  },
  read: '`reachingShare` with its interval `reachingLow` to `reachingHigh`, in % of the homes.',
  metrics: 'speeds',
  needs: [],
  fields: {
    relativeTo: 'plan',
    perAgent: { statistic: 'share', atLeast: 75, minimumResults: 20 },
    reaching: { below: 5 },
  },
})
