import { pino, type DestinationStream, type Logger } from 'pino'
import type { Observation, Observe } from '../../base/observe.ts'
import { withoutSecrets } from '../../base/without-secrets.ts'

/**
 * Writes the log as JSON lines. This file chooses every field. The logger never gets a header, body, URL or connection string,
 * so nothing must be redacted afterwards.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: () => `,"time":"${Temporal.Now.instant().toString()}"` }
  return destination === undefined ? pino(options) : pino(options, destination)
}

const severity: Record<Observation['kind'], 'info' | 'warn' | 'error' | 'debug'> = {
  'request-finished': 'info',
  'request-failed': 'info',
  'query-finished': 'debug',
  'store-error': 'warn',
  'dictionaries-reloaded': 'debug',
  'dictionaries-repaired': 'warn',
  'batch-stored': 'debug',
  'export-written': 'info',
  'export-failed': 'warn',
  'rollup-built': 'info',
  'service-started': 'info',
  'service-stopping': 'info',
  'certificate-reloaded': 'info',
  'certificate-refused': 'error',
}

export function logObservations(log: Logger): Observe {
  return (observation) => {
    const { kind, ...fields } = observation
    const error = 'error' in fields && fields.error !== undefined ? describeError(fields.error) : undefined
    const level = error !== undefined && severity[kind] === 'info' ? 'error' : severity[kind]
    if (log.isLevelEnabled(level)) log[level]({ ...fields, ...(error === undefined ? {} : { error }) }, kind)
  }
}

type DescribedError = { type: string; message: string; code?: string; stack?: string; cause?: DescribedError }

/**
 * Logs only these fields of an error: other fields of driver errors contain connection parameters and statements. A cause that
 * is not an `Error` is logged only if it is a string: some libraries give a URL object as the cause.
 */
function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: typeof error === 'string' ? withoutSecrets(error) : 'no error' }
  return {
    type: error.name,
    message: withoutSecrets(error.message),
    ...('code' in error ? { code: String(error.code) } : {}),
    ...(error.stack === undefined ? {} : { stack: withoutSecrets(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
