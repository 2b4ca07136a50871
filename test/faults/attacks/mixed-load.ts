import type { Answer } from '../../kit/call.ts'
import { attempt, pause, until } from '../attempt.ts'
import type { Dice } from '../dice.ts'
import { rigFacts, rigUnits, type Rig } from './rig.ts'
import type { Tally } from './tally.ts'

/** Everything the service is for, at once: changes, deliveries, answers and files, each asked for until it is there. */
export type MixedLoad = {
  /** What was acknowledged so far. */
  readonly acknowledged: { readonly changes: Set<string>; readonly deliveries: Map<string, number> }
  /** How many of each kind have succeeded. */
  readonly done: Readonly<Record<Kind, number>>
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
const records = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }

export function startMixedLoad(
  { service, token }: Pick<Rig, 'service' | 'token'>,
  { dice, tally, serviceDies = () => false, changers = 2, patienceMs = 120_000, rest = () => 20 }: LoadOptions,
): MixedLoad {
  const done = { change: 0, delivery: 0, answer: 0, file: 0 }
  const changes = new Set<string>()
  const deliveries = new Map<string, number>()
  let goesOn = true

  const send = (path: string, body?: unknown, headers: Record<string, string> = {}, method = 'POST') =>
    attempt(`${path.startsWith('/ingest') ? service.ingestAddress : service.address}${path}`, {
      method,
      token,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }).catch(() => null)

  /** Asks until there is a 200. Anything but that and an honest "later" is a breach. */
  const insist = async (
    what: string,
    ask: () => Promise<Answer | null>,
    { streams = false, removes = false } = {},
  ): Promise<Answer | null> => {
    const startedAt = performance.now()
    for (let asked = 1; ; asked += 1) {
      const askedAt = performance.now()
      const answer = await ask()
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
      if (performance.now() - startedAt > patienceMs) {
        tally.breach('Z8', `${what}: not within ${patienceMs} ms`, said)
        return null
      }
      await pause(100)
    }
  }

  const change = async (own: Dice, key: string) => {
    const body = { agent: { unit_id: own.pick(rigUnits) }, metadata: { custom: { mark: key } } }
    if (await insist('a change', () => send('/metadata', body, { 'idempotency-key': key }, 'PUT'))) changes.add(key)
  }
  const delivery = async (own: Dice, target: string) => {
    const rows = own.between(1, 200)
    const lines = Array.from({ length: rows }, (_, index) => {
      const dtime = new Date(Date.UTC(2026, 1, 1) + index * 1000).toISOString()
      return JSON.stringify({ agent_id: `acme-${own.pick(rigUnits)}`, dtime, target, successes: 1, failures: 0 })
    })
    const headers = { 'content-type': 'application/x-ndjson' }
    if (await insist('a delivery', () => send('/ingest/ping', lines.join('\n'), headers))) deliveries.set(target, rows)
  }
  const answer = async (own: Dice) => {
    const streamed = own.between(0, 1) === 0
    const got = await insist(
      'an answer',
      () => send(streamed ? '/test_data' : '/metric_data', streamed ? records : points),
      { streams: streamed },
    )
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
    const asked = await insist('a file', () => send('/test_data.csv', records, { 'idempotency-key': key }))
    const { id } = (asked?.body['data'] ?? {}) as { id?: string }
    if (id === undefined) return false
    let isWhole = false
    for (let status: unknown; status !== 'complete';) {
      const shown = await insist('a download', () => send(`/downloads/${id}`, undefined, {}, 'GET'))
      const { url, ...state } = (shown?.body['data'] ?? {}) as { status?: string; url?: string; rows?: number }
      ;({ status } = state)
      // Which its storage being away for long may cause, and which says so.
      if (status === 'failed' || shown === null) {
        tally.count('a file failed')
        return false
      }
      if (status !== 'complete') await pause(200)
      else isWhole = await compare(String(url), state.rows)
    }
    const remove = () => send(`/downloads/${id}`, undefined, {}, 'DELETE')
    await insist('a download removed', remove, { removes: true })
    return isWhole
  }
  const compare = async (url: string, rows: number | undefined): Promise<boolean> => {
    const text = await fetch(url).then(
      (response) => (response.ok ? response.text() : null),
      () => null,
    )
    // The storage being away: the file is not there to be looked at.
    const lines = text === null ? 0 : text.split('\n').length - 2
    const isWhole = lines === rigFacts && rows === rigFacts
    if (text !== null && !isWhole)
      tally.breach('Z5', 'a file that is not whole', `${lines} lines, ${rows} said, of ${rigFacts}`)
    tally.count(text === null ? 'a file was out of reach' : 'a file was read')
    return isWhole
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
      await pause(rest(kind, performance.now() - startedAt))
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
    everybodyServed: async () => {
      const before = new Map(turns)
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
