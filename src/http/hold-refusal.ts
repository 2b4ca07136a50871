import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../base/fault.ts'

const heldMs = 500
/** Each holds a connection. */
const heldMax = 1_000
let held = 0

/**
 * Throws a refusal that somebody has been given before and who has not waited for as long as they were told: a moment later,
 * so that a program that asks on and on does so twice a second on each connection and not fifty times. Only so many
 * are held: a flood of connections is refused at once.
 */
export async function holdRefusal(refusal: Fault): Promise<never> {
  if (held < heldMax) {
    held += 1
    await pause(heldMs, undefined, { ref: false }).finally(() => (held -= 1))
  }
  throw refusal
}
