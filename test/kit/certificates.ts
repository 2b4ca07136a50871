import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type CertificateFiles = { certificateFile: string; keyFile: string }

/** Creates a self-signed certificate for 127.0.0.1 in a new directory. */
export function createCertificate(name: string): CertificateFiles {
  const directory = mkdtempSync(join(tmpdir(), 'broadgauge-certificate-'))
  const files = { certificateFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') }
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', files.keyFile]
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...key, '-out', files.certificateFile, ...subject], {
    stdio: 'pipe',
  })
  return files
}
