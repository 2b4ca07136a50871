const base = { metric: 'httpget', chartType: 'aggregate', normalised: false, prefilter: false }

/** Bodies of POST /metric_data with different costs, for a panel whose last day is `last`. */
export function questions(last: Temporal.PlainDate) {
  const time = (days: number) => ({ from: `${last.subtract({ days: days - 1 })} 00:00:00`, to: `${last} 23:59:59` })
  const ofAgent = { id: 'agent', filterType: 'include', filterValues: ['bench-0000007'] }
  return {
    'one agent, one day': { ...base, aggregation: 'hourly', time: time(1), filters: [ofAgent] },
    'a day, hourly': { ...base, aggregation: 'hourly', time: time(1) },
    'a week, daily by ISP': { ...base, aggregation: 'daily', time: time(7), splits: ['isp'] },
    'a month, daily by ISP': { ...base, aggregation: 'daily', time: time(30), splits: ['isp'] },
  }
}
