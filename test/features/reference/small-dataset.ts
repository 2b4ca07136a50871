import { countedNumbers, type Agent, type Cell, type Dataset, type Span } from './model/facts.ts'
import { reference } from './model/reference.ts'
import type { Asked, Data, MetricRequest } from './model/request.ts'
import { rightRules, type Rules } from './model/rules.ts'

/** Metadata, and the day from which it is valid. */
export type Since = Partial<Omit<Span, 'fromDay'>> & { day?: string }

const dayNumber = (day: string): number => Date.parse(day) / 86_400_000

export const agentOf = (id: string, given: Partial<Agent> = {}, ...timeline: Since[]): Agent => ({
  id,
  panel: 'homes',
  kind: 'whitebox',
  unit: 1000 + id.length,
  base: 'model-x',
  country: 'GB',
  timeline: timeline.map(({ day = '1970-01-01', ...span }) => ({
    isp: null,
    package: null,
    zone: null,
    custom: {},
    ...span,
    fromDay: dayNumber(day),
  })),
  ...given,
})

export type SmallResult = { agent?: Agent; at: string; stored?: string; panel?: string } & Record<
  string,
  Cell | Agent | undefined
>

const instantMs = (text: string): number => Temporal.Instant.from(`${text.replace(' ', 'T')}Z`).epochMilliseconds

const defaultAgent = agentOf('anybody')

/**
 * A dataset with results of one test. `at` and `stored` are in UTC. By default a result is successful, it is stored when
 * the test ends, and its agent has no metadata.
 */
export function smallDataset(test: string, results: readonly SmallResult[]): Dataset {
  const agents = [...new Set(results.map(({ agent = defaultAgent }) => agent))]
  const isps = [...new Set(agents.flatMap(({ timeline }) => timeline.flatMap(({ isp }) => isp ?? [])))]
  const lists = {
    panels: [
      { key: 'homes', owner: 'acme', subscribers: [] },
      { key: 'partner', owner: 'other', subscribers: ['acme'] },
      { key: 'foreign', owner: 'other', subscribers: [] },
    ],
    isps,
    packages: [{ isp: isps[0] ?? 'x', name: 'Fast' }],
    agents,
  }
  const stored = results.map(({ agent = defaultAgent, at, stored: storedAt = at, panel = agent.panel, ...row }) => ({
    panel,
    agent,
    endedAt: instantMs(at),
    storedAt: instantMs(storedAt),
    row: (test === 'network_usage' ? row : { successes: 1, failures: 0, ...row }) as Record<string, Cell>,
  }))
  return { ...lists, results: new Map([[test, stored]]), numbers: countedNumbers(lists) }
}

const everything: MetricRequest = {
  metric: 'jitterDown',
  chartType: 'aggregate',
  aggregation: 'total',
  normalised: false,
  prefilter: false,
  time: { from: '1971-01-01 00:00', to: '2099-01-01 00:00' },
}

export const asked = (request: Partial<MetricRequest>, organisation = 'acme'): Asked => ({
  organisation,
  now: Temporal.Instant.from('2024-05-06T07:08:09.500Z'),
  request: { ...everything, ...request },
})

export const ask = (
  dataset: Dataset,
  request: Partial<MetricRequest>,
  organisation = 'acme',
  rules: Rules = rightRules,
): Data => reference(dataset, asked(request, organisation), rules)
