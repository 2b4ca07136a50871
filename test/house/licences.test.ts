import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

type Entry = { license?: string; dev?: boolean; link?: boolean }

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> }

/** Licences that require only a notice. All packages of the shipped service must have one of these licences. */
const permissive = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'CC0-1.0']
/**
 * Licences that restrict only changes to the package itself. This project changes no package. These licences are
 * allowed for tools that are not shipped.
 */
const forTools = [...permissive, 'MPL-2.0', 'Python-2.0', 'Zlib', 'CC-BY-4.0', 'BlueOak-1.0.0']

/** Packages whose package.json has no `license`, or the former `licenses`. Their documents name this licence. */
const namedElsewhere: Readonly<Record<string, string>> = {
  'node_modules/busboy': 'MIT',
  'node_modules/humanize-number': 'MIT',
  'node_modules/streamsearch': 'MIT',
}

/**
 * True if the licence expression (SPDX) is allowed. Packages use only two forms: alternatives with OR, or a list with
 * AND, without nesting.
 */
function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const names = expression.replaceAll(/[()]/g, '')
  if (names.includes(' OR ')) return names.split(' OR ').some((name) => allowed.includes(name))
  return names.split(' AND ').every((name) => allowed.includes(name))
}

it('has a licence for every package that permits unrestricted use of the service', () => {
  const packages = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  )
  expect(packages.length).toBeGreaterThan(100)
  const refused = packages.filter(
    ([path, { license = namedElsewhere[path], dev }]) =>
      license === undefined || !isAllowed(license, dev === true ? forTools : permissive),
  )
  expect(refused.map(([path, { license }]) => `${path}: ${license ?? 'none'}`)).toEqual([])
})

it.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0)', true],
  ['(MIT AND GPL-3.0)', false],
  ['GPL-3.0', false],
  ['SEE LICENSE IN LICENSE', false],
])('classifies %s as allowed: %s', (expression, allowed) => {
  expect(isAllowed(expression, permissive)).toBe(allowed)
})
