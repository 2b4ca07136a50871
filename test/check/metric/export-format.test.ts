import { expect, it } from 'vitest'
import { checkExportFormat } from '../../../src/check/metric/test-data-request.ts'
import { FieldFaults } from '../../../src/check/field-faults.ts'

it.each([
  ['absent', {}, 'csv'],
  ['null', { format: null }, 'csv'],
  ['parquet', { format: 'parquet' }, 'parquet'],
])('reads a format that is %s', (_what, body, key) => {
  const faults = new FieldFaults()
  expect(checkExportFormat({ test: 'httpget', ...body }, faults)).toMatchObject({
    format: { key },
    request: { test: 'httpget' },
  })
  expect(() => faults.throwIfAny()).not.toThrow()
})
