import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../../kit/call.ts'
import { organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'

const delaySeconds = 2

let world: World
let good: string
beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'acme')
  good = await token(world, 'acme')
})
afterAll(() => world.close())

const serve = (seconds: number) => world.serve({ BROADGAUGE_SHUTDOWN_DELAY_SECONDS: String(seconds) })

/** Sends a request as a load balancer does, on a connection of `agent`. */
async function ask(url: string, agent: Agent) {
  const sent = request(url, { agent, headers: { authorization: good } })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  await text(response)
  return { status: response.statusCode, connection: response.headers.connection, reused: sent.reusedSocket }
}

it('during the delay, an instance is unready, answers new requests, and closes each connection after its response', async () => {
  const service = await serve(delaySeconds)
  const { api, ingest, operations } = service.addresses
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const before = await ask(`${api}/tests`, agent)
  expect(before).toEqual({ status: 200, connection: 'keep-alive', reused: false })

  const startedAt = performance.now()
  const stopped = service.stop('the test').then(() => (performance.now() - startedAt) / 1_000)
  const ready = await call(`${operations}/readyz`)
  expect([ready.status, ready.body['message']]).toEqual([503, 'The service is stopping.'])
  expect(await ask(`${api}/tests`, agent)).toEqual({ status: 200, connection: 'close', reused: true })
  expect(await ask(`${api}/tests`, agent)).toEqual({ status: 200, connection: 'close', reused: false })
  expect(await ask(`${ingest}/ingest/httpget`, agent)).toMatchObject({ connection: 'close' })
  agent.destroy()

  expect(await stopped).toBeGreaterThanOrEqual(delaySeconds)
  await expect(ask(`${api}/tests`, new Agent())).rejects.toThrow('ECONNREFUSED')
})

it('without a delay, a stopping instance refuses connections at once', async () => {
  const service = await serve(0)
  const stopped = service.stop('the test')
  await new Promise((resolve) => setTimeout(resolve, 50))
  await expect(ask(`${service.addresses.api}/tests`, new Agent())).rejects.toThrow('ECONNREFUSED')
  await stopped
})
