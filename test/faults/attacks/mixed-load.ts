import type { Answer } from '../../kit/call.ts'
import { exportLimits } from '../../../src/base/limits.ts'
import { answerFaults } from '../../http/openapi/document.ts'
import { attempt, pause, until } from '../attempt.ts'
import type { Dice } from '../dice.ts'
import { rigFacts, rigUnits, type Rig } from './rig.ts'
import type { Tally } from './tally.ts'
import { secretIn } from './zeros.ts'

/** Everything the service is for, at once: changes, deliveries, answers and files, each asked for until it is there. */
export type MixedLoad = {
  /** What was acknowledged so far. */
  readonly acknowledged: { readonly changes: Set<string>; readonly deliveries: Map<string, number> }
  /** How many of each kind have succeeded. */
  readonly done: Readonly<Record<Kind, number>>
  /** How many files were asked for; each of them again and again, by the same key. */
  readonly filesAsked: () => number
  /** Returns when everybody but the writer of files, who may be waiting for an attempt, has been served once more. */
  readonly everybodyServed: () => Promise<void>
  /** One more file, now; the load's own may be waiting for its next attempt. Whether it was there, and whole. */
  readonly askForFile: () => Promise<boolean>
  /** Ends when everything that was begun has ended well. */
  readonly stop: () => Promise<void>
}

export type Kind = 'change' | 'delivery' | 'answer' | 'file'

type LoadOptions = {
  readonly dice: Dice
  readonly tally: Tally
  /** Connections may break without an answer while the service itself is killed. */
  readonly serviceDies?: () => boolean
  /** How many make changes at once. */
  readonly changers?: number
  /** A thing that takes longer than this to succeed is a breach. */
  readonly patienceMs?: number
  /** Milliseconds between two of a kind, by how many the last one took. */
  readonly rest?: (kind: Kind, tookMs: number) => number
}

const points = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'total',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-01 00:00', to: '2026-01-31 23:59' },
}
/**
 * A file whose writer is killed is given to another one when its lease has ended, and tried as often as that: what the
 * service itself allows, with time for those who were killed to start.
 */
const fileMsMax = exportLimits.failuresMax * (exportLimits.leaseMs + 20_000)
const records = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }

export function startMixedLoad(
  { service, token, world }: Pick<Rig, 'service' | 'token' | 'world'>,
  { dice, tally, serviceDies = () => false, changers = 2, patienceMs = 120_000, rest = () => 20 }: LoadOptions,
): MixedLoad {
  const done = { change: 0, delivery: 0, answer: 0, file: 0 }
  const changes = new Set<string>()
  const deliveries = new Map<string, number>()
  const fileKeys = new Set<string>()
  let goesOn = true
  let waking = Promise.withResolvers<void>()

  const send = (path: string, body?: unknown, headers: Record<string, string> = {}, method = 'POST') =>
    attempt(`${path.startsWith('/ingest') ? service.ingestAddress : service.address}${path}`, {
      method,
      token,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

  const hasSecret = secretIn(world.environment, [token])
  const look = (what: string, operation: string, { status, body, text }: Answer) => {
    const faults = answerFaults(operation, status, body)
    if (faults.length > 0) tally.breach('Z10', `${what}: ${status} not by the document`, `${faults[0]}`)
    if (hasSecret(text)) tally.breach('Z6', `${what}: a secret`, text.slice(0, 80))
  }

  /** Asks until there is a 200. Anything but that and an honest "later" is a breach. */
  const insist = async (
    what: string,
    operation: string,
    ask: () => Promise<Answer | null>,
    { streams = false, removes = false, patience = patienceMs } = {},
  ): Promise<Answer | null> => {
    const startedAt = performance.now()
    for (let asked = 1; ; asked += 1) {
      const askedAt = performance.now()
      const answer = await ask().catch((error: unknown) => {
        // It came to its end, and was not whole.
        tally.breach('Z10', `${what}: not the envelope`, String(error))
        return null
      })
      if (answer !== null) look(what, operation, answer)
      const said = `${answer?.status} ${answer?.text.slice(0, 300)} after ${Math.round(performance.now() - askedAt)} ms`
      if (performance.now() - askedAt > 31_000) tally.breach('Z8', what, said)
      tally.count(String(answer?.status ?? 'no answer'))
      if (answer?.status === 200) return answer
      // The removal had been made, and its answer was lost with whoever was killed.
      if (answer?.status === 404 && removes && asked > 1) return answer
      // A stream that cannot be finished is cut, visibly.
      if (answer === null && !serviceDies() && !streams) tally.breach('Z10', `${what}: no answer`, said)
      if (answer !== null && ![503, 409].includes(answer.status)) {
        tally.breach('Z10', `${what}: ${answer.status}`, said)
        return null
      }
      if (performance.now() - startedAt > patience) {
        tally.breach('Z8', `${what}: not within ${patience} ms`, said)
        return null
      }
      await pause(100)
    }
  }

  const change = async (own: Dice, key: string) => {
    const body = { agent: { unit_id: own.pick(rigUnits) }, metadata: { custom: { mark: key } } }
    const put = () => send('/metadata', body, { 'idempotency-key': key }, 'PUT')
    if (await insist('a change', 'PUT /metadata', put)) changes.add(key)
  }
  const delivery = async (own: Dice, target: string) => {
    const rows = own.between(1, 200)
    const lines = Array.from({ length: rows }, (_, index) => {
      const dtime = new Date(Date.UTC(2026, 1, 1) + index * 1000).toISOString()
      return JSON.stringify({ agent_id: `acme-${own.pick(rigUnits)}`, dtime, target, successes: 1, failures: 0 })
    })
    const headers = { 'content-type': 'application/x-ndjson' }
    const deliver = () => send('/ingest/ping', lines.join('\n'), headers)
    if (await insist('a delivery', 'POST /ingest/{test}', deliver)) deliveries.set(target, rows)
  }
  const answer = async (own: Dice) => {
    const streamed = own.between(0, 1) === 0
    const path = streamed ? '/test_data' : '/metric_data'
    const ask = () => send(path, streamed ? records : points)
    const got = await insist('an answer', `POST ${path}`, ask, { streams: streamed })
    if (got === null) return
    const data = got.body['data'] as { metricData: { sampleCount: number }[] }[]
    const count = streamed ? data.length : (data[0]?.metricData[0]?.sampleCount ?? 0)
    if (count !== rigFacts)
      tally.breach(
        'Z1',
        'an answer that is not the whole truth',
        `${count} of ${rigFacts} results, answer ${done.answer}: ${got.text.slice(0, 300)}`,
      )
  }
  const file = async (_own: Dice, key: string): Promise<boolean> => {
    fileKeys.add(key)
    const startedAt = performance.now()
    const ask = () => send('/test_data.csv', records, { 'idempotency-key': key })
    const asked = await insist('a file', 'POST /test_data.csv', ask, { patience: fileMsMax })
    const { id } = (asked?.body['data'] ?? {}) as { id?: string }
    if (id === undefined) return false
    let isWhole = false
    for (let status: unknown; status !== 'complete';) {
      const show = () => send(`/downloads/${id}`, undefined, {}, 'GET')
      const shown = await insist('a download', 'GET /downloads/{id}', show)
      const { url, ...state } = (shown?.body['data'] ?? {}) as { status?: string; url?: string; rows?: number }
      ;({ status } = state)
      // Which its storage being away for long may cause, and which says so.
      if (status === 'failed' || shown === null) {
        tally.count('a file failed')
        return false
      }
      if (performance.now() - startedAt > fileMsMax) {
        tally.breach('Z8', `a file: not within ${fileMsMax} ms`, JSON.stringify(state))
        return false
      }
      if (status !== 'complete') await pause(200)
      else isWhole = await compare(String(url), state.rows)
    }
    const remove = () => send(`/downloads/${id}`, undefined, {}, 'DELETE')
    await insist('a download removed', 'DELETE /downloads/{id}', remove, { removes: true })
    return isWhole
  }
  const compare = async (url: string, rows: number | undefined): Promise<boolean> => {
    const startedAt = performance.now()
    for (;;) {
      // Null: the storage is away, or fell silent amid it.
      const got = await fetch(url, { signal: AbortSignal.timeout(35_000) })
        .then(async (response) =>
          response.status < 500 ? { status: response.status, text: await response.text() } : null,
        )
        .catch(() => null)
      if (got === null && performance.now() - startedAt < patienceMs) {
        tally.count('a file was out of reach')
        await pause(200)
        continue
      }
      const lines = (got?.text.split('\n').length ?? 0) - 2
      const isWhole = got?.status === 200 && lines === rigFacts && rows === rigFacts
      if (!isWhole)
        tally.breach('Z5', 'a file that is not whole', `${got?.status}, ${lines} lines, ${rows} said, of ${rigFacts}`)
      if (got !== null) tally.count('a file was read')
      return isWhole
    }
  }

  const turns = new Map<number, number>()
  const loop = async (kind: Kind, number: number, work: (own: Dice, key: string) => Promise<unknown>) => {
    const own = dice.fork(number)
    // Nobody has had a turn yet: whoever waits for all of them waits for the first ones too.
    if (kind !== 'file') turns.set(number, -1)
    for (let turn = 0; goesOn; turn += 1) {
      const startedAt = performance.now()
      await work(own, `${kind}-${dice.seed}-${number}-${turn}`)
      done[kind] += 1
      if (kind !== 'file') turns.set(number, turn)
      await Promise.race([pause(rest(kind, performance.now() - startedAt)), waking.promise])
    }
  }
  const loops = [
    loop('delivery', 1, delivery),
    loop('delivery', 2, delivery),
    loop('answer', 3, answer),
    loop('file', 4, file),
    ...Array.from({ length: changers }, (_, index) => loop('change', 5 + index, change)),
  ]
  const files: Promise<boolean>[] = []
  return {
    acknowledged: { changes, deliveries },
    done,
    filesAsked: () => fileKeys.size,
    everybodyServed: async () => {
      const before = new Map(turns)
      waking.resolve()
      waking = Promise.withResolvers<void>()
      await until(async () => [...turns].every(([number, turn]) => turn > (before.get(number) ?? turn)), patienceMs)
    },
    askForFile: () => {
      const asked = file(dice, `file-${dice.seed}-more-${files.length}`)
      files.push(asked)
      return asked
    },
    stop: async () => {
      goesOn = false
      await Promise.all([...loops, ...files])
    },
  }
}
