/** The body of a request to POST /metric_data. */
export type Scenario = { readonly name: string; readonly body: Record<string, unknown> }

const base = { metric: 'httpget', chartType: 'aggregate', normalised: false, prefilter: false }

/** The queries of the bench. `from` and `to` are the first and the last day of the panel. */
export function scenarios(from: string, to: string): Scenario[] {
  const time = { from: `${from} 00:00:00`, to: `${to} 23:59:59` }
  const ask = (name: string, more: Record<string, unknown>): Scenario => ({ name, body: { ...base, time, ...more } })
  const oneDay = { from: `${to} 00:00:00`, to: `${to} 23:59:59` }
  return [
    ask('daily', { aggregation: 'daily' }),
    ask('daily by ISP', { aggregation: 'daily', splits: ['isp'] }),
    ask('daily by ISP, normalised', { aggregation: 'daily', splits: ['isp'], normalised: true }),
    ask('daily by ISP, prefiltered', { aggregation: 'daily', splits: ['isp'], prefilter: true }),
    ask('daily by ISP, no percentiles', { aggregation: 'daily', splits: ['isp'], percentiles: 'none' }),
    ask('hourly', { aggregation: 'hourly' }),
    ask('hour of day by ISP and package', { aggregation: 'hour_of_day', splits: ['isp', 'package'] }),
    ask('total by country, three ISPs left out', {
      aggregation: 'total',
      splits: ['country', 'ip_version', 'threads'],
      filters: [{ id: 'isp', filterType: 'exclude', filterValues: ['Acme Broadband', 'Northnet', 'Cityfibre'] }],
    }),
    ask('one agent, one day', {
      aggregation: 'hourly',
      time: oneDay,
      filters: [{ id: 'agent', filterType: 'include', filterValues: ['bench-0000007'] }],
    }),
  ]
}
