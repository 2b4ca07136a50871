/**
 * Sends requests at a fixed rate, whether or not earlier ones were answered: node load.ts DEMO_JSON SECONDS [RATE]. Prints how many
 * were answered and how fast, and each failed request. Exits with 1 if one failed: no response, a status other than 200, or a
 * body that is not complete.
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

type Tokens = { data: string; metadata: string }
type Demo = { dataBaseUrl: string; tokens: Tokens; otherTokens: Tokens }
type Asked = { method: 'GET' | 'POST' | 'PUT'; path: string; token: string; body?: object }

const [file = '', seconds = '30', rate = '50'] = process.argv.slice(2)
const demo: Demo = JSON.parse(readFileSync(file, 'utf8'))
const count = Number(seconds) * Number(rate)
// Callers keep their connections open. A request that finds no free connection counts as failed.
const inFlightMax = 200
const agent = new Agent({ keepAlive: true, maxSockets: inFlightMax })
const timeoutMs = 20_000

const { tokens, otherTokens } = demo
const agentOf = (index: number) => `national${String(1 + (index % 500)).padStart(7, '0')}`
const chart = {
  metric: 'latency',
  aggregation: 'daily',
  chartType: 'aggregate',
  normalised: false,
  prefilter: true,
  time: { from: '-1 day', to: 'now' },
}
const change = (index: number) => ({
  agent: { agent_id: agentOf(index) },
  metadata: { custom: { visited: index } },
})

/** Of 50 requests: 2 charts, 2 changes of metadata, 23 agents, and lists. */
function asked(index: number): Asked {
  const slot = index % 50
  if (slot % 25 === 3)
    return { method: 'POST', path: '/metric_data', token: slot < 25 ? tokens.data : otherTokens.data, body: chart }
  if (slot % 25 === 14) return { method: 'PUT', path: '/metadata', token: tokens.metadata, body: change(index) }
  if (slot % 2 === 0) return { method: 'GET', path: `/metadata/agent/${agentOf(index)}`, token: tokens.metadata }
  const path = ['/metrics', '/tests', '/splits', '/filters'][(slot >> 1) % 4] ?? '/tests'
  return { method: 'GET', path, token: slot % 3 === 0 ? otherTokens.data : tokens.data }
}

const durations: number[] = []
const failures: string[] = []
const startedAt = performance.now()
let inFlight = 0

function send(index: number): Promise<void> {
  const { method, path, token, body } = asked(index)
  const sentAt = performance.now()
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${token}`,
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  }
  return new Promise((resolve) => {
    const end = (failure: string | null) => {
      durations.push(performance.now() - sentAt)
      const at = `${((sentAt - startedAt) / 1000).toFixed(2)} s, after ${(performance.now() - sentAt).toFixed(0)} ms`
      if (failure !== null) failures.push(`${at}: ${method} ${path}: ${failure}`)
      resolve()
    }
    const options = { method, agent, headers, timeout: timeoutMs }
    const sent = request(new URL(path, demo.dataBaseUrl), options, (response) => {
      let received = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (received += chunk))
      response.once('error', (error) => end(`the response broke: ${error.message}`))
      response.once('end', () => end(wrongIn(response.statusCode, received)))
    })
    sent.once('timeout', () => sent.destroy(new Error('no response')))
    sent.once('error', (error) => end(error.message))
    sent.end(text)
  })
}

function wrongIn(status: number | undefined, body: string): string | null {
  if (status !== 200) return `${status} ${body.slice(0, 200)}`
  try {
    return JSON.parse(body).code === 'OK' ? null : body.slice(0, 200)
  } catch {
    return `not complete: ${body.slice(0, 200)}`
  }
}

const running: Promise<void>[] = []
for (let index = 0; index < count; index += 1) {
  const waitMs = startedAt + (index * 1000) / Number(rate) - performance.now()
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  if (inFlight >= inFlightMax) {
    failures.push(`${((performance.now() - startedAt) / 1000).toFixed(2)} s: not sent, ${inFlight} are unanswered`)
    continue
  }
  inFlight += 1
  running.push(send(index).finally(() => (inFlight -= 1)))
}
await Promise.all(running)
agent.destroy()

const sorted = durations.toSorted((one, other) => one - other)
const quantile = (part: number) =>
  `${(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(0)} ms`
console.log(
  `${count} requests in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${failures.length} failed; ` +
    `p50 ${quantile(0.5)}, p99 ${quantile(0.99)}, longest ${quantile(1)}`,
)
for (const failure of failures.slice(0, 50)) console.log(`  ${failure}`)
process.exitCode = failures.length === 0 ? 0 : 1
