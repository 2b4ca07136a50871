import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { storeUnavailable } from '../../../src/base/fault.ts'
import type { Observation } from '../../../src/base/observe.ts'
import { createLog, logObservations } from '../../../src/serve/telemetry/log.ts'

function logged(observation: Observation, level = 'trace'): Record<string, unknown> {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  logObservations(createLog(level, stream))(observation)
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

it('writes one line of JSON with time, kind and fields', () => {
  const line = logged({
    kind: 'request-finished',
    requestId: 'r1',
    interface: 'data',
    method: 'GET',
    route: '/tests',
    status: 200,
    milliseconds: 3,
  })
  expect(line).toMatchObject({ msg: 'request-finished', requestId: 'r1', route: '/tests', status: 200, level: 30 })
  expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT/)
})

it('logs no passwords and tokens, wherever an error carries them', () => {
  const cause = Object.assign(new Error('connect postgres://user:hunter2@host/db failed for bg_abcdefgh0123456789'), {
    config: { password: 'hunter2' },
    parameters: ['bg_abcdefgh0123456789'],
  })
  const line = JSON.stringify(
    logged({ kind: 'store-error', store: 'PostgreSQL', error: storeUnavailable('PostgreSQL', cause) }),
  )
  expect(line).toContain('postgres://user:***@host')
  expect(line).not.toContain('hunter2')
  expect(line).not.toContain('abcdefgh')
})

it('logs a cause that is not an error as text, without secrets', () => {
  const address = new URLSearchParams('error=server_error&x=bg_abcdefgh0123456789&state=secret-state')
  for (const cause of [address, 'for bg_abcdefgh0123456789', { state: 'secret-state' }]) {
    const line = JSON.stringify(logged({ kind: 'store-error', store: 'x', error: new Error('away', { cause }) }))
    expect(line).toContain('"cause":')
    expect(line).not.toContain('abcdefgh')
    expect(line).not.toContain('secret-state')
  }
})

it('logs unexpected errors as errors, refusals as information', () => {
  const failed = { kind: 'request-failed', requestId: 'r', route: '/x' } as const
  expect(logged({ ...failed, code: 'UNKNOWN_ERROR', error: new Error('x') })['level']).toBe(50)
  expect(logged({ ...failed, code: 'NOT_FOUND' })['level']).toBe(30)
  expect(logged({ ...failed, code: 'NOT_FOUND' }, 'warn')).toEqual({})
})
