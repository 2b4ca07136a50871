import { expect, it } from 'vitest'
import { plainPath } from '../../../src/http/server/routing.ts'

it.each([
  ['/tests', '/tests'],
  ['/tests/', '/tests'],
  ['//tests', '/tests'],
  ['/data//tests///', '/data/tests'],
  ['/tests/?kind=unit', '/tests?kind=unit'],
  ['/filters/isp/values/?search=a//b/', '/filters/isp/values?search=a//b/'],
  ['/metadata/agent/a%2F', '/metadata/agent/a%2F'],
  ['/', '/'],
  ['//', '/'],
  ['/data/console/', '/data/console/'],
  ['//docs/', '/docs/'],
  ['/%64ocs/', '/%64ocs/'],
  ['/%zz/', '/%zz'],
  ['/console/api/session/', '/console/api/session'],
  ['http://host//tests/', 'http://host//tests/'],
  ['*', '*'],
])('interprets the address %s as %s', (url, plain) => {
  expect(plainPath(url)).toBe(plain)
})
