import { describe, expect, it } from 'vitest'
import { Fault, validationFail } from '../../../src/base/fault.ts'
import { checkQueryString, queryParameters } from '../../../src/check/metric/query-string.ts'

/** Parses a query string as the service does: a repeated parameter is a list. */
function queryOf(text: string): Record<string, unknown> {
  const pairs = new URLSearchParams(text)
  return Object.fromEntries(
    [...new Set(pairs.keys())].map((name) => {
      const values = pairs.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}
const bodyOf = (text: string) => checkQueryString(queryOf(text)).body
const defaults = { chartType: 'aggregate', normalised: false, prefilter: true, time: {} }

function errorOf(work: () => unknown): Fault {
  try {
    work()
  } catch (error) {
    if (error instanceof Fault) return error
  }
  throw new Error('nothing was refused')
}

describe('a query string as the body of a request', () => {
  it('has the defaults that a body must have itself', () => {
    expect(bodyOf('')).toEqual(defaults)
    expect(bodyOf('chartType=raw&normalised=true&prefilter=false')).toEqual({
      chartType: 'raw',
      normalised: true,
      prefilter: false,
      time: {},
    })
  })

  it.each([
    ['from=-30%20days&to=now', { time: { from: '-30 days', to: 'now' } }],
    ['from=1767225600000', { time: { from: '1767225600000' } }],
    ['split=isp', { splits: ['isp'] }],
    ['split=isp&split=custom.a.b', { splits: ['isp', 'custom.a.b'] }],
    ['field=ci95&panel=homes&include=meta', { fields: ['ci95'], panel: ['homes'], include: ['meta'] }],
    ['percentileLevel=2.5&percentileLevel=99.9', { percentileLevels: [2.5, 99.9] }],
    ['wholePeriods=true&agent_agg=false', { wholePeriods: true, agent_agg: false }],
    ['perAgent.statistic=percentile&perAgent.level=20', { perAgent: { statistic: 'percentile', level: 20 } }],
    ['reaching.atLeast=80', { reaching: { atLeast: 80 } }],
    ['window.hours=19&window.hours=20', { window: { hours: [19, 20] } }],
    ['histogram.edges=10&histogram.edges=30', { histogram: { edges: [10, 30] } }],
    ['histogram.bins=log', { histogram: { bins: 'log' } }],
    ['compare.previous=true&compare.marginPercent=5', { compare: { previous: true, marginPercent: 5 } }],
    ['compare.time.from=2026-01-01', { compare: { time: { from: '2026-01-01' } } }],
    ['order=isp&order=metricValue:desc', { order: [{ by: 'isp' }, { by: 'metricValue', direction: 'desc' }] }],
    ['order=custom.a:b:asc&limit=5', { order: [{ by: 'custom.a:b', direction: 'asc' }], limit: 5 }],
    [
      'having.agentCount.atLeast=30&having.percentiles.2.5.below=-1',
      {
        having: [
          { field: 'agentCount', atLeast: 30 },
          { field: 'percentiles.2.5', below: -1 },
        ],
      },
    ],
    [
      'having.max.above=5&having.max.above=x',
      {
        having: [
          { field: 'max', above: 5 },
          { field: 'max', above: 'x' },
        ],
      },
    ],
    ['compare.filter.isp=A', { compare: { filters: [{ id: 'isp', filterType: 'include', filterValues: ['A'] }] } }],
  ])('maps %s', (text, fields) => {
    expect(bodyOf(text)).toEqual({ ...defaults, ...fields })
  })

  it.each([
    ['filter.isp=A&filter.isp=B', { id: 'isp', filterType: 'include', filterValues: ['A', 'B'] }],
    ['filter.isp.exclude=A', { id: 'isp', filterType: 'exclude', filterValues: ['A'] }],
    ['filter.isp.contains=A', { id: 'isp', filterType: 'contains', filterValues: ['A'] }],
    ['filter.isp.no_such_type=A', { id: 'isp', filterType: 'no_such_type', filterValues: ['A'] }],
    ['filter.isp.is_set=true', { id: 'isp', filterType: 'is_set' }],
    ['filter.isp.is_set=A', { id: 'isp', filterType: 'is_set', filterValues: ['A'] }],
    ['filter.custom.region=A', { id: 'custom.region', filterType: 'include', filterValues: ['A'] }],
    ['filter.custom.a.b=A', { id: 'custom.a.b', filterType: 'include', filterValues: ['A'] }],
    ['filter.custom.a.b.exclude=A', { id: 'custom.a.b', filterType: 'exclude', filterValues: ['A'] }],
    ['filter.custom.exclude=A', { id: 'custom.exclude', filterType: 'include', filterValues: ['A'] }],
    ['filter.__proto__=A', { id: '__proto__', filterType: 'include', filterValues: ['A'] }],
    ['filter.isp=', { id: 'isp', filterType: 'include', filterValues: [''] }],
  ])('maps the filter %s', (text, filter) => {
    expect(bodyOf(text)).toEqual({ ...defaults, filters: [filter] })
  })

  it('takes the keys of metrics with commas between them, and repeated', () => {
    const body = { ...defaults, metrics: ['httpget', 'latency'] }
    expect(bodyOf('metrics=httpget,latency')).toEqual(body)
    expect(bodyOf('metrics=httpget&metrics=latency')).toEqual(body)
  })

  it('leaves texts that are no number or no truth value to the check of the body', () => {
    expect(bodyOf('perAgent.level=&window.hours=7pm&normalised=yes&perAgent.low=0x10')).toEqual({
      ...defaults,
      normalised: 'yes',
      window: { hours: ['7pm'] },
      perAgent: { level: '', low: '0x10' },
    })
  })

  it('refuses unknown parameters, and names the closest one first', () => {
    const { status, errors, details } = errorOf(() => bodyOf('metrc=httpget&splits=isp&time=now&filter.=x&__proto__=1'))
    expect([status, Object.keys(errors ?? {})]).toEqual([422, ['metrc', 'splits', 'time', 'filter.', '__proto__']])
    expect(details?.['metrc']?.choices?.[0]).toBe('metric')
    expect(details?.['splits']?.choices?.[0]).toBe('split')
    expect(details?.['filter.']?.choices?.[0]).toBe('filter.<dimension>')
  })

  it('refuses a repeated parameter that is no list', () => {
    expect(errorOf(() => bodyOf('metric=a&metric=b&split=a&split=b')).errors).toEqual({
      metric: ['This parameter may occur only once.'],
    })
  })

  it('never changes the prototype of objects', () => {
    for (const name of queryParameters.keys()) bodyOf(`${name}=1`)
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

describe('a fault of the body', () => {
  const named = (text: string, errors: Record<string, string[]>) => {
    const error = checkQueryString(queryOf(text)).named(
      validationFail(errors, { [Object.keys(errors)[0] ?? '']: { choices: ['x'] } }),
    )
    return error instanceof Fault ? { errors: error.errors, details: error.details } : error
  }

  it.each([
    ['time[from]', 'from'],
    ['time[to]', 'to'],
    ['time', 'from'],
    ['metric', 'metric'],
    ['splits[1]', 'split'],
    ['fields', 'field'],
    ['percentileLevels[0]', 'percentileLevel'],
    ['panel[0]', 'panel'],
    ['perAgent[level]', 'perAgent.level'],
    ['window[hours][3]', 'window.hours'],
    ['histogram[edges]', 'histogram.edges'],
    ['compare[time][from]', 'compare.time.from'],
    ['compare', 'compare'],
    ['filters[0][id]', 'filter.isp'],
    ['filters[1][filterType]', 'filter.isp.exclude'],
    ['filters[1][filterValues][0]', 'filter.isp.exclude'],
    ['compare[filters][0][id]', 'compare.filter.isp'],
    ['filters', 'filters'],
    ['having[0][field]', 'having.max.above'],
    ['order[0][by]', 'order'],
    ['limit', 'limit'],
  ])('at %s has the name %s', (path, name) => {
    const text = 'filter.isp=A&filter.isp.exclude=B&compare.filter.isp=C&having.max.above=1'
    expect(named(text, { [path]: ['wrong'] })).toEqual({
      errors: { [name]: ['wrong'] },
      details: { [name]: { choices: ['x'] } },
    })
  })

  it('is joined with other faults of the same parameter', () => {
    expect(named('split=a&split=b', { 'splits[0]': ['one'], 'splits[1]': ['two'] })).toMatchObject({
      errors: { split: ['one', 'two'] },
    })
  })

  it('stays as it is if it names no fields', () => {
    const error = new Fault('QUERY_TOO_LARGE')
    expect(checkQueryString({}).named(error)).toBe(error)
  })
})
