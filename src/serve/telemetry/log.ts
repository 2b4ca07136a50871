import { pino, type DestinationStream, type Logger } from 'pino'
import type { Observation, Observe } from '../../base/observe.ts'
import { withoutSecrets } from '../../base/without-secrets.ts'

/**
 * Lines of JSON. What goes in is chosen here, field by field: no header, body, address or connection string is ever
 * handed to the logger, so there is nothing to redact after the fact.
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
  'dictionaries-mended': 'warn',
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
 * Only these fields: driver errors carry connection parameters and statements among their others. Of what is no error only
 * a text is shown: some libraries give the address they were called by as a cause.
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
