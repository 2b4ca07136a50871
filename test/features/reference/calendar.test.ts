import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed } from '../../faults/dice.ts'
import { calendarDataset, calendarZones } from './calendar-instants.ts'
import { openMetricService, type MetricService } from './metric-service.ts'
import { aggregations, type MetricRequest } from './model/request.ts'

const seed = newSeed()
const instants = 10_000
const zones = Object.keys(calendarZones)

let service: MetricService

beforeAll(async () => {
  service = await openMetricService(calendarDataset(seed, instants))
}, 300_000)
afterAll(() => service?.close())

const requestOf = (zone: string, rest: Pick<MetricRequest, 'chartType' | 'aggregation'>): MetricRequest => ({
  metric: 'ping',
  normalised: false,
  prefilter: false,
  filters: [{ id: 'agent', filterType: 'include', filterValues: [`in-${zone}`] }],
  time: { from: '2009-11-01 00:00', to: '2021-03-01 00:00' },
  ...rest,
})

it.each(zones)('labels 10,000 instants in %s as the calendar does', { timeout: 300_000 }, async (zone) => {
  const range = calendarZones[zone]
  const from = Temporal.PlainDate.from(range?.from ?? '').subtract({ days: 3 })
  const to = Temporal.PlainDate.from(range?.to ?? '').add({ days: 3 })
  for (const aggregation of aggregations) {
    const request = {
      ...requestOf(zone, { chartType: 'aggregate', aggregation }),
      time: { from: `${from} 00:00`, to: `${to} 00:00` },
    }
    const { difference, expected } = await service.differs({
      organisation: 'acme',
      now: Temporal.Now.instant(),
      request,
    })
    expect(difference, `seed ${seed}`).toBeNull()
    const [group] = expected.data
    const labels = group?.metricData.map(({ dtime, aggregatedNumber }) => dtime ?? aggregatedNumber)
    expect(new Set(labels).size).toBe(labels?.length)
    expect(group?.metricData.reduce((sum, { sampleCount }) => sum + Number(sampleCount), 0)).toBe(instants)
  }
  const raw = await service.differs({
    organisation: 'acme',
    now: Temporal.Now.instant(),
    request: requestOf(zone, { chartType: 'raw' }),
  })
  expect(raw.difference, `seed ${seed}`).toBeNull()
  expect(raw.expected.data[0]?.metricData).toHaveLength(instants)
})
