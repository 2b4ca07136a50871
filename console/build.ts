/**
 * `npm run build -w console`: builds the files of the console that the service serves, but only if their sources have changed.
 */
import { globSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { withLock } from '../devstack/lock.ts'

const folder = import.meta.dirname
const page = join(folder, 'dist/index.html')
const sources = ['src/**/*', 'public/*', 'index.html', 'vite.config.ts', 'package.json', '../package-lock.json']

const newest = (patterns: string[]): number =>
  Math.max(0, ...globSync(patterns, { cwd: folder }).map((path) => statSync(join(folder, path)).mtimeMs))

/** Runs one build at a time: test files that run concurrently all call it. */
export const buildConsole = (): Promise<void> =>
  withLock(folder, async () => {
    if (newest(['dist/index.html']) > newest(sources)) return
    rmSync(page, { force: true })
    await inProduction(() => build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' }))
  })

/**
 * Runs `work` with NODE_ENV set to production. A test runner sets it to test: React would then include its development code and
 * be twice as large.
 */
async function inProduction(work: () => Promise<unknown>): Promise<void> {
  const { NODE_ENV: kept } = process.env
  process.env['NODE_ENV'] = 'production'
  await work()
  if (kept === undefined) delete process.env['NODE_ENV']
  else process.env['NODE_ENV'] = kept
}

if (import.meta.main) await buildConsole()
