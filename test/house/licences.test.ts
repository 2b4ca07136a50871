import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

type Entry = { license?: string; dev?: boolean; link?: boolean }

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> }

/** Ask for no more than a notice: what the service is shipped with may be used by anybody under them. */
const permissive = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'CC0-1.0']
/** Bind whoever changes the tool itself, which nobody here does; for tools that are not shipped. */
const forTools = [...permissive, 'MPL-2.0', 'Python-2.0', 'Zlib', 'CC-BY-4.0', 'BlueOak-1.0.0']

/** An SPDX expression of one level, as packages have them: one of several, or all of them. */
function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const names = expression.replaceAll(/[()]/g, '')
  if (names.includes(' OR ')) return names.split(' OR ').some((name) => allowed.includes(name))
  return names.split(' AND ').every((name) => allowed.includes(name))
}

it('every package has a licence that lets the service be used by anybody', () => {
  const packages = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  )
  expect(packages.length).toBeGreaterThan(100)
  const refused = packages.filter(
    ([, { license, dev }]) => license === undefined || !isAllowed(license, dev === true ? forTools : permissive),
  )
  expect(refused.map(([path, { license }]) => `${path}: ${license ?? 'none'}`)).toEqual([])
})

it.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0)', true],
  ['(MIT AND GPL-3.0)', false],
  ['GPL-3.0', false],
  ['SEE LICENSE IN LICENSE', false],
])('takes %s for allowed: %s', (expression, allowed) => {
  expect(isAllowed(expression, permissive)).toBe(allowed)
})
