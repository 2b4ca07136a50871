import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Engines } from './engines.ts'

export type RunningService = { readonly baseUrl: string; readonly pid: number; readonly close: () => Promise<void> }

/** Starts the service as a separate process, to measure its memory and CPU time. */
export async function startService({ environment, settings }: Engines): Promise<RunningService> {
  const service = spawn(process.execPath, ['src/serve/main.ts', 'serve'], {
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  })
  await untilReady(`http://127.0.0.1:${settings.BROADGAUGE_OPS_PORT}/readyz`)
  return {
    baseUrl: `http://127.0.0.1:${settings.BROADGAUGE_PORT}`,
    pid: service.pid ?? 0,
    close: async () => {
      service.kill('SIGTERM')
      await once(service, 'exit')
    },
  }
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if ((await fetch(url).catch(() => null))?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the service did not become ready')
}
