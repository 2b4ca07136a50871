import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

/** Returns what the command prints to standard error, which is a pipe. `choices` starts faster than the other commands. */
function errorOf(environment: Record<string, string>, ...words: string[]): string {
  const { PATH = '' } = process.env
  return spawnSync(process.execPath, ['bin/broadgauge.js', 'choices', ...words], {
    encoding: 'utf8',
    env: { PATH, ...environment },
  }).stderr
}

const red = '\u001B[31m'

it.each([
  ['an error of the command line', ['spilt'], 'Did you mean split?'],
  ['an error of the command', ['split', '--url', 'x'], 'set BROADGAUGE_CALLER_URL'],
])('prints %s in red where colours are wanted, and plain otherwise', (_, words, text) => {
  const painted = errorOf({ FORCE_COLOR: '1' }, ...words)
  expect(painted).toContain(text)
  expect(painted.startsWith(red)).toBe(true)
  for (const plain of [
    errorOf({}, ...words),
    errorOf({ NO_COLOR: '1' }, ...words),
    errorOf({ FORCE_COLOR: '1' }, ...words, '--no-color'),
    errorOf({ FORCE_COLOR: '1' }, '--no-color', ...words),
  ]) {
    expect(plain).toContain(text)
    expect(plain).not.toContain('\u001B')
  }
})
