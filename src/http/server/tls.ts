import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { Server } from 'node:https'
import type { SecureContextOptions } from 'node:tls'
import type { Observe } from '../../base/observe.ts'

export type TlsFiles = { certificateFile: string; keyFile: string }

/** The specification asks for TLS 1.2; 1.3 is welcome, anything older is not. */
export const certificate = ({ certificateFile, keyFile }: TlsFiles): SecureContextOptions => ({
  cert: readFileSync(certificateFile),
  key: readFileSync(keyFile),
  minVersion: 'TLSv1.2',
})

/**
 * Takes a renewed certificate without a restart. Looks at the files instead of listening for events: renewal tools swap
 * symbolic links, which watchers of the file itself miss. A pair that does not fit is reported and the old one kept.
 */
export function reloadCertificate(server: Server, files: TlsFiles, intervalMs: number, observe: Observe): () => void {
  const reload = () => {
    try {
      server.setSecureContext(certificate(files))
      observe({ kind: 'certificate-reloaded' })
    } catch (error) {
      observe({ kind: 'certificate-refused', error })
    }
  }
  const paths = [files.certificateFile, files.keyFile]
  for (const path of paths) watchFile(path, { interval: intervalMs, persistent: false }, reload)
  return () => {
    for (const path of paths) unwatchFile(path, reload)
  }
}
