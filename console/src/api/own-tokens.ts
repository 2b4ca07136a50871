import { ApiError } from './api-error.ts'
import { askOwn } from './people.ts'
import { checkSession } from './session-token.ts'

export const scopes = {
  'data:read': 'Read metrics and test results, and make files of them',
  'metadata:read': 'Read agents’ metadata',
  'metadata:write': 'Change agents’ metadata',
  'ingest:write': 'Send results',
  'questions:write': 'Save and delete questions',
} as const

export type TokenScope = keyof typeof scopes
export const isScope = (text: string): text is TokenScope => text in scopes

export type OwnToken = {
  readonly id: number
  readonly label: string
  readonly visible_part: string
  readonly scopes: readonly TokenScope[]
  readonly created_at: string
  readonly created_by: string | null
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
}

export type NewToken = {
  readonly label: string
  readonly scopes: readonly TokenScope[]
  readonly expires_at: string | null
}

/** Maximum number of tokens in the list. Valid tokens come first. */
export const tokensListedMax = 1_000

export const findTokens = (): Promise<OwnToken[]> => checked(askOwn('GET', '/tokens'))
export const createToken = (token: NewToken): Promise<{ id: number; token: string }> =>
  checked(askOwn('POST', '/tokens', token))
export const revokeToken = (id: number): Promise<unknown> => checked(askOwn('DELETE', `/tokens/${id}`))

/** Checks the session after a 403: the session may have ended, or another person may have signed in. */
const checked = <Data>(asked: Promise<Data>): Promise<Data> =>
  asked.catch(async (error: unknown) => {
    if (error instanceof ApiError && error.status === 403) await checkSession()
    throw error
  })
