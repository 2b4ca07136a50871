import * as openId from 'openid-client'
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { storeUnavailable } from '../../base/fault.ts'
import type { Identity } from '../../base/person.ts'
import { semaphore } from '../../base/semaphore.ts'
import { findIdentityUser } from '../postgres/people/users.ts'
import type { Postgres } from '../postgres/postgres.ts'
import type { RedirectProvider } from './identity-provider.ts'
import { limitUserSignIns } from './limit-sign-ins.ts'

export type OpenIdOptions = {
  readonly key: string
  readonly title: string
  /** Key of the organisation whose users the provider identifies. It cannot identify users of other organisations. */
  readonly organisation: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | null
  /** The claim that contains the name that the user has in this service. */
  readonly claim: string
  /** If true, the service accepts an e-mail address from a provider that never sends `email_verified`. */
  readonly allowsMissingEmailVerified: boolean
}

const timeoutSeconds = 5

/**
 * Maximum number of returns from the provider that the service handles at the same time. For each return, even a forged one,
 * the service sends a request to the provider.
 */
const returnsAtOnceMax = 8
const returnsWaitingMax = 50

/** Sign-in with OpenID Connect: the authorization code flow with PKCE, state and nonce. */
export function openIdProvider(postgres: Postgres, options: OpenIdOptions): RedirectProvider {
  // The provider's configuration. The service fetches it when a user first needs it, so that the service can start while the
  // provider is unavailable. After a failure, the service fetches it again.
  let asked: Promise<openId.Configuration> | null = null
  const configuration = (): Promise<openId.Configuration> => {
    asked ??= discover(options).catch((error: unknown) => {
      asked = null
      throw storeUnavailable(`the sign-in ${options.key}`, error)
    })
    return asked
  }
  const inSlot = semaphore(returnsAtOnceMax, {
    max: returnsWaitingMax,
    refuse: () => storeUnavailable(`the sign-in ${options.key}`, new Error('too many sign-ins at once')),
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
      const tokens = await inSlot(grant).catch((error: unknown) => {
        throw isProviderUnavailable(error) ? storeUnavailable(`the sign-in ${options.key}`, error) : error
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
    // Allows plain HTTP for tests on one machine.
    execute: ['127.0.0.1', 'localhost'].includes(url.hostname) ? [openId.allowInsecureRequests] : [],
  })
}

async function identityOf(
  postgres: Postgres,
  { key, organisation, claim, allowsMissingEmailVerified }: OpenIdOptions,
  claims: Readonly<Record<string, unknown>>,
): Promise<Identity | null> {
  const name = claims[claim]
  // An e-mail address that is not verified could belong to another person.
  const { email_verified: verified = allowsMissingEmailVerified } = claims
  if (typeof name !== 'string' || (claim === 'email' && verified !== true)) return null
  // The claim `sub` is case-sensitive. E-mail addresses are not, because people write them in upper or lower case.
  const userId = await findIdentityUser(postgres, { provider: key, organisation, name, isExact: claim !== 'email' })
  if (userId === null) return null
  await limitUserSignIns(postgres, userId)
  return { userId, provenHash: null }
}

/** Error codes in a redirect that mean a failure of the provider itself. */
const ownFaults = new Set(['temporarily_unavailable', 'server_error'])

/**
 * Returns true if the provider is unreachable, too slow, or has failed. The user did nothing wrong, and a retry can succeed.
 */
function isProviderUnavailable(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return ownFaults.has(error.error)
  if (error instanceof ResponseBodyError) return error.status >= 500
  if (error instanceof ClientError)
    return error.code === 'OAUTH_TIMEOUT' || (error.cause instanceof Response && error.cause.status >= 500)
  // `fetch` throws a TypeError whose cause is the error of the connection. A TypeError from a programming error has no cause.
  return error instanceof TypeError && error.cause !== undefined
}
