import { createProgram } from '../../../src/serve/program.ts'
import type { World } from '../../kit/world.ts'

/** Runs a command as an operator does, but without the pauses in which the command waits for running requests. */
export async function runCommand(world: World, ...words: string[]): Promise<{ text: string; code: number }> {
  let text = ''
  let code = 0
  const program = createProgram({
    environment: world.environment,
    write: (part) => (text += part),
    exitWith: (one) => (code = one),
    pause: async () => {},
  })
  await program.exitOverride().parseAsync(['node', 'broadgauge', ...words])
  return { text, code }
}
