import type { TokenScope } from '../../../src/base/caller.ts'
import { call, type Answer } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { panelOf } from '../filters/values-world.ts'

export type QuestionWorld = {
  readonly world: World
  readonly base: string
  /** Sends a request with a token; `north` and `south` stand for tokens that may read and change. */
  readonly send: (method: string, path: string, given?: Given) => Promise<Answer>
  readonly tokens: Readonly<Record<'north' | 'south' | 'reader' | 'writer', string>>
}

type Given = { token?: string; body?: unknown; headers?: Record<string, string> }

export const bothScopes: TokenScope[] = ['data:read', 'questions:write']

/** Two organisations with a panel each. Both panels have results of two days, by two targets. */
export async function openQuestionWorld(settings: Readonly<Record<string, string>> = {}): Promise<QuestionWorld> {
  const world = await openWorld({ clickhouse: true })
  for (const who of ['north', 'south']) {
    await organisation(world, who)
    await panelOf(world, `${who}-homes`, who, [
      { agent_id: `${who}-one`, country: 'GB' },
      { agent_id: `${who}-two`, country: 'FR' },
    ])
  }
  const mbps = (value: number) => value * 125_000
  await storeFacts(
    world,
    'httpget',
    ['north', 'south'].flatMap((who) =>
      ['2026-01-05', '2026-01-06'].flatMap((day, index) => [
        { agent: `${who}-one`, dtime: `${day} 10:00:00.000`, target: 'paris', bytes_sec: mbps(100 + index) },
        { agent: `${who}-two`, dtime: `${day} 11:00:00.000`, target: 'london', bytes_sec: mbps(50 + index) },
      ]),
    ),
  )
  const tokens = {
    north: await token(world, 'north', bothScopes),
    south: await token(world, 'south', bothScopes),
    reader: await token(world, 'north'),
    writer: await token(world, 'north', ['questions:write']),
  }
  const { addresses } = await world.serve(settings)
  const base = addresses.api
  const send = (method: string, path: string, { token: own = tokens.north, body, headers = {} }: Given = {}) =>
    call(`${base}${path}`, {
      method,
      token: `Bearer ${own}`,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return { world, base, send, tokens }
}

export const request = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-01', to: '2026-01-31' },
}

export const question = { name: 'Speed', request, parameters: ['target', 'country'] }

/** The values of all points of a response with one series. */
export const valuesOf = ({ body }: Answer): unknown[] =>
  (body['data'] as { metricData: { metricValue: number }[] }[]).flatMap(({ metricData }) =>
    metricData.map(({ metricValue }) => metricValue),
  )

/** Everything that is stored about questions. */
export const storedQuestions = ({ superuserUrl }: World): Promise<object[]> =>
  runSql(
    superuserUrl,
    'SELECT q.*, v.* FROM questions q JOIN question_versions v ON question_id = q.id ORDER BY id, v.version',
  )
