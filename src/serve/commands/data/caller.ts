import { readFileSync } from 'node:fs'
import { BroadgaugeError, createClient, type Client } from '../../../../clients/typescript/src/index.ts'
import { UserFacingError } from '../../../base/fault.ts'
import type { CommandContext } from '../context.ts'
import { faultText } from '../fault-text.ts'

/** Commands for callers use the API over HTTP like any client, and need none of the operator's settings. */
export function clientOf(
  { environment }: CommandContext,
  { url, retries = 4 }: { url?: string; retries?: number },
): Client {
  const demo = readDemo()
  const address = url ?? environment['BROADGAUGE_CALLER_URL'] ?? demo?.dataBaseUrl
  const token = environment['BROADGAUGE_CALLER_TOKEN'] ?? demo?.tokens.data
  if (address === undefined || token === undefined) {
    throw new UserFacingError(
      'set BROADGAUGE_CALLER_URL and BROADGAUGE_CALLER_TOKEN, or start a demo here: npm run demo',
    )
  }
  return createClient({ url: address, token, retries })
}

type Demo = { dataBaseUrl: string; tokens: { data: string } }

function readDemo(): Demo | null {
  try {
    const demo: Demo = JSON.parse(readFileSync('.broadgauge/demo.json', 'utf8'))
    return demo
  } catch {
    return null
  }
}

/** Converts an error of the client to one with a text for people. `request` is the body that the service refused. */
export function callerError(error: unknown, request?: unknown): unknown {
  if (error instanceof BroadgaugeError) return new UserFacingError(faultText(error, request))
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new UserFacingError('the service does not answer in time')
  }
  return error instanceof TypeError
    ? new UserFacingError('the service does not answer; check that its address is correct')
    : error
}
