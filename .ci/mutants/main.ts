/**
 * Measures whether the unit tests detect changed code. `npm run mutants [-- --seed N] [--count N]` draws mutants of check/,
 * compile/ and envelope/ by a seed. It runs the unit tests against each drawn mutant with Stryker, and lists the surviving
 * mutants by kind.
 */
import { spawnSync, type SpawnSyncOptions } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { draw } from './draw.ts'

type Mutant = {
  id: string
  mutatorName: string
  status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'CompileError' | 'RuntimeError'
  replacement: string
  location: { start: { line: number; column: number } }
}
type Report = { files: Record<string, { source: string; mutants: Mutant[] }> }

const killedPercentMin = 85
const { values } = parseArgs({ options: { seed: { type: 'string' }, count: { type: 'string' } } })
const { seed = '28', count = '200' } = values

const folder = join('.ci', 'mutants')
if (!existsSync(join(folder, 'node_modules'))) run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
run(join(folder, 'node_modules', '.bin', 'stryker'), ['run', join(folder, 'stryker.json')], {
  env: { ...process.env, BROADGAUGE_MUTANTS: count, BROADGAUGE_MUTANTS_SEED: seed },
})
const { files } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report

const all = Object.entries(files).flatMap(([path, { source, mutants }]) =>
  mutants.map((mutant) => ({ ...mutant, path, line: source.split('\n')[mutant.location.start.line - 1] ?? '' })),
)
const drawn = draw(all, seed, Number(count))
const alive = drawn.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
const failed = drawn.filter(({ status }) => status === 'RuntimeError' || status === 'CompileError')
const killed = drawn.length - alive.length - failed.length
// Timeouts are reported separately: on a busy machine, Stryker can mistake a slow test run for an endless loop.
const timedOut = drawn.filter(({ status }) => status === 'Timeout').length
for (const [kind, some] of Map.groupBy(alive, ({ mutatorName }) => mutatorName)) {
  console.log(`\n${kind}: ${some.length}`)
  for (const { path, location, line, replacement, status } of some)
    console.log(
      `  ${path}:${location.start.line}:${location.start.column} ${status}\n    ${line.trim()}\n    -> ${replacement}`,
    )
}
const percent = (100 * killed) / (drawn.length - failed.length)
console.log(
  `\n${drawn.length} of ${all.length} mutants drawn with seed ${seed}: ${killed} killed (${timedOut} by a time limit), ${alive.length} survived, ` +
    `${failed.length} could not be run; ${percent.toFixed(1)} % killed (at least ${killedPercentMin} %)`,
)
process.exitCode = percent >= killedPercentMin ? 0 : 1

function run(command: string, words: readonly string[], options: SpawnSyncOptions): void {
  const { status } = spawnSync(command, words, { stdio: 'inherit', ...options })
  if (status !== 0) throw new Error(`${command} ended with ${status}`)
}
