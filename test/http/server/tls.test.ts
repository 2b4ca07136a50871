import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { connect, type ConnectionOptions, type SecureVersion } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createServer } from '../../../src/http/server/server.ts'
import { listen } from '../../../src/http/server/listener.ts'
import { reloadCertificate } from '../../../src/http/server/node-server.ts'
import { get, Server } from 'node:https'
import type { Observation } from '../../../src/base/observe.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { createCertificate, type CertificateFiles } from '../../kit/certificates.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service
let files: CertificateFiles

beforeAll(async () => {
  world = await openWorld()
  files = createCertificate('first')
  service = await world.serve({
    BROADGAUGE_TLS_CERT_FILE: files.certificateFile,
    BROADGAUGE_TLS_KEY_FILE: files.keyFile,
  })
})
afterAll(() => world.close())

/** The result of a TLS handshake: the protocol and the name in the certificate, or the error. */
function handshake(address: string, options: ConnectionOptions = {}): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...options }, () => {
      resolve(`${socket.getProtocol()} ${socket.getPeerCertificate().subject.CN}`)
      socket.destroy()
    })
    socket.on('error', (error) => resolve(`error ${'code' in error ? String(error.code) : error.message}`))
  })
}

const only = (version: SecureVersion): ConnectionOptions => ({
  minVersion: version,
  maxVersion: version,
  // Without this setting, the TLS client of the test would refuse old protocols itself, before the service can.
  ciphers: 'DEFAULT@SECLEVEL=0',
})

it('speaks TLS 1.2 and 1.3', async () => {
  expect(await handshake(service.addresses.api, only('TLSv1.2'))).toBe('TLSv1.2 first')
  expect(await handshake(service.addresses.api, only('TLSv1.3'))).toBe('TLSv1.3 first')
  expect(await handshake(service.addresses.ingest, only('TLSv1.2'))).toBe('TLSv1.2 first')
})

it.each(['TLSv1', 'TLSv1.1'] as const)('refuses %s', async (version) => {
  expect(await handshake(service.addresses.api, only(version))).toMatch(/^error .*(PROTOCOL_VERSION|protocol version)/)
})

/**
 * Connects with openssl. This client is independent of Node, and an auditor would use it. Returns the protocol, or
 * `refused`.
 */
function openssl(flag: string): Promise<string> {
  const { hostname, port } = new URL(service.addresses.api)
  const asked = ['s_client', '-connect', `${hostname}:${port}`, flag, '-cipher', 'DEFAULT@SECLEVEL=0']
  return new Promise((resolve) => {
    const child = execFile('openssl', asked, (_error, stdout, stderr) => {
      const protocol = /^\s*(?:Protocol\s*:|New,) *(TLSv[\d.]+)/m.exec(stdout)?.[1]
      resolve(/Cipher is \(NONE\)/.test(stdout) ? 'refused' : (protocol ?? `${stdout}${stderr}`))
    })
    child.stdin?.end()
  })
}

it.each([
  ['-tls1_3', 'TLSv1.3'],
  ['-tls1_2', 'TLSv1.2'],
  ['-tls1_1', 'refused'],
  ['-tls1', 'refused'],
])('openssl s_client %s: %s', async (flag, outcome) => {
  expect(await openssl(flag)).toBe(outcome)
})

it(
  'disconnects a caller that does not finish the handshake, and does not log it as a failure',
  { timeout: 30_000 },
  async () => {
    const { hostname, port } = new URL(service.addresses.api)
    const before = world.observations.length
    const startedAt = performance.now()
    const closed = (bytes: Uint8Array) =>
      new Promise<number>((resolve) => {
        const socket = connectPlain(Number(port), hostname, () => void socket.write(bytes))
        socket.on('error', () => {})
        socket.on('close', () => resolve(performance.now() - startedAt))
      })
    // The first client sends nothing. The second sends the header of a handshake record without its content. The third,
    // `garbage`, sends bytes that are not a handshake.
    const silent = [closed(Buffer.alloc(0)), closed(Buffer.from([22, 3, 1, 2, 0, 1]))]
    const garbage = closed(Buffer.from('GET / HTTP/1.1\r\n\r\n'))
    expect(await garbage).toBeLessThan(5_000)
    for (const after of await Promise.all(silent)) expect(after).toBeGreaterThan(9_000)
    expect(world.observations.slice(before).filter(({ kind }) => kind === 'request-failed')).toEqual([])
    expect(await handshake(service.addresses.api)).toBe('TLSv1.3 first')
  },
)

it('tells browsers to use HTTPS only', async () => {
  const [response] = await once(get(`${service.addresses.api}/tests`, { rejectUnauthorized: false }), 'response')
  expect(response.headers['strict-transport-security']).toBe('max-age=31536000')
  response.destroy()
})

it('names at start the files that do not match', async () => {
  const other = createCertificate('other')
  const pair = { BROADGAUGE_TLS_CERT_FILE: files.certificateFile, BROADGAUGE_TLS_KEY_FILE: other.keyFile }
  await expect(world.serve(pair)).rejects.toThrow('BROADGAUGE_TLS_CERT_FILE')
  await expect(world.serve({ ...pair, BROADGAUGE_TLS_CERT_FILE: '/nowhere' })).rejects.toThrow('ENOENT')
})

it('uses a renewed certificate without a restart, and keeps the old one if the new one is broken', async () => {
  const own = createCertificate('before')
  const observations: Observation[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  const tls = { certificateFile: own.certificateFile, keyFile: own.keyFile }
  const app = createServer({ tls, bodyBytesMax: 1024, trustProxy: 0, bodies: 'json', observe, beginTrace: null })
  // With `tls: null`, the listener starts no second file watcher. That watcher would read the files every half minute,
  // and Node keeps only one interval per file.
  const listener = await listen(app, { host: '127.0.0.1', port: 0, tls: null, observe })
  if (!(app.server instanceof Server)) throw new Error('not a TLS server')
  const stopWatching = reloadCertificate(app.server, tls, 50, observe)
  const until = async (kind: Observation['kind']) => {
    while (!observations.some((one) => one.kind === kind)) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(await handshake(listener.address)).toBe('TLSv1.3 before')

  writeFileSync(own.certificateFile, 'not a certificate')
  await until('certificate-refused')
  expect(await handshake(listener.address)).toBe('TLSv1.3 before')

  const renewed = createCertificate('after')
  copyFileSync(renewed.keyFile, own.keyFile)
  copyFileSync(renewed.certificateFile, own.certificateFile)
  await until('certificate-reloaded')
  expect(await handshake(listener.address)).toBe('TLSv1.3 after')
  stopWatching()
  await listener.stop(0)
})
