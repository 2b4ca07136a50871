import { expect, it } from 'vitest'
import { logMantissas } from '../../../../src/compile/metric/distribution/histogram.ts'

it('has the mantissas of the powers of the eighth root of two', () => {
  const powers = logMantissas.map((mantissa) => 1 + mantissa / 2 ** 52)
  expect(powers).toEqual(Array.from({ length: 7 }, (_, index) => expect.closeTo(2 ** ((index + 1) / 8), 15)))
})

it('has mantissas that no rounding separates from their powers', () => {
  // The eighth power of the double below is less than the power of two, that of the double above is more.
  for (const [index, mantissa] of logMantissas.entries()) {
    const power = (of: number): bigint => (2n ** 52n + BigInt(of)) ** 8n
    const exact = 2n ** BigInt(52 * 8 + index + 1)
    expect(power(mantissa - 1) < exact).toBe(true)
    expect(power(mantissa + 1) > exact).toBe(true)
  }
})
