import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import { asOperator, type Operator, OperatorError } from '../../engine/postgres/operator/operator.ts'
import { adminUrl, readSettings } from '../config.ts'
import type { Settings } from '../config-schema.ts'
import { print, type Printer } from '../output.ts'
import type { Fault } from '../../base/fault.ts'

/** What every command gets: the settings, and a place to write. */
export type CommandContext = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly write: (text: string) => void
  /** Beside what it answers, which may be read by a program. */
  readonly warn?: (text: string) => void
  /** What the process ends with when nothing went wrong and yet not everything is well. */
  readonly exitWith?: (code: number) => void
  /** How it waits until others have ended what they began. Nobody else is there in most tests. */
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

export const settingsOf = ({ environment }: CommandContext): Settings => readSettings(environment)

/** Runs `work` as the operator and prints what it answers; `sentence` is what a person reads instead of the table. */
export async function answer<Value extends object>(
  context: CommandContext,
  options: { json?: boolean },
  work: (operator: Operator) => Promise<Value>,
  sentence?: (value: Value) => string,
): Promise<void> {
  const value = await asOperator(adminUrl(settingsOf(context)), work)
  print(printerOf(context, options), value, sentence?.(value))
}

/** Asks for one more than shall be shown, and says so when there is one. */
export async function firstOf<Row>(
  { warn = (text) => process.stderr.write(text) }: CommandContext,
  limit: string,
  find: (rowsMax: number) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const most = wholeNumber('--limit', limit)
  const rows = await find(most + 1)
  if (rows.length > most) warn(`There are more than these ${most}; see --limit.\n`)
  return rows.slice(0, most)
}

export const printerOf = ({ write }: CommandContext, { json = false }: { json?: boolean }): Printer => ({ json, write })

export function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new OperatorError(`${name} takes a whole number, not "${text}"`)
  return Number(text)
}

/** `a, b` → `['a', 'b']`; `all` → `['*']`. */
export const keyList = (text: string): string[] =>
  text.trim() === 'all'
    ? ['*']
    : text
        .split(',')
        .map((key) => key.trim())
        .filter((key) => key !== '')

/** A misspelt key would be stored and never match anything. */
export function knownKeys(subject: string, keys: string[], definitions: readonly { key: string }[]): string[] {
  const names = definitions.map(({ key }) => key)
  const unknown = keys.filter((key) => key !== '*' && !names.includes(key))
  if (unknown.length > 0)
    throw new OperatorError(`no such ${subject}: ${unknown.join(', ')}; there are ${names.join(', ')}`)
  return keys
}

/** What a caller would have been answered, for a person at the command line. */
export const refusal = ({ message, errors }: Fault): string =>
  [message, ...Object.entries(errors ?? {}).map(([path, faults]) => `  ${path}: ${faults.join(' ')}`)].join('\n')

/** For closing the stores, when what was under way has had its time. */
const closingMs = 5_000

/** Runs until a signal comes, or an error that nobody caught. */
export function stopWhenTold(settings: Settings, log: Logger, stop: (reason: string) => Promise<void>): void {
  const delay = settings.BROADGAUGE_DRAIN_SECONDS * 1000 + closingMs
  closeWithGrace({ delay, logger: false }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'unexpected error, stopping')
    await stop(signal ?? 'unexpected error')
  })
}
