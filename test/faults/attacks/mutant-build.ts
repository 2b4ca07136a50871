import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** A change of a source file that removes a check: it replaces the text `sound` by the text `broken`. */
export type Change = readonly [path: string, sound: string, broken: string]

export type MutantBuild = {
  /**
   * Runs the attack on the build with these changes. Returns its output, which is empty if the attack found nothing.
   */
  readonly attackWith: (changes: readonly Change[]) => Promise<string>
  readonly remove: () => void
}

const parts = ['src', 'test', 'devstack', 'migrations', 'package.json', 'tsconfig.json', 'vitest.config.ts']

/** Copies all files that an attack needs to a folder in which the test can change them. */
export function copyBuild(attackFile: string): MutantBuild {
  const copy = mkdtempSync(join(tmpdir(), 'broadgauge-mutant-'))
  for (const name of parts) cpSync(name, join(copy, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  const attackWith = async (changes: readonly Change[]): Promise<string> => {
    const originals = changes.map(([path]) => [path, readFileSync(path, 'utf8')] as const)
    for (const [path, sound, broken] of changes) {
      const present = readFileSync(join(copy, path), 'utf8')
      if (!present.includes(sound)) throw new Error(`${path} no longer has: ${sound}`)
      writeFileSync(join(copy, path), present.replaceAll(sound, broken))
    }
    try {
      return await runAttack(copy, attackFile)
    } finally {
      for (const [path, original] of originals) writeFileSync(join(copy, path), original)
    }
  }
  return { attackWith, remove: () => rmSync(copy, { recursive: true }) }
}

async function runAttack(copy: string, attackFile: string): Promise<string> {
  const environment = {
    ...process.env,
    CI: '',
    // The build starts its own stores with the configuration in the copy. It must not use the stores of this run.
    BROADGAUGE_TEST_STACK: 'mutant',
    BROADGAUGE_TEST_SHARDS: '',
    BROADGAUGE_FAULTS: '1',
    BROADGAUGE_FAULTS_COUNT: '1',
    BROADGAUGE_FAULTS_REPORT: join(copy, 'tallies'),
    BROADGAUGE_DEVSTACK_DIR: join(copy, '.devstack'),
  }
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', attackFile]
  return promisify(execFile)(process.execPath, vitest, { cwd: copy, env: environment, maxBuffer: 1e8 }).then(
    () => '',
    (error: { stdout: string; stderr: string }) => `${error.stdout}\n${error.stderr}`,
  )
}
