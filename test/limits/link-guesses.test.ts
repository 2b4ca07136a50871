import { expect, it } from 'vitest'
import { limitLinkGuesses } from '../../src/limits/link-guesses.ts'

it('refuses the 61st guess of a network, allows one a second, and refills within a minute', () => {
  let now = 5_000
  const guesses = limitLinkGuesses(() => now)
  const guess = (network = 'a'): boolean => {
    if (guesses.refusal(network) !== null) return false
    guesses.count(network)
    return true
  }
  const times = (count: number, network?: string) => Array.from({ length: count }, () => guess(network))
  expect(times(61)).toEqual([...Array<boolean>(60).fill(true), false])
  expect(guesses.refusal('a')).toMatchObject({ code: 'TOO_MANY_REQUESTS', headers: { 'retry-after': '1' } })
  expect(guess('b')).toBe(true)
  now += 999
  expect(guess()).toBe(false)
  now += 1
  expect(times(2)).toEqual([true, false])
  now += 60_000
  expect(times(61)).toEqual([...Array<boolean>(60).fill(true), false])
})
