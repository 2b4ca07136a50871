import { extname } from 'node:path'
import type { Command } from 'commander'

/** The engines are not part of the service: the demo fetches them where it does not run in a clone of the repository. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('start engines, a synthetic panel and the service, to try it out')
    .action(async () => {
      // Not by an import that the compiler sees: nothing of the service depends on the engines.
      const demo = new URL(`../../../../devstack/demo/main${extname(import.meta.filename)}`, import.meta.url)
      await import(demo.href)
    })
}
