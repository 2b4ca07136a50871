import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pause, until } from '../../faults/attempt.ts'
import { openStream, readOut } from '../../kit/stream-call.ts'
import { failing, openStreamWorld, type StreamWorld } from '../../features/test-data/stream-world.ts'

let streams: StreamWorld

beforeAll(async () => {
  streams = await openStreamWorld(10)
})
afterAll(() => streams.world.close())

const drainSeconds = 1
/** The response fails only at this row. A caller cannot read ten million rows before the drain ends. */
const endless = { at: 9_999_999 }

const serve = () => streams.world.serve({ BROADGAUGE_DRAIN_SECONDS: String(drainSeconds) }, [failing])

/**
 * Stops an instance. Returns how long the stop took, and the reasons that the instance logged for ending responses
 * early.
 */
async function stop(service: Awaited<ReturnType<typeof serve>>) {
  const before = streams.world.observations.length
  const startedAt = performance.now()
  await service.stop('the test')
  const seconds = (performance.now() - startedAt) / 1_000
  const cuts = () =>
    streams.world.observations
      .slice(before)
      .flatMap((one) => (one.kind === 'request-finished' && one.cut !== undefined ? [one.cut] : []))
  // The socket closes a little before the service logs the end of the request.
  await until(async () => cuts().length > 0, 2_000, 20)
  return { seconds, cuts: cuts() }
}

it('a response that outlasts the drain is cut then, not before, and is incomplete', async () => {
  const service = await serve()
  const response = await openStream(`${service.addresses.api}/failing`, { token: streams.token, body: endless })
  const { seconds, cuts } = await stop(service)
  expect(seconds).toBeGreaterThanOrEqual(drainSeconds)
  expect(seconds).toBeLessThan(drainSeconds + 5)
  expect(cuts).toEqual(['service-stopped'])
  expect((await readOut(response)).complete).toBe(false)
})

it('an HTTP/1.0 caller, for whom the end of the connection is the end of the response, sees a reset', async () => {
  const service = await serve()
  const socket = await askOldFashioned(service.addresses.api)
  const { cuts } = await stop(service)
  expect(cuts).toEqual(['service-stopped'])
  const failed = once(socket, 'error')
  socket.resume()
  const [error] = (await failed) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNRESET')
})

/** Sends an HTTP/1.0 request and reads only the first bytes of the response. */
async function askOldFashioned(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address)
  const body = JSON.stringify(endless)
  const socket = connect(Number(port), hostname)
  const head = ['POST /failing HTTP/1.0', `Authorization: ${streams.token}`, 'Content-Type: application/json']
  socket.write(`${[...head, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`)
  await once(socket, 'readable')
  expect(String(socket.read(12))).toBe('HTTP/1.1 200')
  await pause(100)
  return socket
}
