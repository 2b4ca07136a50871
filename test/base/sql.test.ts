import { expect, it } from 'vitest'
import {
  bind,
  boundName,
  BoundName,
  identifier,
  join,
  literal,
  numberLiteral,
  sql,
  statement,
} from '../../src/base/sql.ts'

it('numbers bound values in order of appearance, including those of nested parts', () => {
  const inner = sql`b = ${bind('String', "x' OR 1")}`
  const query = sql`SELECT 1 WHERE a = ${bind('UInt32', 7)} AND ${inner} AND c = ${bind('Int64', -1)}`
  expect(statement(query)).toEqual({
    text: 'SELECT 1 WHERE a = {p1:UInt32} AND b = {p2:String} AND c = {p3:Int64}',
    params: { p1: 7, p2: "x' OR 1", p3: -1 },
  })
})

it('does not accept a bare string', () => {
  const fromRequest = "'; DROP TABLE httpget; --"
  // @ts-expect-error the unsafe form does not compile
  expect(() => statement(sql`SELECT ${fromRequest}`)).toBeTypeOf('function')
  // @ts-expect-error an object that has the fields of `Sql` does not compile either
  expect(() => statement(sql`SELECT ${{ parts: [fromRequest] }}`)).toBeTypeOf('function')
})

it.each(["a'b", 'a b', 'a;b', '', '1a', 'a"', 'ä'])('refuses %j as an identifier', (name) => {
  expect(() => identifier(name)).toThrow('not an identifier')
})

it('escapes literals', () => {
  expect(statement(literal(String.raw`it's a \ mark`)).text).toBe(String.raw`'it\'s a \\ mark'`)
})

it('joins parts, and gives an empty text for none', () => {
  expect(statement(join([sql`a`, sql`b`], ', ')).text).toBe('a, b')
  expect(statement(join([], ', ')).text).toBe('')
})

it('splits a long list into parts that ClickHouse accepts', () => {
  const numbers = Array.from({ length: 30_000 }, (_, index) => 1_000_000 + index)
  const { text, params } = statement(sql`a IN ${bind('Array(UInt32)', numbers)} AND b = ${bind('UInt8', 1)}`)
  expect(text).toBe('a IN arrayConcat({p1:Array(UInt32)}, {p2:Array(UInt32)}, {p3:Array(UInt32)}) AND b = {p4:UInt8}')
  const pieces = [params['p1'], params['p2'], params['p3']] as number[][]
  expect(pieces.flat()).toEqual(numbers)
  for (const piece of pieces) expect(Buffer.byteLength(JSON.stringify(piece))).toBeLessThan(110_000)
})

it.each(['a', '_a1', 'Abc'])('accepts %s as an identifier', (name) => {
  expect(statement(identifier(name)).text).toBe(name)
})

it.each([
  [0, '0'],
  [-5, '-5'],
  [9_007_199_254_740_991, '9007199254740991'],
])('writes the number %d in DDL', (value, text) => {
  expect(statement(numberLiteral(value)).text).toBe(text)
})

it.each([1.5, Number.NaN, Infinity, 9_007_199_254_740_992])('refuses the number %d in DDL', (value) => {
  expect(() => numberLiteral(value)).toThrow(`not a whole number: ${value}`)
})

it('binds the name of a response’s column as an identifier', () => {
  expect(statement(sql`SELECT 1 AS ${boundName('custom.a b')}`)).toEqual({
    text: 'SELECT 1 AS {p1:Identifier}',
    params: { p1: new BoundName('custom.a b') },
  })
})

it('binds an empty list, and one just below the limit, as one parameter', () => {
  expect(statement(sql`${bind('Array(UInt8)', [])}`)).toEqual({ text: '{p1:Array(UInt8)}', params: { p1: [] } })
  const list = Array.from({ length: 95 }, () => 'x'.repeat(1_000))
  expect(statement(sql`${bind('Array(String)', list)}`)).toEqual({ text: '{p1:Array(String)}', params: { p1: list } })
})

it('counts apostrophes twice when it splits a list, because they are escaped', () => {
  const bytes = (list: readonly string[]) => list.reduce((sum, one) => sum + one.length * 2 + 3, 0)
  const list = Array.from({ length: 60 }, () => "'".repeat(1_000))
  const { params } = statement(sql`${bind('Array(String)', list)}`)
  const pieces = Object.values(params) as string[][]
  expect(pieces.flat()).toEqual(list)
  expect(pieces).toHaveLength(2)
  for (const piece of pieces) expect(bytes(piece)).toBeLessThanOrEqual(100_000)
})

it('binds a too long item alone', () => {
  const list = ['a', 'x'.repeat(150_000), 'b']
  expect(Object.values(statement(sql`${bind('Array(String)', list)}`).params)).toEqual([
    ['a'],
    ['x'.repeat(150_000)],
    ['b'],
  ])
})
