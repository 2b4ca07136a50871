import { setTimeout as pause } from 'node:timers/promises'

const heldMs = 500
/** Each holds a connection. */
const heldMax = 1_000
let held = 0

/**
 * Lets a refusal wait that somebody is given again and again: a program that asks on and on does so twice a second on each
 * connection and not fifty times. Only so many are held: a flood of connections is refused at once.
 */
export async function holdRefusal(): Promise<void> {
  if (held >= heldMax) return
  held += 1
  await pause(heldMs, undefined, { ref: false }).finally(() => (held -= 1))
}
