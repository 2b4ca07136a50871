import { definePreset } from '../define-preset.ts'

export default definePreset({
  key: 'caf.80-80',
  name: 'Connect America Fund 80/80',
  description:
    'How many of all results between 18:00 and midnight, on every day of the week, reach 80 % of the plan speed. The fund requires 80 % of the results, over all homes together; it measures one week of each quarter, in a sample of homes, and compares with the speed that the fund requires.',
  source: {
    authority: 'Federal Communications Commission (United States)',
    document: 'Order DA 18-710 (2018), performance measures for Connect America Fund high-cost support',
  },
  read: '`histogram`: `above` counts the results from 80 % on, `below` the others. Divide `above` by `sampleCount`; the requirement is 0.8.',
  metrics: 'speeds',
  needs: [],
  fields: {
    window: { hours: [18, 19, 20, 21, 22, 23] },
    relativeTo: 'plan',
    histogram: { edges: [80] },
  },
})
