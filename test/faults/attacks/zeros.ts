import { Writable } from 'node:stream'
import type { Observation } from '../../../src/base/observe.ts'
import { createLog, logObservations } from '../../../src/serve/telemetry/log.ts'
import type { World } from '../../kit/world.ts'
import type { Tally } from './tally.ts'

/** The lines an operator would have read, had the service kept its most talkative log. */
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

/** Passwords and keys the service was given. */
export const secretsOf = (environment: Readonly<Record<string, string>>): string[] =>
  Object.entries(environment).flatMap(([name, value]) => {
    if (/_PASSWORD$|_SECRET_ACCESS_KEY$/.test(name)) return [value]
    return /_POSTGRES_.*URL$/.test(name) ? [new URL(value).password] : []
  })

/** What `said` has of them, if anything: looked for in every answer and every line of a log. */
export const secretIn = (
  environment: Readonly<Record<string, string>>,
  tokens: readonly string[],
): ((said: string) => boolean) => {
  const bare = tokens.map((token) => token.replace(/^Bearer /, ''))
  const secrets = [...secretsOf(environment), ...bare].filter((secret) => secret !== '')
  return (said) => secrets.some((secret) => said.includes(secret))
}

/** What a service says that ends itself because nobody handled an error. */
export const unhandled = /unhandled|uncaught|unexpected error, stopping/i

type Judged = Pick<World, 'observations' | 'environment'>

/**
 * What every attack can look for in what the service said afterwards: no failure it did not foresee (Z3), no secret (Z6).
 * A rejection that nobody handles (Z7) ends the run by itself, for the service is in the same process.
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
