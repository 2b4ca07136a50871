import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { checkJson, jsonBounds } from '../../src/check/json.ts'
import { cpuMs } from '../kit/cpu-ms.ts'

const encode = (text: string) => new TextEncoder().encode(text)

it('returns what was written, for every value a double can hold', () => {
  const value = fc.jsonValue({ maxDepth: 6 }).filter((one) => !/"__proto__":/.test(JSON.stringify(one)))
  fc.assert(
    fc.property(value, fc.constantFrom('', ' ', '\r\n\t'), (one, indent) => {
      const text = JSON.stringify(one, null, indent)
      const unsafe = /(?<!["\w.])-?\d{16,}|e\+?\d{2,}/i.test(text)
      if (!unsafe) expect(checkJson(encode(text))).toEqual(withoutNegativeZero(one))
    }),
    { numRuns: 2_000 },
  )
})

/** `JSON.stringify` writes -0 as 0, so a value that was written and parsed again has 0 instead of -0. */
function withoutNegativeZero(value: unknown): unknown {
  if (Object.is(value, -0)) return 0
  if (Array.isArray(value)) return value.map(withoutNegativeZero)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutNegativeZero(one)]))
}

it('accepts exactly the texts that JSON.parse accepts', () => {
  const words = String.raw`{ } [ ] , : \ " "a" "b" "" "\u0061" "\x" "\u12" 0 -0 - 01 1. .5 1e 1E-5 0.1 true false null nul é`
  const piece = fc.constantFrom(...words.split(' '), ' ', '\n', '\u00A0', '"\t"')
  const isTaken = (parse: () => unknown): boolean => {
    try {
      parse()
      return true
    } catch {
      return false
    }
  }
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
      const text = pieces.join('')
      const isAmbiguous = (text.match(/"(a|b||\\u0061)"\s*:/g) ?? []).length > 1
      if (!isAmbiguous) expect(isTaken(() => checkJson(encode(text)))).toBe(isTaken(() => JSON.parse(text)))
    }),
    { numRuns: 5_000 },
  )
})

it.each([
  [String.raw`{"y":1,"Gr\\u0":2}`, String.raw`{"y":1,"Gr\u00f6\u00dfe":2}`, 'Größe'],
  [String.raw`{"z":[],"a\\":2}`, String.raw`{"z":1,"a\"":2}`, 'a"'],
  [String.raw`{"x":1,"\\":2}`, String.raw`{"x":1,"\n":2}`, '\n'],
])('after %s, reads the key of %s correctly', (before, text, key) => {
  checkJson(encode(before))
  expect(Object.keys(checkJson(encode(text)) as object)[1]).toBe(key)
})

it('finds a duplicate key at any position and in any notation', () => {
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

it('accepts the same key in different objects, and in strings', () => {
  const text = String.raw`{"a":{"a":[{"a":1},{"a":"a\":1,\"a"}]},"b":"{\"a\":1,\"a\":2}"}`
  expect(checkJson(encode(text))).toEqual(JSON.parse(text))
})

it.each(['9007199254740991', '-9007199254740991', '0.1', '1e5', '-0', '1.5e300e'.slice(0, 3)])(
  'accepts the number %s',
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

it('handles great depth and length', () => {
  expect(checkJson(encode(`${'['.repeat(100)}${']'.repeat(100)}`))).toBeInstanceOf(Array)
  for (const depth of [101, 10_000, 500_000]) {
    expect(() => checkJson(encode(`${'['.repeat(depth)}${']'.repeat(depth)}`))).toThrow(Fault)
    expect(() => checkJson(encode(`${'{"0":'.repeat(depth)}1${'}'.repeat(depth)}`))).toThrow(Fault)
  }
  expect(checkJson(encode(JSON.stringify('x"\\'.repeat(400_000))))).toHaveLength(1_200_000)
})

const list = (length: number, item: (index: number) => string) =>
  `[${Array.from({ length }, (_, at) => item(at)).join()}]`

const fields = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":0`).join()}}`

it('names the limit that a text exceeds', () => {
  const { structuresMax, valuesMax } = jsonBounds
  expect(checkJson(encode(list(valuesMax - 1, () => '0')))).toHaveLength(valuesMax - 1)
  expect(checkJson(encode(list(structuresMax - 1, () => '[]')))).toHaveLength(structuresMax - 1)
  expect(Object.keys(checkJson(encode(fields(structuresMax - 1))) as object)).toHaveLength(structuresMax - 1)
  for (const [text, reason] of [
    [list(valuesMax, () => '0'), 'This value should have at most 60000 values.'],
    [list(structuresMax, () => '{}'), 'This value should have at most 10000 objects, lists and fields.'],
    [fields(structuresMax), 'This value should have at most 10000 objects, lists and fields.'],
  ] as const) {
    expect(() => checkJson(encode(text))).toThrow(expect.objectContaining({ errors: { body: [reason] } }))
  }
})

it.each([
  ['zeros', list(500_000, () => '0')],
  ['empty lists', list(300_000, () => '[]')],
  ['lists within lists', list(5_000, () => `${'['.repeat(99)}${']'.repeat(99)}`)],
  ['objects with a key of their own', list(80_000, (at) => `{"${at.toString(36)}":0}`)],
  ['one object', `{${list(100_000, (at) => `"${at.toString(36)}":0`).slice(1, -1)}}`],
  ['short strings', list(250_000, () => '"a"')],
  ['escapes', list(150_000, () => String.raw`"\n"`)],
  ['open brackets', '['.repeat(1_000_000)],
  ['one string', JSON.stringify('x'.repeat(1_000_000))],
  ['one number', `0.${'1'.repeat(1_000_000)}`],
  ['spaces', ' '.repeat(1_000_000)],
])('parses a megabyte of %s in less than 100 ms', (_what, text) => {
  const bytes = encode(text)
  expect(
    cpuMs(() => {
      try {
        checkJson(bytes)
      } catch {}
    }),
  ).toBeLessThan(100)
})

it('refuses a byte order mark, which JSON does not allow', () => {
  expect(() => checkJson(encode('\uFEFF{}'))).toThrow(Fault)
})
