/**
 * Asks a running demo for a chart and for an export, downloads the file and deletes it: node requests.ts DEMO_JSON. The file
 * has the addresses and the tokens that `broadgauge demo --fill` printed.
 */
import { readFileSync } from 'node:fs'
import { createClient } from '../../clients/typescript/src/index.ts'

type Demo = { dataBaseUrl: string; opsBaseUrl: string; tokens: { data: string } }

const demo: Demo = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const client = createClient({ url: demo.dataBaseUrl, token: demo.tokens.data })
const startedAt = performance.now()
const say = (text: string) => console.log(`${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${text}`)

function check(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(what)
}

for (;;) {
  const ready = await fetch(`${demo.opsBaseUrl}/readyz`).catch(() => null)
  const body = await ready?.text()
  if (ready?.ok === true && !/unavailable|failing/.test(String(body))) break
  check(performance.now() - startedAt < 60_000, `the service is not ready: ${body}`)
  await new Promise((resolve) => setTimeout(resolve, 100))
}
say('the service is ready')

const series = await client.metricData({
  metric: 'httpget',
  aggregation: 'daily',
  normalised: true,
  prefilter: true,
  splits: ['isp'],
  time: { from: '-30 days', to: 'now' },
})
const points = series.flatMap(({ metricData }) => metricData)
check(
  points.some(({ metricValue }) => Number(metricValue) > 0),
  'the chart has no points',
)
say(`the chart has ${points.length} points in ${series.length} series`)

const asked = { test: 'latency', date: { from: '-7 days', to: 'now' } } as const
const { id, url, rows, bytes } = await client.export.testData({ ...asked, format: 'csv' })
check(url !== null && url !== undefined, 'the export has no link')
const response = await fetch(url)
const text = await response.text()
check(response.ok, `the link got ${response.status}: ${text}`)
check(Buffer.byteLength(text) === bytes && text.split('\r\n').length === Number(rows) + 2, 'the file is not complete')
say(`the file has ${rows} rows and ${bytes} bytes`)

await client.export.cancel(id)
const after = await fetch(url)
check(after.status === 404, `after the deletion of the export, its link got ${after.status}`)
say('the file is deleted')
