import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { SpokenError } from '../../base/spoken-error.ts'

/** The engines are not part of the service, so this works where they are: in a clone of the repository. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('start engines, a synthetic panel and the service, to try it out')
    .action(async () => {
      const demo = new URL('../../../devstack/demo/main.ts', import.meta.url)
      if (!existsSync(demo)) {
        throw new SpokenError(
          'the demo needs the engines, which come with a clone of the repository: npm ci && npm run demo',
        )
      }
      await import(demo.href)
    })
}
