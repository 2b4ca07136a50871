import { expect, it } from 'vitest'
import type { MetricRequest } from './model/request.ts'
import { agentOf, ask, smallDataset, type SmallResult } from './small-dataset.ts'

const counts = (test: string, results: SmallResult[], request: Partial<MetricRequest>, organisation = 'acme') =>
  ask(smallDataset(test, results), request, organisation).flatMap(({ metricData }) =>
    metricData.map((point) => [...(request.splits ?? []).map((split) => point[split]), point['sampleCount']]),
  )

const mover = agentOf(
  'mover',
  { unit: null },
  { isp: 'Ant', package: 'Fast', zone: 'America/New_York', custom: { tier: 'gold', line: 2.5 } },
  { day: '2020-06-02', isp: 'Bee', zone: null, custom: { tier: '' } },
  { day: '2020-06-03' },
)

const moves: SmallResult[] = [
  { agent: mover, at: '2020-06-01 23:59:59.999', jitter_down: 1 },
  { agent: mover, at: '2020-06-02 00:00:00', jitter_down: 1 },
  { agent: mover, at: '2020-06-02 23:00:00', jitter_down: 1 },
  { agent: mover, at: '2020-06-03 00:00:00', jitter_down: 1 },
]

it('looks metadata up as of the UTC day of the result, and has groups for missing values', () => {
  expect(counts('jitter', moves, { splits: ['isp', 'package'] })).toEqual([
    ['Ant', 'Ant:Fast', 1],
    ['Bee', null, 2],
    [null, null, 1],
  ])
  expect(counts('jitter', moves, { splits: ['custom.tier'] })).toEqual([
    ['', 2],
    ['gold', 1],
    [null, 1],
  ])
  expect(counts('jitter', moves, { splits: ['custom.line'] })).toEqual([
    ['2.5', 1],
    [null, 3],
  ])
  // At the first result the agent has the zone of New York, which is four hours behind UTC. The later spans of the
  // agent have no zone, so the other times are UTC.
  expect(ask(smallDataset('jitter', moves), { chartType: 'raw' })[0]?.metricData.map(({ dtime }) => dtime)).toEqual([
    '2020-06-01T19:59:59',
    '2020-06-02T00:00:00',
    '2020-06-02T23:00:00',
    '2020-06-03T00:00:00',
  ])
})

it('keeps or drops the values a filter lists; exclude keeps results without a value', () => {
  const by = (id: string, filterType: string | number, ...filterValues: string[]) =>
    counts('jitter', moves, { filters: [{ id, filterType, filterValues }] })
  expect(by('isp', 'include', 'Ant')).toEqual([[1]])
  expect(by('isp', 1, 'Ant', 'Bee')).toEqual([[3]])
  expect(by('isp', '0', 'Ant')).toEqual([[3]])
  expect(by('isp', 'exclude', 'Ant', 'Bee')).toEqual([[1]])
  expect(by('isp', 'include', '2')).toEqual([[2]])
  expect(by('isp', 'include', 'ant')).toEqual([])
  expect(by('package', '1', 'Ant:Fast')).toEqual([[1]])
  expect(by('package', 0, '1')).toEqual([[3]])
  expect(by('custom.line', 'include', '2.5')).toEqual([[1]])
  expect(by('unit', 'exclude', '1000')).toEqual([[4]])
})

it('interprets a value as a name, even if it is also the number of another entry', () => {
  const named = [
    agentOf('one', {}, { isp: 'Ant' }),
    agentOf('two', {}, { isp: '1' }),
    agentOf('three', {}, { isp: '9' }),
  ]
  const rows = named.map((agent, index) => ({ agent, at: `2020-06-01 00:00:0${index}`, jitter_down: 1 }))
  const by = (value: string) =>
    counts('jitter', rows, { splits: ['isp'], filters: [{ id: 'isp', filterType: 1, filterValues: [value] }] })
  expect(by('1')).toEqual([['1', 1]])
  expect(by('2')).toEqual([['1', 1]])
  expect(by('3')).toEqual([['9', 1]])
})

it('orders groups by numbers, by bytes, and null last', () => {
  const threads = [10, 9, null, 1].map((number, index) => ({
    at: `2020-06-01 00:00:0${index}`,
    bytes_sec: 1,
    threads: number,
  }))
  expect(counts('httpget', threads, { metric: 'httpget', splits: ['threads'] }).map(([first]) => first)).toEqual([
    1,
    9,
    10,
    null,
  ])
  const targets = ['b', 'B', 'é', '\u{1d53d}', '\ufb01', ''].map((target, index) => ({
    at: `2020-06-01 00:00:0${index}`,
    jitter_down: 1,
    target,
  }))
  expect(counts('jitter', targets, { splits: ['target'] }).map(([first]) => first)).toEqual([
    '',
    'B',
    'b',
    'é',
    '\ufb01',
    '\u{1d53d}',
  ])
})

it('never counts a failed test, nor one without a value', () => {
  const rows = [
    { at: '2020-06-01 00:00:00', bytes_sec: 0, successes: 0, failures: 1 },
    { at: '2020-06-01 00:00:01', bytes_sec: null, successes: 1 },
    { at: '2020-06-01 00:00:02', bytes_sec: 1_000_000, successes: 1 },
  ]
  expect(ask(smallDataset('httpget', rows), { metric: 'httpget' })[0]?.metricData).toMatchObject([
    { metricValue: 8, sampleCount: 1 },
  ])
  expect(counts('dns', rows, { metric: 'dnsFail' })).toEqual([[3]])
  const hops = [
    { at: '2020-06-01 00:00:00', hop: 1, hop_address: '10.0.0.1', address: '10.9.9.9' },
    { at: '2020-06-01 00:00:00', hop: 2, hop_address: null, address: null },
    { at: '2020-06-01 00:00:00', hop: 3, hop_address: '10.9.9.9', address: '10.9.9.9' },
  ]
  expect(ask(smallDataset('traceroute', hops), { metric: 'tracerouteHops' })[0]?.metricData).toMatchObject([
    { metricValue: 3, sampleCount: 1 },
  ])
})

it('prefilters only by known values', () => {
  const kept = (test: string, metric: string, ...rows: Omit<SmallResult, 'at'>[]) =>
    rows.map((row) => counts(test, [{ at: '2020-06-01 00:00:00', ...row }], { metric, prefilter: true }).length)
  const speed = { bytes_sec: 1, warmup_time: 1, tcp_retransmissions: 1 }
  expect(
    kept(
      'httpget',
      'httpget_retrans',
      speed,
      { ...speed, bytes_sec: null },
      { ...speed, bytes_sec: 0 },
      { ...speed, bytes_sec: 1_250_000_000 },
      { ...speed, bytes_sec: 1_250_000_001 },
      { ...speed, warmup_time: null },
      { ...speed, warmup_time: 0 },
    ),
  ).toEqual([1, 1, 0, 1, 0, 0, 0])
  const udp = { rtt_avg: 1000, rtt_min: 500, rtt_max: 300_500, successes: 45, failures: 5 }
  const variants = [
    udp,
    { ...udp, rtt_min: 499, rtt_max: 1000 },
    { ...udp, rtt_max: 300_501 },
    { ...udp, rtt_max: null },
    { ...udp, successes: 44 },
    { ...udp, successes: 53, failures: 6 },
  ]
  expect(kept('latency', 'latency', ...variants)).toEqual([1, 0, 0, 1, 0, 0])
  expect(kept('latency', 'packetLoss', ...variants)).toEqual([1, 0, 0, 1, 1, 1])
  const video = { bitrate: 1, prebuffering_duration: 10_000_000 }
  expect(
    kept(
      'netflix',
      'netflixBitrate',
      { ...video, error: null },
      { ...video, error: '' },
      { ...video, error: 'stall' },
      { ...video, error: 'timeout' },
      { ...video, prebuffering_duration: 10_000_001 },
    ),
  ).toEqual([1, 1, 1, 0, 0])
})

it('shows the panels an organisation can read, or the requested ones, in the order of panel, day, agent, time', () => {
  const place = (panel: string, at: string, agent = agentOf(`of-${panel}`, { panel })) => ({
    agent,
    panel,
    at,
    jitter_down: 1,
  })
  const homes = agentOf('z')
  const rows = [
    place('foreign', '2020-06-01 00:00:00'),
    place('partner', '2020-06-01 00:00:00'),
    place('homes', '2020-06-02 00:00:02', homes),
    place('homes', '2020-06-02 00:00:01', agentOf('a')),
    place('homes', '2020-06-02 00:00:00.5', homes),
    place('homes', '2020-06-01 23:00:00', homes),
  ]
  const raw = (request: Partial<MetricRequest>, organisation?: string) =>
    ask(smallDataset('jitter', rows), { chartType: 'raw', ...request }, organisation)[0]?.metricData.map(
      ({ agent, dtime }) => `${agent} ${dtime}`,
    )
  expect(raw({})).toEqual([
    'z 2020-06-01T23:00:00',
    'z 2020-06-02T00:00:00',
    'z 2020-06-02T00:00:02',
    'a 2020-06-02T00:00:01',
    'of-partner 2020-06-01T00:00:00',
  ])
  expect(raw({ panel: 'partner' })).toHaveLength(1)
  expect(raw({ panel: ['homes'] })).toHaveLength(4)
  expect(raw({ panel: 'foreign' })).toHaveLength(0)
  expect(raw({}, 'other')).toHaveLength(2)
})
