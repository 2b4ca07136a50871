import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { checkJson } from '../../src/check/json.ts'

const encode = (text: string) => new TextEncoder().encode(text)

it('gives back what JSON.parse would, for every value a double can hold', () => {
  const value = fc.jsonValue({ maxDepth: 6 }).filter((one) => !/"__proto__":/.test(JSON.stringify(one)))
  fc.assert(
    fc.property(value, (one) => {
      const text = JSON.stringify(one)
      const unsafe = /(?<!["\w.])-?\d{16,}|e\+?\d{2,}/i.test(text)
      if (!unsafe) expect(checkJson(encode(text))).toEqual(JSON.parse(text))
    }),
    { numRuns: 2_000 },
  )
})

it('finds a key twice wherever it is, however it is written', () => {
  const key = fc.string({ minLength: 1 })
  fc.assert(
    fc.property(key, fc.nat(5), (name, depth) => {
      const escaped = [...name]
        .map((one) =>
          [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
        )
        .join('')
      const twice = `{${JSON.stringify(name)}:{"x":[{}]},"other${name.length}":1,"${escaped}":2}`
      expect(() => checkJson(encode(`${'['.repeat(depth)}${twice}${']'.repeat(depth)}`))).toThrow(Fault)
    }),
    { numRuns: 1_000 },
  )
})

it('lets the same key stand in different objects, and in strings', () => {
  const text = String.raw`{"a":{"a":[{"a":1},{"a":"a\":1,\"a"}]},"b":"{\"a\":1,\"a\":2}"}`
  expect(checkJson(encode(text))).toEqual(JSON.parse(text))
})

it.each(['9007199254740991', '-9007199254740991', '0.1', '1e5', '-0', '1.5e300e'.slice(0, 3)])(
  'takes the number %s',
  (text) => {
    expect(checkJson(encode(text))).toBe(Number(text))
  },
)

it.each(['9007199254740992', '-9007199254740993', '1e400', '-1e999', '12345678901234567890'])(
  'refuses the number %s',
  (text) => {
    expect(() => checkJson(encode(`{"a":[${text}]}`))).toThrow(Fault)
  },
)

it('survives depth and length', () => {
  expect(checkJson(encode(`${'['.repeat(100)}${']'.repeat(100)}`))).toBeInstanceOf(Array)
  for (const depth of [101, 10_000, 500_000]) {
    expect(() => checkJson(encode(`${'['.repeat(depth)}${']'.repeat(depth)}`))).toThrow(Fault)
    expect(() => checkJson(encode(`${'{"0":'.repeat(depth)}1${'}'.repeat(depth)}`))).toThrow(Fault)
  }
  expect(checkJson(encode(JSON.stringify('x"\\'.repeat(400_000))))).toHaveLength(1_200_000)
})

it('refuses a byte order mark, which JSON does not allow', () => {
  expect(() => checkJson(encode('\uFEFF{}'))).toThrow(Fault)
})
