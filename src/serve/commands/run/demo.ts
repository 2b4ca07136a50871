import { extname } from 'node:path'
import type { Command } from 'commander'

/** The demo needs stores, which are not part of the service. Outside a clone of the repository, it downloads them. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('start a demo: the stores, a synthetic panel and the service')
    .option('--fill', 'fill the stores of the settings instead, print addresses and tokens, and end')
    .action(async ({ fill = false }: { fill?: boolean }) => {
      // The path is computed so that the compiler does not follow it: the service must not depend on the development stack.
      const demo = new URL(
        `../../../../devstack/demo/${fill ? 'fill' : 'main'}${extname(import.meta.filename)}`,
        import.meta.url,
      )
      await import(demo.href)
    })
}
