import { styleText } from 'node:util'
import { Command } from 'commander'
import { Fault, UserFacingError } from '../base/fault.ts'
import { explainErrors } from './commands/command-errors.ts'
import type { CommandContext } from './commands/context.ts'
import { addChoicesCommand } from './commands/data/choices.ts'
import { faultText } from './commands/fault-text.ts'

const words = process.argv.slice(2).filter((word) => word !== '--no-color')
const isPlain = words.length < process.argv.length - 2
// `styleText` styles text for a terminal only, and obeys NO_COLOR and FORCE_COLOR.
const paintError = (text: string) => (isPlain ? text : styleText('red', text, { stream: process.stderr }))

const context: CommandContext = {
  environment: process.env,
  write: (text) => void process.stdout.write(text),
  exitWith: (code) => {
    process.exitCode = code
  },
  ...(isPlain ? {} : { paint: (style, text) => styleText(style, text) }),
  paintError,
}

try {
  await (await programOf(words)).parseAsync(words, { from: 'user' })
} catch (error) {
  process.stderr.write(`${paintError(`broadgauge: ${explain(error)}`)}\n`)
  process.exitCode = 1
}

/** The completion of a shell waits for `choices`, so this command does not load the others, which takes a second. */
async function programOf([name]: readonly string[]): Promise<Command> {
  if (name !== 'choices') return (await import('./program.ts')).createProgram(context)
  const program = new Command('broadgauge')
  addChoicesCommand(program, context)
  explainErrors(program, paintError)
  return program
}

/** Returns the message of an expected error, or the stack trace of an unexpected one. */
function explain(error: unknown): string {
  if (error instanceof UserFacingError) return error.message
  if (error instanceof Fault)
    return error.code === 'SERVICE_UNAVAILABLE'
      ? `${error.detail ?? error.message}; check that it is running and that its address is correct`
      : faultText(error)
  return error instanceof Error ? [error.stack, causeOf(error)].join('\n') : String(error)
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? `cause: ${cause.message}` : ''
}
