import { createSecureContext } from 'node:tls'
import type { Observe } from '../../base/observe.ts'
import type { BeginTrace } from '../../engine/tracing.ts'
import { createApi } from '../../http/server/api.ts'
import { listen, type Listener } from '../../http/server/listener.ts'
import type { MountOptions } from '../../http/mount-routes.ts'
import { certificate, type TlsFiles } from '../../http/server/node-server.ts'
import type { Servers } from '../../http/openapi/document.ts'
import { limitLinkGuesses } from '../../limits/link-guesses.ts'
import { createRequestSlots } from '../../limits/request-slots.ts'
import type { Settings } from '../config-schema.ts'
import { baseUrl, ConfigError } from '../config.ts'
import { consoleOptions } from './console-files.ts'
import { createOperations, type OperationsOptions } from '../../http/server/operations.ts'
import { openIdProvider } from '../../engine/identity/open-id-provider.ts'
import { linkPasswords } from '../../engine/identity/link-password.ts'
import { passwordProvider } from '../../engine/identity/password-provider.ts'
import type { SessionContext } from '../../http/console-api/define-session-route.ts'
import type { RouteContext } from '../../http/define-route.ts'
import { readSignInFile } from './sign-in-file.ts'

export type Listeners = { api: Listener; ingest: Listener; operations: Listener }

export type ListenerParts = {
  tls: TlsFiles | null
  observe: Observe
  beginTrace: BeginTrace | null
  api: Omit<MountOptions, 'bases' | 'observe'>
  operations: Omit<OperationsParts, 'observe'>
}

/** Opens all three listeners or none: if a port is taken, it closes the listeners that are already open. */
export async function openListeners(settings: Settings, parts: ListenerParts): Promise<Listeners> {
  const { tls, observe, beginTrace } = parts
  const server = {
    tls,
    bodyBytesMax: settings.BROADGAUGE_BODY_BYTES_MAX,
    trustProxy: settings.BROADGAUGE_TRUST_PROXY,
    bodies: 'json' as const,
    observe,
    beginTrace,
  }
  const bases = {
    data: baseUrl(settings.BROADGAUGE_DATA_BASE_URL),
    metadata: baseUrl(settings.BROADGAUGE_METADATA_BASE_URL),
  }
  const api = createApi({
    ...server,
    ...parts.api,
    bases,
    corsOrigins: settings.BROADGAUGE_CORS_ORIGINS,
    servers: serversOf(settings, tls !== null),
    console: {
      ...consoleOptions(settings),
      context: peopleContext(settings, parts.api.context),
      isPublicSecure: isPublicSecure(settings),
      publicBase: settings.BROADGAUGE_DATA_BASE_URL.startsWith('/') ? null : settings.BROADGAUGE_DATA_BASE_URL,
      takeRequestSlot: createRequestSlots(),
    },
    links: {
      takeRequestSlot: createRequestSlots(),
      guesses: limitLinkGuesses(),
      checkPassword: linkPasswords(parts.api.context.stores.postgres),
    },
  })
  const ingest = createApi({
    ...server,
    ...parts.api,
    bases: { ingest: baseUrl('/') },
    bodies: 'streams',
    corsOrigins: [],
    servers: null,
    console: null,
    links: null,
  })
  const place = { host: settings.BROADGAUGE_HOST, tls, observe }
  let operations: Listener | null = null
  try {
    operations = await openOperations(settings, { ...parts.operations, observe })
    return {
      operations,
      api: await listen(api, { ...place, port: settings.BROADGAUGE_PORT }),
      ingest: await listen(ingest, { ...place, port: settings.BROADGAUGE_INGEST_PORT }),
    }
  } catch (error) {
    await Promise.all([api.close(), ingest.close(), operations?.stop(0)])
    throw error
  }
}

/** The servers in the OpenAPI document. The ingest listener has its own port, and only the operator knows its host name. */
const serversOf = (settings: Settings, secure: boolean): Servers => ({
  data: { url: settings.BROADGAUGE_DATA_BASE_URL },
  metadata: { url: settings.BROADGAUGE_METADATA_BASE_URL },
  console: { url: `${settings.BROADGAUGE_DATA_BASE_URL.replace(/\/$/, '')}/console/api` },
  ingest: {
    url: `${secure ? 'https' : 'http'}://{host}:${settings.BROADGAUGE_INGEST_PORT}`,
    variables: { host: { default: 'localhost' } },
  },
})

/**
 * Returns true if browsers use HTTPS, according to the configured URL or because the service itself has a TLS certificate. A
 * trusted proxy states it in each request instead.
 */
const isPublicSecure = ({ BROADGAUGE_DATA_BASE_URL: base, BROADGAUGE_TLS_CERT_FILE: file }: Settings): boolean =>
  base.startsWith('https:') || file !== undefined

export type OperationsParts = Pick<OperationsOptions, 'stores' | 'isStopping' | 'metrics' | 'observe'>

/** Opens the operator's listener for health and metrics. It has no TLS and no tracing. */
export async function openOperations(settings: Settings, parts: OperationsParts): Promise<Listener> {
  const app = createOperations({
    ...parts,
    tls: null,
    beginTrace: null,
    bodies: 'json',
    bodyBytesMax: settings.BROADGAUGE_BODY_BYTES_MAX,
    trustProxy: settings.BROADGAUGE_TRUST_PROXY,
  })
  const place = { host: settings.BROADGAUGE_OPS_HOST, port: settings.BROADGAUGE_OPS_PORT }
  return listen(app, { ...place, tls: null, observe: parts.observe })
}

const peopleContext = (
  settings: Settings,
  { stores: { postgres }, now }: Pick<RouteContext, 'stores' | 'now'>,
): SessionContext => ({
  postgres,
  now,
  sessionLimits: {
    hours: settings.BROADGAUGE_SESSION_HOURS,
    idleMinutes: settings.BROADGAUGE_SESSION_IDLE_MINUTES,
  },
  providers: {
    password: passwordProvider(postgres),
    redirects: readSignInFile(settings.BROADGAUGE_SIGN_IN_FILE).map((options) => openIdProvider(postgres, options)),
  },
})

/** Loads the certificate and key at start, so that an invalid file gives an error message instead of a stack trace. */
export function readTlsFiles(settings: Settings): TlsFiles | null {
  const { BROADGAUGE_TLS_CERT_FILE: certificateFile, BROADGAUGE_TLS_KEY_FILE: keyFile } = settings
  if (certificateFile === undefined || keyFile === undefined) return null
  const files = { certificateFile, keyFile }
  try {
    createSecureContext(certificate(files))
    return files
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([`BROADGAUGE_TLS_CERT_FILE, BROADGAUGE_TLS_KEY_FILE: not a usable pair (${reason})`])
  }
}
