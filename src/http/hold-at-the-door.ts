import { hash } from 'node:crypto'
import { forgetOldest } from '../base/forget-oldest.ts'
import { isPressing, newPressing, type Pressing } from './pressing.ts'
import { holdRefusal } from './hold-refusal.ts'

const refused = new Map<string, Pressing>()

/**
 * Lets whoever is refused at the door wait when they are so again and again, by the header they send, for nobody has looked
 * yet whose it is, or by their network. Ten programs that ask on after each refusal otherwise take a third of two processors,
 * and what was a little too much for a moment stays too much.
 */
export async function holdAtTheDoor(whose: string): Promise<void> {
  const key = hash('sha256', whose)
  const one = refused.get(key) ?? newPressing()
  refused.set(key, one)
  forgetOldest(refused)
  if (isPressing(one)) await holdRefusal()
}
