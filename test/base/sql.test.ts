import { expect, it } from 'vitest'
import { bind, identifier, join, literal, sql, statement } from '../../src/base/sql.ts'

it('numbers bound values in order of appearance, also those of nested parts', () => {
  const inner = sql`b = ${bind('String', "x' OR 1")}`
  const query = sql`SELECT 1 WHERE a = ${bind('UInt32', 7)} AND ${inner} AND c = ${bind('Int64', -1)}`
  expect(statement(query)).toEqual({
    text: 'SELECT 1 WHERE a = {p1:UInt32} AND b = {p2:String} AND c = {p3:Int64}',
    params: { p1: 7, p2: "x' OR 1", p3: -1 },
  })
})

it('cannot be given a bare string', () => {
  const fromRequest = "'; DROP TABLE httpget; --"
  // @ts-expect-error the unsafe form does not compile
  expect(() => statement(sql`SELECT ${fromRequest}`)).toBeTypeOf('function')
  // @ts-expect-error nor does something that merely looks like SQL
  expect(() => statement(sql`SELECT ${{ parts: [fromRequest] }}`)).toBeTypeOf('function')
})

it.each(["a'b", 'a b', 'a;b', '', '1a', 'a"', 'ä'])('refuses %j as an identifier', (name) => {
  expect(() => identifier(name)).toThrow('not an identifier')
})

it('escapes literals', () => {
  expect(statement(literal(String.raw`it's a \ mark`)).text).toBe(String.raw`'it\'s a \\ mark'`)
})

it('joins parts, and none to nothing', () => {
  expect(statement(join([sql`a`, sql`b`], ', ')).text).toBe('a, b')
  expect(statement(join([], ', ')).text).toBe('')
})

it('binds a list in as many parts as the engine takes', () => {
  const numbers = Array.from({ length: 30_000 }, (_, index) => 1_000_000 + index)
  const { text, params } = statement(sql`a IN ${bind('Array(UInt32)', numbers)} AND b = ${bind('UInt8', 1)}`)
  expect(text).toBe('a IN arrayConcat({p1:Array(UInt32)}, {p2:Array(UInt32)}, {p3:Array(UInt32)}) AND b = {p4:UInt8}')
  const pieces = [params['p1'], params['p2'], params['p3']] as number[][]
  expect(pieces.flat()).toEqual(numbers)
  for (const piece of pieces) expect(Buffer.byteLength(JSON.stringify(piece))).toBeLessThan(110_000)
})
