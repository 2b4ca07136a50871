import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../../kit/call.ts'
import { answerFaults, requestFaults } from '../../http/openapi/document.ts'
import { newSeed } from '../dice.ts'
import { openAttackedWorld, type AttackedWorld } from './attacked-world.ts'
import { exchange, type Exchanged } from './exchange.ts'
import { generatedRequest, type GeneratedRequest } from './generated-request.ts'
import { parsedJson } from './parsed-json.ts'
import { openTally, sized } from './tally.ts'
import { isCounted, untilCounted } from './until-counted.ts'
import { logLines, lookForZeros, secretIn } from './zeros.ts'

const requests = sized(12_000, 100_000)
/**
 * The number of concurrent requests. In a long run, many requests wait for their files. If only 12 were concurrent,
 * almost all of them would be waiting. If 64 were concurrent, two cores would be too slow for ClickHouse, and responses
 * would be late.
 */
const atOnce = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? 32 : 12
/**
 * Requests are generated in portions. Some have bodies of a megabyte, so a hundred thousand would not fit into memory.
 */
const portion = 5_000
const seed = newSeed()
const tally = openTally('generated requests', seed)
let attacked: AttackedWorld
let hasSecret: (said: string) => boolean

beforeAll(async () => {
  attacked = await openAttackedWorld()
  hasSecret = secretIn(attacked.world.environment, [attacked.everything, attacked.dataOnly])
}, 120_000)
afterAll(() => attacked.world.close(), 60_000)

/** The next requests. A request depends only on the seed and its position, not on the responses to earlier requests. */
function makeRequests(made: number, missing: number): GeneratedRequest[] {
  const place = made % portion
  const numRuns = Math.min(place + missing, portion)
  return fc.sample(generatedRequest, { numRuns, seed: seed + made - place }).slice(place)
}

function send({ operation, method, path, headers, token, body }: GeneratedRequest): Promise<Exchanged | null> {
  const { api, ingest } = attacked.service.addresses
  const known = { everything: attacked.everything, 'data only': attacked.dataOnly, none: null, nonsense: 'nonsense' }
  const given = known[token]
  const authorization: Record<string, string> = given === null ? {} : { authorization: `Bearer ${given}` }
  return exchange(operation.includes('ingest') ? ingest : api, path, {
    method,
    headers: { ...authorization, ...headers },
    body,
  })
}

/** The duration of a failed request and its log line. The log line has more detail than the response. */
const whyOf = ({ headers, milliseconds }: Exchanged): string => {
  const asked = headers['x-request-id']
  const failed = attacked.world.observations.findLast((one) => one.kind === 'request-failed' && one.requestId === asked)
  return `after ${Math.round(milliseconds)} ms: ${logLines(failed === undefined ? [] : [failed]).join('')}`
}

const mayFail = (operation: string): boolean => operation === 'GET /response-internal-server-error'

function judge(request: GeneratedRequest, index: number, answer: Exchanged | null): void {
  const { operation, path, body } = request
  const said = () =>
    `request ${index}: ${operation} ${path.slice(0, 200)} ${JSON.stringify(request.headers)} ` +
    `${body?.toString('utf8', 0, 400) ?? ''} → ${answer?.status} ${answer?.text.slice(0, 300)}`
  if (answer === null) {
    tally.count('closed')
    // If a request is too large, the service may close the connection before it has received all of the request.
    if ((body?.length ?? 0) < 256 * 1024) tally.breach('Z10', `${operation}: no answer`, said())
    return
  }
  tally.count(String(answer.status))
  if (answer.status >= 500 && !mayFail(operation)) tally.breach('Z3', operation, `${said()} ${whyOf(answer)}`)
  if (answer.milliseconds > 31_000) tally.breach('Z8', operation, `${Math.round(answer.milliseconds)} ms, ${said()}`)
  if (answer.headers['x-request-id'] === undefined) tally.breach('Z10', `${operation}: no request id`, said())
  if (hasSecret(answer.text)) tally.breach('Z6', `${operation}: a secret`, said())
  // A browser gets the errors of the page of a share link as pages. A line break before a suffix leads to the page, too.
  if (operation.startsWith('GET /s/{secret}') && String(answer.headers['content-type']).startsWith('text/html')) return
  const value = parsedJson(answer.text)
  const faults = value === undefined ? ['is not JSON'] : answerFaults(operation, answer.status, value)
  if (faults.length > 0)
    tally.breach('Z10', `${operation}: ${answer.status} not by the document`, `${faults[0]}, ${said()}`)
  if (answer.status !== 200 || operation.includes('ingest') || body === null) return
  const refused = requestFaults(operation, parsedJson(body.toString('utf8')))
  if (refused.length > 0) tally.breach('Z10', `${operation}: taken against the document`, `${refused[0]}, ${said()}`)
}

it(`answers ${requests} generated requests as documented, never with a 5xx`, { timeout: 3_600_000 }, async () => {
  const counted = await untilCounted({
    wanted: requests,
    atOnce,
    next: makeRequests,
    attack: async (request, index) => {
      const answer = await send(request)
      judge(request, index, answer)
      return answer === null || isCounted(answer.status)
    },
  })
  lookForZeros(tally, attacked.world, [attacked.everything, attacked.dataOnly], (route) => mayFail(`GET ${route}`))
  tally.report(counted)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
  expect((await call(`${attacked.service.addresses.operations}/readyz`)).status).toBe(200)
})
