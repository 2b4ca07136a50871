import { expect, it } from 'vitest'
import { freePort } from '../../kit/free-port.ts'
import { openWorld } from '../../kit/world.ts'

it('names the port that is taken, and leaves nothing open', async () => {
  const world = await openWorld()
  const taken = await world.serve()
  const { port } = new URL(taken.addresses.api)
  await expect(world.serve({ BROADGAUGE_INGEST_PORT: port })).rejects.toThrow(`cannot listen on 127.0.0.1 port ${port}`)
  await world.close()
})

it('leaves nothing open either if the sign-in settings cannot be read', async () => {
  const world = await openWorld()
  const port = await freePort()
  const settings = { BROADGAUGE_SIGN_IN_FILE: '/no/such/file', BROADGAUGE_OPS_PORT: String(port) }
  await expect(world.serve(settings)).rejects.toThrow('BROADGAUGE_SIGN_IN_FILE')
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed')
  await world.close()
})
