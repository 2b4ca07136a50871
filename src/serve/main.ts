import { Fault, UserFacingError } from '../base/fault.ts'
import { refusal } from './commands/context.ts'
import { createProgram } from './program.ts'

const write = (text: string) => void process.stdout.write(text)
const exitWith = (code: number) => {
  process.exitCode = code
}

try {
  await createProgram({ environment: process.env, write, exitWith }).parseAsync()
} catch (error) {
  process.stderr.write(`broadgauge: ${explain(error)}\n`)
  process.exitCode = 1
}

/** Returns the message of an expected error, or the stack trace of an unexpected one. */
function explain(error: unknown): string {
  if (error instanceof UserFacingError) return error.message
  if (error instanceof Fault)
    return error.code === 'SERVICE_UNAVAILABLE'
      ? `${error.detail ?? error.message}; check that it is running and that its address is correct`
      : refusal(error)
  return error instanceof Error ? [error.stack, causeOf(error)].join('\n') : String(error)
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? `cause: ${cause.message}` : ''
}
