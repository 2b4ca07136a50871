import type { Answer } from '../../kit/call.ts'
import { exportLimits } from '../../../src/base/limits.ts'
import { answerFaults } from '../../http/openapi/document.ts'
import { attempt, pause, until } from '../attempt.ts'
import type { Dice } from '../dice.ts'
import { rigFacts, rigUnits, type Rig } from './rig.ts'
import type { Tally } from './tally.ts'
import { secretIn } from './zeros.ts'

/**
 * Uses all functions of the service concurrently: changes, batches, queries and files. Each request is repeated until
 * it succeeds.
 */
export type MixedLoad = {
  /** The changes and batches that the service has acknowledged so far. */
  readonly acknowledged: { readonly changes: Set<string>; readonly batches: Map<string, number> }
  /** How often each kind of request (changes, batches, queries, files) has succeeded. */
  readonly done: Readonly<Record<Kind, number>>
  /** How many files were requested. A repeated request has the same idempotency key and does not count again. */
  readonly filesAsked: () => number
  /**
   * Returns when every kind of work has succeeded once more. Files are not included, because a file may wait for a
   * retry.
   */
  readonly allServed: () => Promise<void>
  /**
   * Requests one more file at once, because the load's own file may be waiting for its next attempt. Returns true if
   * the file is complete.
   */
  readonly askForFile: () => Promise<boolean>
  /**
   * Sends one request of each kind at once, whatever the load is waiting for. Returns after how many milliseconds each
   * has succeeded.
   */
  readonly oneOfEach: () => Promise<ReadonlyMap<string, number>>
  /** Stops the load. Returns when all started work has succeeded. */
  readonly stop: () => Promise<void>
}

export type Kind = 'change' | 'batch' | 'answer' | 'file'

type LoadOptions = {
  readonly dice: Dice
  readonly tally: Tally
  /** True while the test kills the service itself. Connections may then break without a response. */
  readonly serviceDies?: () => boolean
  /** The number of clients that make changes concurrently. */
  readonly changers?: number
  /** The maximum time until a request succeeds. The load reports a longer time as a forbidden event. */
  readonly retryForMs?: number
  /** The pause of a client in milliseconds after each piece of work. `tookMs` is the duration of that work. */
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
 * The maximum time for a file. If a worker is killed, another worker continues the export after the lease has expired.
 * This can happen `failuresMax` times. The 20 s are for the start of the killed worker.
 */
const fileMsMax = exportLimits.failuresMax * (exportLimits.leaseMs + 20_000)
const records = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }

export function startMixedLoad(
  { service, token, world }: Pick<Rig, 'service' | 'token' | 'world'>,
  { dice, tally, serviceDies = () => false, changers = 2, retryForMs = 120_000, rest = () => 20 }: LoadOptions,
): MixedLoad {
  const done = { change: 0, batch: 0, answer: 0, file: 0 }
  const changes = new Set<string>()
  const batches = new Map<string, number>()
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

  /**
   * Repeats a request until its status is 200. Reports a status that is neither 200 nor a request to retry (503, 409)
   * as a forbidden event.
   */
  const insist = async (
    what: string,
    operation: string,
    ask: () => Promise<Answer | null>,
    { streams = false, removes = false, patience = retryForMs } = {},
  ): Promise<Answer | null> => {
    const startedAt = performance.now()
    for (let asked = 1; ; asked += 1) {
      const askedAt = performance.now()
      const answer = await ask().catch((error: unknown) => {
        // The response ended normally, but its body is not the complete JSON envelope.
        tally.breach('Z10', `${what}: not the envelope`, String(error))
        return null
      })
      if (answer !== null) look(what, operation, answer)
      const said = `${answer?.status} ${answer?.text.slice(0, 300)} after ${Math.round(performance.now() - askedAt)} ms`
      if (performance.now() - askedAt > 31_000) tally.breach('Z8', what, said)
      tally.count(String(answer?.status ?? 'no answer'))
      if (answer?.status === 200) return answer
      // An earlier attempt has removed the export, and its response was lost with the killed process.
      if (answer?.status === 404 && removes && asked > 1) return answer
      // The service cuts a stream that it cannot finish. Only a streamed response may be cut.
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
  const batch = async (own: Dice, target: string) => {
    const rows = own.between(1, 200)
    const lines = Array.from({ length: rows }, (_, index) => {
      const dtime = new Date(Date.UTC(2026, 1, 1) + index * 1000).toISOString()
      return JSON.stringify({ agent_id: `acme-${own.pick(rigUnits)}`, dtime, target, successes: 1, failures: 0 })
    })
    const headers = { 'content-type': 'application/x-ndjson' }
    const post = () => send('/ingest/ping', lines.join('\n'), headers)
    if (await insist('a batch', 'POST /ingest/{test}', post)) batches.set(target, rows)
  }
  const answer = async (own: Dice, _key: string, streamed = own.between(0, 1) === 0) => {
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
      // An export may fail if the storage is unavailable. The service reports that, so it is not a forbidden event.
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
      // `got` is null if the storage is unavailable or does not respond.
      const got = await fetch(url, { signal: AbortSignal.timeout(35_000) })
        .then(async (response) =>
          response.status < 500 ? { status: response.status, text: await response.text() } : null,
        )
        .catch(() => null)
      if (got === null && performance.now() - startedAt < retryForMs) {
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
    // Register the loop before its first success, so that `allServed` waits for it too.
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
    loop('batch', 1, batch),
    loop('batch', 2, batch),
    loop('answer', 3, answer),
    loop('file', 4, file),
    ...Array.from({ length: changers }, (_, index) => loop('change', 5 + index, change)),
  ]
  const files: Promise<boolean>[] = []
  const askForFile = () => {
    const asked = file(dice, `file-${dice.seed}-more-${files.length}`)
    files.push(asked)
    return asked
  }
  let rounds = 0
  return {
    acknowledged: { changes, batches },
    done,
    filesAsked: () => fileKeys.size,
    allServed: async () => {
      const before = new Map(turns)
      waking.resolve()
      waking = Promise.withResolvers<void>()
      await until(async () => [...turns].every(([number, turn]) => turn > (before.get(number) ?? turn)), retryForMs)
    },
    askForFile,
    oneOfEach: async () => {
      rounds += 1
      const key = `more-${dice.seed}-${rounds}`
      const works: Record<string, () => Promise<unknown>> = {
        'a change': () => change(dice, key),
        'a batch': () => batch(dice, key),
        'a chart': () => answer(dice, key, false),
        'a stream': () => answer(dice, key, true),
        'a file': () => until(askForFile, retryForMs),
      }
      const startedAt = performance.now()
      const took = Object.entries(works).map(async ([what, work]) => {
        await work()
        return [what, performance.now() - startedAt] as const
      })
      return new Map(await Promise.all(took))
    },
    stop: async () => {
      goesOn = false
      await Promise.all([...loops, ...files])
    },
  }
}
