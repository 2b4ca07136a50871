import { createServer } from 'node:net'

/**
 * Returns the usual ports, with 0 (any free port) in place of a port that is taken. So the demo works even if another program
 * uses the port.
 */
export async function freePorts(): Promise<Record<string, string>> {
  const usual = { BROADGAUGE_PORT: 8080, BROADGAUGE_INGEST_PORT: 8081, BROADGAUGE_OPS_PORT: 8082 }
  const checked = Object.entries(usual).map(async ([key, port]) => [key, String((await isFree(port)) ? port : 0)])
  return Object.fromEntries(await Promise.all(checked)) as Record<string, string>
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
