import { definePreset } from '../define-preset.ts'
import { defaultPeak } from '../local-window.ts'

export default definePreset({
  key: 'accc.busy-hours',
  name: 'ACCC busy hours speed',
  description:
    'The mean over the homes of the mean speed of each home, in % of the plan speed, from 19:00 to 23:00 on Monday to Friday. The minimum of 5 results is not from the ACCC.',
  source: {
    authority: 'Australian Competition and Consumer Commission',
    document: 'Measuring Broadband Australia reports: average download speed in busy hours',
  },
  read: '`metricValue`, in % of the plan speed.',
  metrics: 'speeds',
  needs: [],
  fields: { window: defaultPeak, relativeTo: 'plan', perAgent: { statistic: 'mean', minimumResults: 5 } },
})
