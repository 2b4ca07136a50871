/**
 * Divides the agents of one ISP into random halves, a thousand times: `npm run bench -- random-halves`. Both halves are samples
 * of the same lines, so their means should differ significantly (95 %) in about 5 % of the draws. The bench counts these draws
 * with intervals by agents and with intervals by results, for every ISP of a panel like that of the demo. It computes the
 * intervals from the points of single agents, and compares those of some draws with the intervals of the service. It exits with
 * 1 if more than 7 % of the draws differ by intervals by agents.
 */
import { catalog } from '../../src/catalog/catalog.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import { adminUrl } from '../../src/serve/config.ts'
import { synthesizePanel } from '../../src/serve/tasks/synthesize-panel.ts'
import { rollDice } from '../../test/faults/dice.ts'
import { openEngines } from '../rig/engines.ts'
import { report } from '../rig/report.ts'
import { startService } from '../rig/service.ts'
import { differs, drawHalves, type AgentPoint, type Draw } from './halves.ts'

const draws = 1_000
const comparedDraws = 5
/** The largest acceptable percentage of draws that differ. The binomial error of a thousand draws is 0.7. */
const percentMax = 7
/** Below this number of agents, a half has too few of them. */
const agentsMin = 40
const days = 60
const agents = Number(process.argv[2] ?? 1_600)

const lastDay = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
const firstDay = lastDay.subtract({ days: days - 1 })

const engines = await openEngines('bench-random-halves', 18_380)
const { settings } = engines
const { token } = await asOperator(adminUrl(settings), async (operator) => {
  await createOrganisation(operator, { key: 'bench', name: 'bench', tests: ['*'], metrics: ['*'] })
  return createToken(operator, { organisation: 'bench', label: 'bench', scopes: ['data:read'], expiresAt: null })
})
await synthesizePanel(settings, {
  panel: 'national',
  owner: 'bench',
  name: 'national',
  seed: 1,
  agents,
  firstDay,
  lastDay,
  kinds: ['whitebox', 'cpe', 'web'],
  isp: null,
  geography: 'united-kingdom',
  tests: catalog.tests.filter(({ key }) => key === 'httpget'),
})
const service = await startService(engines)

async function ask<Point>(request: Readonly<Record<string, unknown>>): Promise<Point[]> {
  const response = await fetch(`${service.baseUrl}/metric_data`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({
      metric: 'httpget',
      chartType: 'aggregate',
      aggregation: 'total',
      normalised: false,
      prefilter: true,
      percentiles: 'none',
      time: { from: String(firstDay), to: String(lastDay) },
      ...request,
    }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text}`)
  return (JSON.parse(text) as { data: { metricData: Point[] }[] }).data.flatMap(({ metricData }) => metricData)
}

/** The largest relative difference between the intervals of a draw and those of the service. */
async function difference(isp: string, { halves, means }: Draw): Promise<number> {
  const differences = []
  for (const [index, half] of halves.entries()) {
    const filters = [
      { id: 'isp', filterType: 'include', filterValues: [isp] },
      { id: 'agent', filterType: 'include', filterValues: half.map(({ agent }) => agent) },
    ]
    for (const [intervals, expected] of [
      ['agents', means[index]?.byAgents],
      ['results', means[index]?.byResults],
    ]) {
      const [point] = await ask<{ ci95: number }>({ filters, intervals })
      differences.push(Math.abs(Number(point?.ci95) / Number(expected) - 1))
    }
  }
  return Math.max(...differences)
}

const percentOf = (drawn: readonly Draw[], interval: 'byAgents' | 'byResults'): number =>
  (100 * drawn.filter(({ means }) => differs(means, interval)).length) / drawn.length

try {
  const points = await ask<AgentPoint & { isp: string | null }>({ splits: ['isp', 'agent'], intervals: 'results' })
  const dice = rollDice(1)
  const table = []
  for (const [isp, ofIsp] of Map.groupBy(points, (point) => point.isp)) {
    if (isp === null || ofIsp.length < agentsMin) continue
    const drawn = Array.from({ length: draws }, () => drawHalves(dice, ofIsp))
    const differences = []
    for (const draw of drawn.slice(0, comparedDraws)) differences.push(await difference(isp, draw))
    const byAgents = percentOf(drawn, 'byAgents')
    if (!(byAgents <= percentMax) || !(Math.max(...differences) < 1e-9)) process.exitCode = 1
    table.push({
      ISP: isp,
      agents: ofIsp.length,
      results: ofIsp.reduce((sum, { sampleCount }) => sum + sampleCount, 0),
      'by agents, %': byAgents.toFixed(1),
      'by results, %': percentOf(drawn, 'byResults').toFixed(1),
      'from the service, at most': Math.max(...differences).toExponential(1),
    })
  }
  report('random-halves', table)
} finally {
  await service.close()
  await engines.close()
}
