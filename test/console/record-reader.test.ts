import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RecordReader } from '../../console/src/api/record-reader.ts'

const record = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant('}],{"')))

it('yields every record once and in order, wherever the response is cut into pieces', () => {
  fc.assert(
    fc.property(fc.array(record), fc.array(fc.nat()), fc.constantFrom(',', ',\n', '\n,'), (data, cuts, comma) => {
      const rows = data.map((row) => JSON.stringify(row)).join(comma)
      const text = `{"code":"OK","message":"Request successful","data":[${rows}]}`
      const ends = [...cuts.map((cut) => cut % text.length), 0, text.length].toSorted((one, other) => one - other)
      const reader = new RecordReader()
      const read = ends.slice(1).flatMap((end, index) => reader.take(text.slice(ends[index], end)))
      expect(read).toEqual(data)
      expect(reader.isWhole).toBe(true)
    }),
  )
})

it('detects a response that breaks off, at every position', () => {
  const text = '{"code":"OK","message":"Request successful","data":[{"a":"}]}"},{"a":2}]}'
  for (let end = 0; end < text.length; end += 1) {
    const reader = new RecordReader()
    reader.take(text.slice(0, end))
    expect(reader.isWhole).toBe(false)
  }
})
