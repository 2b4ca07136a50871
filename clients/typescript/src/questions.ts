import { bytesOf, type FlatFormat } from './bytes.ts'
import type {
  AggregatedPoint,
  ListedQuestion,
  Question,
  QuestionContent,
  QuestionLink,
  QuestionLinkRequest,
  QuestionVersion,
} from './generated/types.ts'
import {
  readData,
  readWarnings,
  send,
  type CallOptions,
  type QueryOptions,
  type TransportOptions,
} from './transport.ts'

export type RunOptions = Omit<QueryOptions, 'onExpensive'> & {
  readonly from?: string
  readonly to?: string
  /** A former version. The default is the current one. */
  readonly version?: number
  /** Values of the parameters of the question, by name. */
  readonly parameters?: Readonly<Record<string, string | readonly string[]>>
}

type VersionOptions = CallOptions & { readonly version?: number }

type ChangeOptions = CallOptions & {
  /** A key that identifies this change: a repeated request with the same key has no further effect. The default is a new key. */
  readonly idempotencyKey?: string
}

export type QuestionClient = {
  list: (options?: CallOptions) => Promise<ListedQuestion[]>
  read: (key: string, options?: VersionOptions) => Promise<Question>
  /** Creates a question, or adds a version to it. */
  save: (
    key: string,
    question: QuestionContent,
    options?: ChangeOptions,
  ) => Promise<{ readonly key: string; readonly version: number }>
  /** Deletes a question with all its versions. */
  delete: (key: string, options?: ChangeOptions) => Promise<void>
  /** Lists the versions of a question, the newest first. */
  versions: (key: string, options?: CallOptions) => Promise<QuestionVersion[]>
  /** Runs a question and returns its points. Raw points have fewer members. */
  run: (key: string, options?: RunOptions) => Promise<{ metricData: AggregatedPoint[] }[]>
  /** Runs a question and yields the bytes of its points as CSV, NDJSON or Arrow. */
  runAs: (format: FlatFormat, key: string, options?: RunOptions) => AsyncGenerator<Uint8Array>
  /** Lists the share links of a question, the newest first, without their secrets. */
  links: (key: string, options?: CallOptions) => Promise<QuestionLink[]>
  /**
   * Creates a share link. This is the only time that its address is available. The client sends the request once: a repeated
   * one would create a second link.
   */
  share: (
    key: string,
    link: QuestionLinkRequest,
    options?: CallOptions,
  ) => Promise<{ readonly id: number; readonly url: string }>
  /** Revokes a share link, from the next request on. */
  revokeLink: (key: string, id: number, options?: ChangeOptions) => Promise<void>
}

export function questionClient(transport: TransportOptions): QuestionClient {
  const get = (path: string, { signal }: CallOptions = {}): Promise<Response> =>
    send(transport, { method: 'GET', path: `/questions${path}`, signal })
  const run = (key: string, { from, to, version, parameters = {}, signal }: RunOptions = {}, format?: FlatFormat) => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries({ from, to, version, format, ...parameters })) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one))
    }
    return get(`${pathOf(key)}/data${query.size === 0 ? '' : `?${query}`}`, { signal })
  }
  return {
    list: async (call) => readData(await get('', call)),
    read: async (key, { version, signal } = {}) =>
      readData(await get(`${pathOf(key)}${version === undefined ? '' : `?version=${version}`}`, { signal })),
    save: async (key, question, { idempotencyKey = crypto.randomUUID(), signal } = {}) =>
      readData(
        await send(transport, {
          method: 'PUT',
          path: `/questions${pathOf(key)}`,
          body: question,
          idempotencyKey,
          signal,
        }),
      ),
    delete: async (key, { idempotencyKey = crypto.randomUUID(), signal } = {}) => {
      const path = `/questions${pathOf(key)}`
      await (await send(transport, { method: 'DELETE', path, idempotencyKey, signal })).body?.cancel()
    },
    versions: async (key, call) => readData(await get(`${pathOf(key)}/versions`, call)),
    links: async (key, call) => readData(await get(`${pathOf(key)}/links`, call)),
    share: async (key, link, { signal } = {}) => {
      const call = { method: 'POST', path: `/questions${pathOf(key)}/links`, body: link, signal } as const
      const { id, path }: { id: number; path: string } = await readData(await send({ ...transport, retries: 0 }, call))
      return { id, url: `${transport.baseUrl}${path}` }
    },
    revokeLink: async (key, id, { idempotencyKey = crypto.randomUUID(), signal } = {}) => {
      const path = `/questions${pathOf(key)}/links/${id}`
      await (await send(transport, { method: 'DELETE', path, idempotencyKey, signal })).body?.cancel()
    },
    run: async (key, options) => readData(await run(key, options), options),
    runAs: async function* (format, key, options) {
      yield* bytesOf(readWarnings(await run(key, options, format), options), format, options?.signal)
    },
  }
}

const pathOf = (key: string): string => `/${encodeURIComponent(key)}`
