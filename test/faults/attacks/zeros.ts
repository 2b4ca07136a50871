import { Writable } from 'node:stream'
import type { Observation } from '../../../src/base/observe.ts'
import { createLog, logObservations } from '../../../src/serve/telemetry/log.ts'
import type { World } from '../../kit/world.ts'
import type { Tally } from './tally.ts'

/** The log lines that the service would have written for these events at the most verbose level. */
export function logLines(observations: readonly Observation[]): string[] {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString())
      done()
    },
  })
  const note = logObservations(createLog('trace', sink))
  for (const observation of observations) note(observation)
  return lines
}

/** The passwords and keys in the settings of the service. */
export const secretsOf = (environment: Readonly<Record<string, string>>): string[] =>
  Object.entries(environment).flatMap(([name, value]) => {
    if (/_PASSWORD$|_SECRET_ACCESS_KEY$/.test(name)) return [value]
    return /_POSTGRES_.*URL$/.test(name) ? [new URL(value).password] : []
  })

/**
 * Returns a function that returns true if a text contains a secret. The attacks call it for responses and log lines.
 */
export const secretIn = (
  environment: Readonly<Record<string, string>>,
  tokens: readonly string[],
): ((said: string) => boolean) => {
  const bare = tokens.map((token) => token.replace(/^Bearer /, ''))
  const secrets = [...secretsOf(environment), ...bare].filter((secret) => secret !== '')
  return (said) => secrets.some((secret) => said.includes(secret))
}

/** What a service prints when it exits because of an unhandled error. */
export const unhandled = /unhandled|uncaught|unexpected error, stopping/i

type Judged = Pick<World, 'observations' | 'environment'>

/**
 * Checks the output of the service for what every attack can find: an unexpected failure (Z3) or a secret (Z6). An
 * unhandled rejection (Z7) ends the test run anyway, because the service runs in the same process.
 */
export function lookForZeros(
  tally: Tally,
  { observations, environment }: Judged,
  tokens: readonly string[],
  mayFail: (route: string) => boolean = () => false,
): void {
  for (const one of observations) {
    if (one.kind === 'request-failed' && one.code === 'UNKNOWN_ERROR' && !mayFail(one.route))
      tally.breach('Z3', `${one.route}: an unforeseen failure`, JSON.stringify([one.requestId, one.detail]))
  }
  const hasSecret = secretIn(environment, tokens)
  for (const line of logLines(observations)) {
    if (hasSecret(line)) tally.breach('Z6', 'a secret in the log', line.slice(0, 200))
  }
}
