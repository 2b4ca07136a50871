import { createProgram } from '../../../src/serve/program.ts'
import type { World } from '../../kit/world.ts'

/** A command as an operator runs it, but for the time it leaves to others who are not there. */
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
