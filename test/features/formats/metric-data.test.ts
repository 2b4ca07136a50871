import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed } from '../../faults/dice.ts'
import { token } from '../../kit/panels.ts'
import { buildDataset } from '../reference/dataset/build-dataset.ts'
import { openMetricService, type MetricService } from '../reference/metric-service.ts'
import type { Asked } from '../reference/model/request.ts'
import { rollRequests } from '../reference/requests/roll-requests.ts'
import { asQueryString } from './as-query-string.ts'
import { differenceOf, flatPoints, formats, mediaTypes, readFormat, type Format } from './read-formats.ts'

const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const seed = deep ? newSeed() : 1
const count = Number(process.env['BROADGAUGE_TEST_REQUESTS'] ?? (deep ? 2_000 : 30))

let service: MetricService
let url: string
const tokens = new Map<string, string>()

beforeAll(async () => {
  service = await openMetricService(buildDataset(1))
  const served = await service.world.serve()
  url = `${served.addresses.api}/metric_data`
  for (const organisation of ['acme', 'other']) tokens.set(organisation, await token(service.world, organisation))
}, 300_000)
afterAll(() => service?.close())

const tokenOf = ({ organisation }: Asked): string => tokens.get(organisation) ?? ''

type Sent = { status: number; headers: Headers; bytes: Uint8Array; text: string }

/**
 * The deep run sends a request again if the machine was too slow for it. That says nothing about the values of a response. In the
 * ordinary run every response is expected in time.
 */
async function send(address: string, asked: Asked, options: RequestInit = {}): Promise<Sent> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(address, {
        ...options,
        headers: { authorization: tokenOf(asked), accept: 'application/json', ...options.headers },
      })
      const { status, headers } = response
      const bytes = await response.bytes()
      const text = status === 200 ? '' : new TextDecoder().decode(bytes)
      const isSlow = status === 503 || text.includes('takes longer than its time limit')
      if (!isSlow || attempt === attemptsMax) return { status, headers, bytes, text }
    } catch (error) {
      if (attempt === attemptsMax) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  }
}

const attemptsMax = deep ? 20 : 1

const post = (asked: Asked, query = '', more: object = {}, headers: Record<string, string> = {}) =>
  send(`${url}${query}`, asked, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...asked.request, ...more }),
  })

/** Names the format in the query string, in the body or in `Accept`. */
function postAs(format: Format, asked: Asked, turn: number): Promise<Sent> {
  if (turn % 3 === 0) return post(asked, `?format=${format}`)
  return turn % 3 === 1 ? post(asked, '', { format }) : post(asked, '', {}, { accept: mediaTypes[format] })
}

type Body = { data: unknown; meta?: unknown }
const jsonOf = ({ bytes }: Sent): Body => JSON.parse(new TextDecoder().decode(bytes))

/** With two workers, ClickHouse works on one request while the test compares the responses to another. */
async function forEachRequest(
  check: (asked: Asked, about: string, index: number) => Promise<void>,
  drawn = count,
): Promise<void> {
  const requests = rollRequests(service.dataset, seed, drawn, service.askable, Temporal.Now.instant()).entries()
  const worker = async (): Promise<void> => {
    for (const [index, asked] of requests) {
      await check(asked, `seed ${seed}, request ${index}: ${JSON.stringify(asked.request)}`, index)
    }
  }
  await Promise.all(Array.from({ length: 2 }, worker))
}

it(`has the same values in every format for ${count} random requests`, { timeout: 3_600_000 }, async () => {
  const seen = new Map<string, number>()
  await forEachRequest(async (asked, about, index) => {
    const answer = await post(asked)
    expect(answer.status, `${about} ${answer.text}`).toBe(200)
    const expected = flatPoints(jsonOf(answer).data)
    for (const [turn, format] of formats.entries()) {
      const { status, headers, bytes } = await postAs(format, asked, index + turn)
      expect([status, headers.get('content-type')?.split(';')[0]], about).toEqual([200, mediaTypes[format]])
      const { columns, rows } = readFormat(format, bytes)
      expect(rows.length, `${format}, ${about}`).toBe(expected.length)
      const differences = rows.map((row, at) => differenceOf(format, columns, row, expected[at] ?? {}))
      expect(differences.find((one) => one !== null) ?? null, `${format}, ${about}`).toBeNull()
      const last = columns.filter((name) => name === 'partial' || name === 'caution')
      expect(columns.slice(columns.length - last.length), about).toEqual(last)
    }
    const { chartType, include = [], ...others } = asked.request
    for (const name of [chartType, ...include, ...Object.keys(others)]) seen.set(name, (seen.get(name) ?? 0) + 1)
  })
  console.log(`seed ${seed}: ${JSON.stringify(Object.fromEntries(seen))}`)
  const needed = [
    'raw',
    'aggregate',
    'uncertainty',
    'prefilter',
    'coverage',
    'perAgent',
    'reaching',
    'compare',
    'histogram',
  ]
  expect(needed.filter((name) => !seen.has(name))).toEqual([])
})

it(
  `answers a GET as the POST for ${count} random requests that have a query string`,
  { timeout: 3_600_000 },
  async () => {
    let compared = 0
    await forEachRequest(async (asked, about) => {
      const query = asQueryString(asked.request)
      if (query === null || compared >= count) return
      compared += 1
      const [posted, read] = [await post(asked), await send(`${url}?${query}`, asked)]
      expect([posted.status, read.status], `${String(query)}, ${about} ${read.text}`).toEqual([200, 200])
      const [wanted, found] = [jsonOf(posted), jsonOf(read)]
      expect(found.data, `${String(query)}, ${about}`).toEqual(wanted.data)
      expect(read.headers.get('x-percentiles'), about).toBe(posted.headers.get('x-percentiles'))
      expect(typeof found.meta, about).toBe(typeof wanted.meta)
      // About every third drawn request has a query string: groups of filters and totals, for example, need a body.
    }, count * 8)
    expect(compared).toBe(count)
  },
)
