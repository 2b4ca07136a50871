import * as openId from 'openid-client'
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { storeAway } from '../../base/fault.ts'
import type { Identity } from '../../base/person.ts'
import { takeTurns } from '../../base/semaphore.ts'
import { findVouchedUser } from '../postgres/people/users.ts'
import type { Postgres } from '../postgres/postgres.ts'
import type { RedirectProvider } from './identity-provider.ts'
import { limitUserSignIns } from './limit-sign-ins.ts'

export type OpenIdOptions = {
  readonly key: string
  readonly title: string
  /** Whose people it vouches for; nobody else's. */
  readonly organisation: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | null
  /** The claim that is the name of the user here. */
  readonly claim: string
  /** Whether an address of mail is taken of a provider that never says whether it was proved. */
  readonly allowsMissingEmailVerified: boolean
}

const timeoutSeconds = 5

/** Whoever makes up a way back has the provider asked in our name: not for more than these at a time. */
const backAtOnceMax = 8
const backWaitingMax = 50

/** OpenID Connect: the authorization code flow with PKCE, state and nonce. */
export function openIdProvider(postgres: Postgres, options: OpenIdOptions): RedirectProvider {
  // Asked when it is first needed, so that the service starts without it, and again when it was away.
  let asked: Promise<openId.Configuration> | null = null
  const configuration = (): Promise<openId.Configuration> => {
    asked ??= discover(options).catch((error: unknown) => {
      asked = null
      throw storeAway(`the sign-in ${options.key}`, error)
    })
    return asked
  }
  const inTurn = takeTurns(backAtOnceMax, {
    max: backWaitingMax,
    refuse: () => storeAway(`the sign-in ${options.key}`, new Error('too many come back at once')),
  })
  return {
    key: options.key,
    title: options.title,
    begin: async (returnUrl) => {
      const config = await configuration()
      const [verifier, state, nonce] = [openId.randomPKCECodeVerifier(), openId.randomState(), openId.randomNonce()]
      const location = openId.buildAuthorizationUrl(config, {
        redirect_uri: returnUrl,
        scope: 'openid email profile',
        code_challenge: await openId.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      })
      return { location: location.href, memory: [verifier, state, nonce].join('.') }
    },
    complete: async (arrived, memory) => {
      const [pkceCodeVerifier = '', expectedState = '', expectedNonce = ''] = memory.split('.')
      const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
      const config = await configuration()
      const grant = () => openId.authorizationCodeGrant(config, arrived, checks)
      const tokens = await inTurn(grant).catch((error: unknown) => {
        throw isProviderAway(error) ? storeAway(`the sign-in ${options.key}`, error) : error
      })
      return identityOf(postgres, options, tokens.claims() ?? {})
    },
  }
}

function discover({ issuer, clientId, clientSecret }: OpenIdOptions): Promise<openId.Configuration> {
  const url = new URL(issuer)
  const authentication = clientSecret === null ? openId.None() : openId.ClientSecretPost(clientSecret)
  return openId.discovery(url, clientId, undefined, authentication, {
    timeout: timeoutSeconds,
    // For trying it out on one machine.
    execute: ['127.0.0.1', 'localhost'].includes(url.hostname) ? [openId.allowInsecureRequests] : [],
  })
}

async function identityOf(
  postgres: Postgres,
  { key, organisation, claim, allowsMissingEmailVerified }: OpenIdOptions,
  claims: Readonly<Record<string, unknown>>,
): Promise<Identity | null> {
  const name = claims[claim]
  // An address nobody has proved to be theirs could be anybody's.
  const { email_verified: verified = allowsMissingEmailVerified } = claims
  if (typeof name !== 'string' || (claim === 'email' && verified !== true)) return null
  // `sub` tells people apart by their letters' case; addresses of mail are written as people like.
  const userId = await findVouchedUser(postgres, { provider: key, organisation, name, isExact: claim !== 'email' })
  if (userId === null) return null
  await limitUserSignIns(postgres, userId)
  return { userId, provenHash: null }
}

/** What a provider sends a browser back with when the fault is its own. */
const ownFaults = new Set(['temporarily_unavailable', 'server_error'])

/** Not reached, too slow, or at fault itself; nothing the person has done, and worth another try later. */
function isProviderAway(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return ownFaults.has(error.error)
  if (error instanceof ResponseBodyError) return error.status >= 500
  if (error instanceof ClientError)
    return error.code === 'OAUTH_TIMEOUT' || (error.cause instanceof Response && error.cause.status >= 500)
  // `fetch` fails with one that has the connection's error as its cause; mistakes of ours have none.
  return error instanceof TypeError && error.cause !== undefined
}
