import { createSecureContext } from 'node:tls'
import { certificate, type TlsFiles } from '../../http/server/tls.ts'
import type { Settings } from '../config-schema.ts'
import { ConfigError } from '../config.ts'

/** The certificate's files, tried once at start so that a wrong one is a sentence instead of a trace. */
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
