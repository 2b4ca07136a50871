import { inspect } from 'node:util'
import { call } from '../../kit/call.ts'
import { token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { firstDifference } from './comparison.ts'
import { dimensions } from './model/dimensions.ts'
import type { Dataset } from './model/facts.ts'
import { reference } from './model/reference.ts'
import type { Asked, Data, MetricRequest } from './model/request.ts'
import type { Askable } from './requests/roll-requests.ts'
import { writeDataset } from './write-dataset.ts'

type Listed = { id: string; metrics: string[] | null }

/** A real service that has a dataset. The test calls it over HTTP. */
export type MetricService = {
  dataset: Dataset
  world: World
  askable: Askable
  /** Returns the `data` of the response. Throws if the status is not 200. */
  ask: (organisation: string, request: MetricRequest) => Promise<Data>
  /**
   * Returns how the response of the service differs from the reference, or null. A response whose status is not 200 is
   * not compared.
   */
  differs: (asked: Asked) => Promise<{ difference: string | null; expected: Data; answered: Data | null }>
  close: () => Promise<void>
}

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
  const ask: MetricService['ask'] = async (organisation, request) => {
    for (let attempt = 1; ; attempt += 1) {
      const { status, text, body } = await call(`${service.addresses.api}/metric_data`, {
        method: 'POST',
        token: tokens.get(organisation) ?? '',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      })
      if (status === 200) return body['data'] as Data
      // This failure means that the machine was slow, not that a number is wrong.
      if (attempt < 4 && text.includes('takes longer than its time limit')) continue
      throw new Error(
        `${status} ${text}\n${JSON.stringify(request)}\n${inspect(world.observations.slice(-3), { depth: 5 })}`,
      )
    }
  }
  return {
    dataset,
    world,
    askable: (organisation, metric) => ({
      splits: idsFor(lists.get(organisation)?.splits ?? [], metric),
      filters: idsFor(lists.get(organisation)?.filters ?? [], metric),
    }),
    ask,
    differs: async (asked) => {
      const answer = ask(asked.organisation, asked.request).catch((error: unknown) => String(error))
      const expected = reference(dataset, asked)
      const answered = await answer
      if (typeof answered === 'string') return { difference: answered, expected, answered: null }
      return { difference: firstDifference(expected, answered), expected, answered }
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
