import { inspect } from 'node:util'
import { call } from '../../kit/call.ts'
import { token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { answerDifference } from './comparison.ts'
import { dimensions } from './model/dimensions.ts'
import type { Dataset } from './model/facts.ts'
import { answerOf } from './model/reference.ts'
import { bodyOf, type Answer, type Asked, type Data, type MetricRequest } from './model/request.ts'
import type { Askable } from './requests/roll-requests.ts'
import { writeDataset } from './write-dataset.ts'

type Listed = { id: string; metrics: string[] | null; filterTypes?: string[] }

type Compared = {
  difference: string | null
  expected: Answer
  answered: Answer | null
  /** True if the machine was too slow for the request. The difference then says nothing about numbers. */
  isLate: boolean
  /** True if the service refuses the request because its statement would be too long. */
  isTooLong: boolean
}

const isTooLong = (difference: string): boolean => difference.includes('too many metrics, totals and statistics')

const isLate = (difference: string): boolean =>
  difference.startsWith('Error: 503') || difference.includes('takes longer than its time limit')

/** A real service that has a dataset. The test calls it over HTTP. */
export type MetricService = {
  dataset: Dataset
  world: World
  askable: Askable
  /** The filter types of each dimension, as the service lists them. */
  filterTypes: ReadonlyMap<string, readonly string[]>
  /** Returns the `data` of the response. Throws if the status is not 200. */
  ask: (organisation: string, request: MetricRequest) => Promise<Data>
  /**
   * Returns how the response of the service differs from that of the reference, or null. A response whose status is not 200
   * is not compared.
   */
  differs: (asked: Asked, expected?: Answer) => Promise<Compared>
  close: () => Promise<void>
}

/** How often a request is sent if the machine is too slow for it. */
const attemptsMax = 4

export async function openMetricService(built: Dataset): Promise<MetricService> {
  const world = await openWorld({ clickhouse: true })
  try {
    return await serveMetrics(world, built)
  } catch (error) {
    await world.close()
    throw error
  }
}

async function serveMetrics(world: World, built: Dataset): Promise<MetricService> {
  const dataset = await writeDataset(world, built)
  const service = await world.serve()
  const tokens = await tokensOf(world, dataset)
  const listed = async (path: string, authorization: string): Promise<Listed[]> => {
    const { status, text, body } = await call(`${service.addresses.api}${path}`, { token: authorization })
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
    return body['data'] as Listed[]
  }
  const lists = new Map<string, { splits: Listed[]; filters: Listed[] }>()
  for (const [organisation, authorization] of tokens)
    lists.set(organisation, {
      splits: await listed('/splits', authorization),
      filters: await listed('/filters', authorization),
    })
  const answer = async (organisation: string, request: MetricRequest): Promise<Answer> => {
    const { status, text, body } = await call(`${service.addresses.api}/metric_data`, {
      method: 'POST',
      token: tokens.get(organisation) ?? '',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(request)),
    })
    if (status === 200) return body as unknown as Answer
    throw new Error(
      `${status} ${text}\n${JSON.stringify(bodyOf(request))}\n${inspect(world.observations.slice(-3), { depth: 5 })}`,
    )
  }
  const answerInTime = async (organisation: string, request: MetricRequest): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await answer(organisation, request)
      } catch (error) {
        if (attempt === attemptsMax || !isLate(String(error))) throw error
      }
    }
  }
  return {
    dataset,
    world,
    askable: (organisation, metric) => ({
      splits: idsFor(lists.get(organisation)?.splits ?? [], metric),
      filters: idsFor(lists.get(organisation)?.filters ?? [], metric),
    }),
    filterTypes: new Map(
      [...lists.values()].flatMap(({ filters }) =>
        filters.map(({ id, filterTypes = [] }) => [id, filterTypes] as const),
      ),
    ),
    ask: async (organisation, request) => (await answerInTime(organisation, request)).data,
    differs: async (asked, given) => {
      // A caller that computes the expected response also asks again itself if the machine was too slow.
      const asking = given === undefined ? answerInTime : answer
      const answering = asking(asked.organisation, asked.request).catch((error: unknown) => String(error))
      const expected = given ?? answerOf(dataset, asked)
      const answered = await answering
      if (typeof answered === 'string')
        return {
          difference: answered,
          expected,
          answered: null,
          isLate: isLate(answered),
          isTooLong: isTooLong(answered),
        }
      const difference = answerDifference(expected, answered)
      return { difference, expected, answered, isLate: false, isTooLong: false }
    },
    close: () => world.close(),
  }
}

/**
 * The ids of the listed dimensions that a metric has. `metrics: null` means all metrics. If the reference does not know
 * a listed dimension, either the service or the reference is wrong.
 */
function idsFor(listed: Listed[], metric: string): string[] {
  const unheardOf = listed.filter(({ id }) => !(id in dimensions) && !id.startsWith('custom.'))
  if (unheardOf.length > 0) throw new Error(`listed, but not in the reference: ${unheardOf.map(({ id }) => id).join()}`)
  return listed.filter(({ metrics }) => metrics === null || metrics.includes(metric)).map(({ id }) => id)
}

async function tokensOf(world: World, { panels }: Dataset): Promise<Map<string, string>> {
  const organisations = [...new Set(panels.flatMap(({ owner, subscribers }) => [owner, ...subscribers]))]
  const tokens = new Map<string, string>()
  for (const key of organisations) tokens.set(key, await token(world, key))
  return tokens
}
