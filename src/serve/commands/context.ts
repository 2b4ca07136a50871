import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import { asOperator, type Operator, OperatorError } from '../../engine/postgres/operator/operator.ts'
import { adminUrl, readSettings } from '../config.ts'
import type { Settings } from '../config-schema.ts'
import { print, type Printer } from '../output.ts'
import { choicesText } from './choices-text.ts'
import type { Paint } from './data/block-chart.ts'

export type CommandContext = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly write: (text: string) => void
  /** Writes bytes that are no text. The default is standard output. */
  readonly writeBytes?: (bytes: Uint8Array) => void
  /** Writes to standard error: a program may parse the output of `write`. */
  readonly warn?: (text: string) => void
  /** Styles text for standard output. The default is no style. */
  readonly paint?: Paint | undefined
  /** Styles an error for standard error. The default is no style. */
  readonly paintError?: ((text: string) => string) | undefined
  /** Sets the exit code of a command that succeeded only in part, for example with rejected rows. */
  readonly exitWith?: (code: number) => void
  /** Waits for requests of running instances to end. Most tests run no instances and replace this function. */
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

export const settingsOf = ({ environment }: CommandContext): Settings => readSettings(environment)

/**
 * Runs `work` as the operator and prints its result. If `--json` is not given and `sentence` is, prints the sentence instead of
 * a table.
 */
export async function answer<Value extends object>(
  context: CommandContext,
  options: { json?: boolean },
  work: (operator: Operator) => Promise<Value>,
  sentence?: (value: Value) => string,
): Promise<void> {
  const value = await asOperator(adminUrl(settingsOf(context)), work)
  print(printerOf(context, options), value, sentence?.(value))
}

/** Requests one row more than it returns, so that it can warn if there are more rows. */
export async function firstOf<Row>(
  { warn = (text) => process.stderr.write(text) }: CommandContext,
  limit: string,
  find: (rowsMax: number) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const most = wholeNumber('--limit', limit)
  const rows = await find(most + 1)
  if (rows.length > most) warn(`There are more than these ${most} rows; a larger --limit shows them.\n`)
  return rows.slice(0, most)
}

export const printerOf = ({ write }: CommandContext, { json = false }: { json?: boolean }): Printer => ({ json, write })

export function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new OperatorError(`${name} takes a whole number, not "${text}"`)
  return Number(text)
}

/** Parses a list of keys: `a, b` gives `['a', 'b']`, and `all` gives `['*']`. */
export const keyList = (text: string): string[] =>
  text.trim() === 'all'
    ? ['*']
    : text
        .split(',')
        .map((key) => key.trim())
        .filter((key) => key !== '')

/** Throws if a key is unknown: a misspelt key would be stored and never match anything. */
export function knownKeys(subject: string, keys: string[], definitions: readonly { key: string }[]): string[] {
  const names = definitions.map(({ key }) => key)
  const unknown = keys.filter((key) => key !== '*' && !names.includes(key))
  if (unknown.length > 0)
    throw new OperatorError(`no such ${subject}: ${unknown.join(', ')}. ${choicesText(unknown[0], names)}`)
  return keys
}

/** Time that closing the stores may take after the drain. */
const closingSeconds = 5

/** Stops the process after a signal or an uncaught error. */
export function stopOnSignal(settings: Settings, log: Logger, stop: (reason: string) => Promise<void>): void {
  const seconds = settings.BROADGAUGE_SHUTDOWN_DELAY_SECONDS + settings.BROADGAUGE_DRAIN_SECONDS + closingSeconds
  closeWithGrace({ delay: seconds * 1000, logger: false }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'unexpected error, stopping')
    await stop(signal ?? 'unexpected error')
  })
}
